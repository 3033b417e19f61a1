export const updateNode = `---
name: Update a node, its guests moved away
inputs:
  node: { type: node }
  target: { type: node, about: where its VMs go meanwhile }
max_age: 4 h
alerts: [updates, kernel-reboot]
---
The package lists are read again, every VM that runs on the node moves to another one, and the node reboots into its newest kernel.
Packages themselves are installed by a person, between two runs of this or before it. The VMs stay where they were moved.

## 1. What waits
tool: get_updates
args: { node: $node }

## 2. Which VMs run on it
tool: get_vms
args: { node: $node, status: running }
as: vms

## 3. How HA is
tool: get_ha_state

## 4. Read the package lists again
tool: refresh_package_lists
args: { node: $node }

## 5. Move a VM away
tool: migrate_guest
each: $vms.guests
args: { vmid: $item.vmid, target: $target }

## 6. Reboot the node
tool: reboot_node
args: { node: $node }
verify:
  tool: get_cluster_status
  args: {}
  until: $result.nodes(name=$node).status = online
  within: 20 min
undo: none

## 7. What waits now
tool: get_updates
args: { node: $node }
`
