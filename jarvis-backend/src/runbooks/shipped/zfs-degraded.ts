export const zfsDegraded = `---
name: ZFS pool degraded
inputs:
  node: { type: node }
  pool: { type: text, optional: true }
max_age: 4 h
alerts: [zfs-pool]
---
A ZFS pool of a node is degraded or has errors. Before anybody touches a disk, every guest that runs on the node is backed up once. To
replace a disk is work for a person.

## 1. Which pool and which disk
tool: get_storage_health
args: { node: $node }

## 2. What the kernel says
tool: get_node_journal
args: { node: $node, contains: zfs, sinceMinutes: 1440 }

## 3. Which VMs run on it
tool: get_vms
args: { node: $node, status: running }
as: vms

## 4. Which containers run on it
tool: get_containers
args: { node: $node, status: running }
as: containers

## 5. Where their backups lie
tool: get_backups
as: backups

## 6. Back up a VM
Where its newest backup lies. Guests without any are for backup-failed.
tool: back_up_guest
each: $vms.guests
when: $backups.backups(vmid=$item.vmid).storage != none
args:
  vmid: $item.vmid
  storage: $backups.backups(vmid=$item.vmid).storage

## 7. Back up a container
tool: back_up_guest
each: $containers.guests
when: $backups.backups(vmid=$item.vmid).storage != none
args:
  vmid: $item.vmid
  storage: $backups.backups(vmid=$item.vmid).storage

## 8. How the pool is now
tool: get_storage_health
args: { node: $node }
`
