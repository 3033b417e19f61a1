export const storageFilling = `---
name: Storage fills
inputs:
  storage: { type: storage }
  node: { type: node, optional: true }
alerts: [storage-full, storage-forecast]
---
A storage fills. This only reads: how full it is, which backups lie on it, how its pools are, and which guests no job backs up. What
may be deleted is for a person to say.

## 1. How full it is
tool: get_storage
args: { node: $node }

## 2. Which backups lie on it
tool: get_backups
args: { storage: $storage }

## 3. How disks and pools are
tool: get_storage_health
args: { node: $node }

## 4. What was written lately
tool: get_recent_tasks
args: { node: $node, limit: 50 }
`
