export const diskFailing = `---
name: Disk fails
inputs:
  node: { type: node }
  disk: { type: text, about: as in /dev/sda }
alerts: [disk-smart, disk-wear]
---
A disk reports errors by SMART, or is nearly worn out. This only reads: the disk itself, the pools it may belong to, and whether all
guests are backed up. Run zfs-degraded to back up what runs on the node.

## 1. The disk
tool: get_storage_health
args: { node: $node, disk: $disk }

## 2. The pools
tool: get_storage_health
args: { node: $node }

## 3. What the kernel says
tool: get_node_journal
args: { node: $node, contains: I/O error, sinceMinutes: 1440 }

## 4. Which guests no job backs up
tool: get_uncovered_guests
`
