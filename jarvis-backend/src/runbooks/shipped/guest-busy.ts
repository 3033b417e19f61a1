export const guestBusy = `---
name: Guest loads its node
inputs:
  vmid: { type: guest }
  node: { type: node, optional: true }
alerts: [guest-cpu]
---
A guest uses more CPU than usual for a long time. This only reads: what else runs there, the guest's settings, and its last tasks.

## 1. Its settings
tool: get_guest_config
args: { vmid: $vmid }

## 2. What runs beside it
tool: get_cluster_resources

## 3. How warm its node is
tool: get_node_temperature
when: $node != none
args: { node: $node }

## 4. What happened to it last
tool: get_recent_tasks
args: { node: $node, limit: 50 }
`
