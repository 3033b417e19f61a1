export const storageFull = `---
name: storage-full
description: Find what fills a Proxmox storage, a thin pool, a ZFS pool or a node's root disk, and make room without losing data. Use for "disk full", no space left, a storage over 80 %, a thin pool near full, or a forecast that it fills.
license: MIT
compatibility: Proxmox VE 8 and 9
metadata:
  author: JARVIS
---
# A storage fills

First: which kind of full, and does anything fail already. Then what grew. Then the smallest step that makes room. What is deleted does not come back, so
nothing is deleted because it looks old.

## Look

1. \`get_storage\`: how full, which kind, what it holds, on which nodes. Shared storage is counted once.
2. \`get_storage_health\`: ZFS pools, and thin pools with data and metadata each.
3. \`get_vms\`, \`get_containers\`: a VM that is paused with io-error already failed because of it.
4. \`get_recent_tasks\`: what was written lately: backups, clones, restores, migrations.
5. \`get_backups\` with the storage: which archives, how many of each guest.

How urgent:

| what | at | means |
|---|---|---|
| LVM-thin, data or metadata | 95 % and more | emergency: at 100 % every guest on it gets I/O errors, also those with room inside |
| ZFS pool | over 90 % | slow, and hard to free. Over 80 %: plan. |
| node's root disk | over 95 % | the node's services fail, logins and the cluster's file system too |
| directory, NFS, CIFS | full | what writes there fails, as backups |
| backup server's datastore | full | no backups, and garbage collection itself needs some room |

Thin storage promises more than it has. The sum of the disks' sizes may be larger than the pool: say by how much.

## What grew

Root disk of a node. \`execute_ssh\`, reads only:

- \`df -h\` and \`df -i\`: space, and inodes.
- \`du -xh --max-depth=2 /var | sort -rh | head -30\`.
- \`journalctl --disk-usage\`. \`ls -la /var/lib/vz/dump\`, \`ls -la /var/lib/vz/template/iso\`.
- A backup or a share that was not mounted writes into the folder below it: \`findmnt\`, and look whether the mount point is one.
- A deleted file that a program still holds open frees nothing: \`lsof +L1\`.

ZFS:

- \`zfs list -o name,used,avail,refer,usedbysnapshots -s used\`: a large usedbysnapshots is snapshots, not data.
- \`zfs list -t snapshot -o name,used,creation -s creation\`. Those named __replicate_ belong to replication; leave them alone.
- A refreservation on zvols takes room that is not written: thin provisioning on the storage changes that for new disks alone.

LVM-thin: \`lvs -a -o lv_name,lv_size,data_percent,metadata_percent,pool_lv\`.

Guests: \`list_snapshots\` of those with old ones. Disks that no guest uses stand as unused0 in \`get_guest_config\`.

Backups: many of one guest, or of guests that are gone.

## Make room

From harmless to final. Name each with what it frees, and let the operator choose.

1. Inside the guests: freed blocks come back only if discard=on is set on the disk and the guest trims (fstrim). For containers on thin storage a person runs
   \`pct fstrim ID\`. Often this alone is enough, and it loses nothing. \`set_guest_config\` sets discard; read the disk's line first, and keep all else in it.
2. Old logs and the package cache: a person's work at the node (\`journalctl --vacuum-size\`, \`apt-get clean\`). JARVIS refuses these commands.
3. Snapshots that nobody needs: \`delete_snapshot\`. On qcow2 and thin storage deleting may itself write for a while. JARVIS's own safety snapshots
   (jarvis-…) go by themselves after a day.
4. Backups beyond what is to be kept: prune on the storage, by the job's keep values. On a backup server room comes back after garbage collection, a day
   later at the earliest. Never the newest or only one.
5. ISO images and templates that can be had again.
6. Disks of guests that are gone, and unused0: only after the operator said whose they were. \`get_backups\` first.
7. Move: \`migrate_guest\` moves local disks to another node with the guest. Moving one disk to another storage is a person's work in Proxmox's interface.
8. Grow: a larger disk, another disk in the pool. A ZFS pool cannot be made smaller again, and a single disk added to a mirror pool as a stripe
   endangers all of it.

\`resize_disk\` makes a guest's disk larger. On a full pool it makes things worse, and it is for good.

An emergency (thin pool at 100 %, guests paused): free room elsewhere first, for example by removing the newest large file that certainly is not needed, then let the paused
VMs go on. Do not restart them before there is room. A thin pool with full metadata may need repair by a person: stop here, say so, and leave it alone.

## So that it does not come back

Which job fills it and what would hold it: keep values, discard, a limit. \`list_alerts\` shows whether the check was known. Say when it is full at this pace, if
two values at two times are known; if there is one value alone, say that the pace is unknown.
`
