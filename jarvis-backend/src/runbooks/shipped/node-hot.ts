export const nodeHot = `---
name: Hot node
inputs:
  node: { type: node }
  vmid: { type: guest, optional: true, about: the guest that is restarted }
max_age: 30 min
alerts: [node-heat]
---
A node runs hot. The first steps show what runs on it and what its journal says of heat. With the guest that loads the node, that
guest is restarted, and the last step waits until the node is cooler.

## 1. How hot it is
tool: get_node_temperature
args: { node: $node }

## 2. Which VMs run on it
tool: get_vms
args: { node: $node, status: running }
as: vms

## 3. Which containers run on it
tool: get_containers
args: { node: $node, status: running }
as: containers

## 4. What its journal says
tool: get_node_journal
args: { node: $node, contains: thermal, sinceMinutes: 120 }

## 5. Restart the VM
tool: restart_vm
when: $vms.guests(vmid=$vmid).status = running
args: { vmid: $vmid }
undo: none

## 6. Restart the container
tool: restart_container
when: $containers.guests(vmid=$vmid).status = running
args: { vmid: $vmid }
undo: none

## 7. Is it cooler
tool: get_node_temperature
when: $vmid != none
args: { node: $node }
verify: { until: $result.celsius < 75, within: 15 min }
`
