export const backupFailed = `---
name: Backup failed or too old
inputs:
  vmid: { type: guest }
  storage: { type: storage, optional: true, about: where the backup goes; without it where the newest one lies }
  fallback: { type: storage, optional: true, about: where the backup goes if none is listed }
max_age: 2 h
alerts: [backup-failed, backup-old, guest-uncovered]
---
The newest backup of a guest failed, is too old, or there is none. The storages are looked at, one backup is made now, and the last
step waits until the new archive is listed. No older backup is removed.

## 1. Which storages cannot be reached
tool: get_storage
args: { status: inactive }

## 2. Which backups there are
tool: get_backups
args: { vmid: $vmid }
as: before

## 3. Back it up to this storage
tool: back_up_guest
when: $storage != none
args: { vmid: $vmid, storage: $storage }
verify:
  tool: get_backups
  args: { vmid: $vmid }
  until: $result.backups.length > $before.backups.length
  within: 10 min

## 4. Back it up where its newest backup lies
tool: back_up_guest
when: $storage = none and $before.backups.length > 0
args: { vmid: $vmid, storage: $before.backups.0.storage }
verify:
  tool: get_backups
  args: { vmid: $vmid }
  until: $result.backups.length > $before.backups.length
  within: 10 min

## 5. Back it up elsewhere, for no backup of it is listed
tool: back_up_guest
when: $storage = none and $before.backups.length = 0 and $fallback != none
args: { vmid: $vmid, storage: $fallback }
verify:
  tool: get_backups
  args: { vmid: $vmid }
  until: $result.backups.length > 0
  within: 10 min
`
