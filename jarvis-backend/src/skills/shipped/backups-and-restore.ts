export const backupsAndRestore = `---
name: backups-and-restore
description: Check, repair and prove backups of Proxmox guests, and restore one safely. Use when a backup failed or is old, a guest has none, something must be restored, a file or a whole guest was lost, or someone asks whether backups work.
license: MIT
compatibility: Proxmox VE 8 and 9, with or without Proxmox Backup Server
metadata:
  author: JARVIS
---
# Backups and restore

A backup counts when three things hold: it is fresh, it lies elsewhere than the guest, and it was restored once. Say which of the three are known.

## Is all well?

1. \`get_uncovered_guests\`: guests that no enabled job covers. This is about plans.
2. \`get_backups\`: the newest of each guest. This is about facts. A guest may be in a job and have no backup for weeks.
3. \`get_storage\`: is the place reachable, and is there room for the next run.
4. \`list_restore_proofs\`: what was ever restored.
5. With a backup server: \`get_pbs_status\` (garbage collection, verification, sync) and \`get_pbs_snapshots\` (which were verified). Verified means
   that its bytes are as they were written. It does not mean that it boots.

A list that comes empty may mean a right that JARVIS lacks at Proxmox rather than no backups. If the answer says that something could not be read, say
unknown, not none.

Templates need no daily backup. Guests that only hold what can be made again may be left out on purpose: ask, and write the answer down with
\`memory_write\`.

## A backup failed

\`get_task_log\` with \`type: vzdump\` and \`failed: true\`, with the vmid where known. Read the first error, not the last.

| in the log | cause and what helps |
|---|---|
| No space left on device, ENOSPC | the storage is full: skill storage-full. The job's prune runs after it, so a full storage never frees itself. |
| got timeout, can't lock file | another task holds the guest. Look for it; run again afterwards. |
| guest-agent fs-freeze timed out | the agent hangs. The backup may be whole but only crash-consistent. Restart the agent in the guest. |
| VM is locked (snapshot), (backup) | an earlier task died or still runs. Only a person unlocks, after nothing runs any more. |
| snapshot create failed: thin pool | LVM-thin is full or has no room for the snapshot. |
| mount, stale file handle, storage is not online | the share is away: its server first. |
| backup write data failed, connection reset | network or backup server. \`get_pbs_status\`. |
| rsync … failed: exit code 23 or 24 | mode suspend of a container: files changed or could not be copied meanwhile. Mode snapshot avoids it, on storage that has snapshots. |

Then \`back_up_guest\` once for what is missing, and look whether the archive is listed. The runbook backup-failed does both. A backup makes load on disks
and network: in working hours one guest after the other.

If the same error came last week (\`memory_search\`), the cause is not mended. Say so instead of running it a third time.

## Prove it

\`drill_restore\` restores the newest backup of a guest into an isolated copy, boots it with every network interface down, and destroys the copy. It asks the
operator, and takes as long as a restore. Offer it for the guest whose proof is the oldest. \`schedule\` and the nightly drill do it regularly.
Level 5 means that the copy booted. No level says that the application's data are right.

## Restore

JARVIS restores beside the guest, never over it.

1. Ask what is lost and since when, if it was not said: a file, a database, the whole guest. The right backup is the newest one before the fault.
2. \`get_backups\` with the vmid: take the archive exactly as it is named there.
3. Room: the storage needs the full size of the disks. \`get_storage\`.
4. \`restore_guest\` with a new id, a name that shows what it is (104-restore), node and storage. It is not started.
5. Before it starts beside its original: both have the same address, name and often the same MAC. Set the network link down on the copy with
   \`set_guest_config\`: read net0 with \`get_guest_config\`, then set it with \`link_down=1\` added. For a container set \`link_down=1\` likewise.
6. Start it, look, take out what is needed. The operator decides whether the copy replaces the original: then stop the original first, and keep it for some days.
7. The copy is destroyed when it is not needed any more: \`destroy_guest\`, which is refused unless it was enabled or JARVIS made the copy.

A single file: of backups on a Proxmox Backup Server a person can browse and fetch files in Proxmox's own interface (Backups, File Restore), without restoring
all. Say that first.

A snapshot is no backup: it lies on the same disks. \`rollback_snapshot\` is quick, and loses all that was written since.

## Retention, said simply

keep-daily 7, keep-weekly 4 and keep-monthly 6 is a usual beginning. Without any keep value nothing is removed and the storage fills. Prune marks, garbage
collection on the backup server frees. A copy in another place (sync, a disk that is unplugged) is what helps against fire, theft and encryption.

Never propose to delete the newest or the only backup of a guest to make room.
`
