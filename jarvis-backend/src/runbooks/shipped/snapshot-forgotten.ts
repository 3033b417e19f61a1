export const snapshotForgotten = `---
name: Forgotten snapshot
inputs:
  vmid: { type: guest }
  snapshot: { type: text, optional: true, about: the snapshot that is deleted }
alerts: [snapshot-forgotten]
---
A snapshot grows and slows its guest while it stands. With a name it is deleted; without one this only lists them. What the guest is
now stays; to go back to the snapshot is no longer possible.

## 1. Which there are
tool: list_snapshots
args: { vmid: $vmid }
as: found

## 2. Delete it
tool: delete_snapshot
when: $found.snapshots(name=$snapshot).name != none
args: { vmid: $vmid, name: $snapshot }
verify:
  tool: list_snapshots
  args: { vmid: $vmid }
  until: $result.snapshots(name=$snapshot).name = none
  within: 2 min
undo: none
`
