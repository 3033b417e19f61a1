export const guestUnresponsive = `---
name: Guest does not respond
inputs:
  vmid: { type: guest }
max_age: 30 min
alerts: [agent-silent]
---
A guest runs, and its agent or its services do not answer. It is restarted cleanly; its disks are not touched.

## 1. Is it a VM that runs
tool: get_vms
args: { limit: 200 }
as: vms

## 2. Is it a container that runs
tool: get_containers
args: { limit: 200 }
as: containers

## 3. What happened to it last
tool: get_recent_tasks
args: { limit: 50 }

## 4. Restart the VM
tool: restart_vm
when: $vms.guests(vmid=$vmid).status = running
args: { vmid: $vmid }
verify:
  tool: get_vms
  args: { limit: 200 }
  until: $result.guests(vmid=$vmid).status = running
  within: 3 min
undo: none

## 5. Restart the container
tool: restart_container
when: $containers.guests(vmid=$vmid).status = running
args: { vmid: $vmid }
verify:
  tool: get_containers
  args: { limit: 200 }
  until: $result.guests(vmid=$vmid).status = running
  within: 3 min
undo: none
`
