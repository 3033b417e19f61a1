export const diskHealth = `---
name: disk-health
description: Judge whether a disk, an SSD or a ZFS pool of a Proxmox node is failing, and what to do first. Use for SMART errors, wear, I/O errors, a degraded pool, a scrub with errors, or "is my disk dying".
license: MIT
compatibility: Proxmox VE 8 and 9
metadata:
  author: JARVIS
---
# Disk health

Two questions, in this order: is data in danger now, and how long may the disk stay. Do not answer the second before the first.

## Look

1. \`get_storage_health\` for all nodes. It lists disks, ZFS pools and LVM-thin pools, worst first.
2. Of a disk that stands out: \`get_storage_health\` with \`node\` and \`disk\`, as in /dev/sda. This gives its SMART values.
3. \`get_node_journal\` with \`contains: I/O error\`, then with the disk's name without /dev/, as in sda or nvme0. For a pool: \`contains: zfs\`.
4. \`get_uncovered_guests\` and \`get_backups\`: what would be lost if the disk died tonight.

Which pool a disk belongs to: \`execute_ssh\` with \`zpool status -P\` on its node, or \`lsblk -o NAME,SIZE,TYPE,MODEL,SERIAL,FSTYPE\`. Say disks by
serial number to a person: letters such as sda may change at a reboot.

## What the values say

SATA and SAS disks. The raw value counts, the normalised one rarely says anything.

| attribute | reading |
|---|---|
| 5 Reallocated_Sector_Ct | 0 is good. A few that do not grow: watch. Growing from day to day: replace. |
| 197 Current_Pending_Sector | over 0: sectors that could not be read. The data there may be gone. Back up now. |
| 198 Offline_Uncorrectable | over 0: as 197. |
| 187 Reported_Uncorrect | over 0: reads failed although the disk tried. |
| 199 UDMA_CRC_Error_Count | growing: the cable or the backplane, not the disk. Old and constant: harmless. |
| 188 Command_Timeout | growing: power supply, cable or controller. |
| 9 Power_On_Hours | age alone replaces nothing. |

"SMART overall-health: PASSED" proves little: disks fail while they pass. "FAILED" is certain enough to replace.

NVMe disks.

| value | reading |
|---|---|
| Critical Warning | anything but 0x00: look at once. Bit 0x04: reliability is reduced. Bit 0x08: the disk is read-only. |
| Available Spare | below Available Spare Threshold: replace. |
| Percentage Used | wear against what the maker promised. Over 100 % it may go on for long, without a promise. Plan from 80 %. |
| Media and Data Integrity Errors | over 0 and growing: replace. |

Wear of consumer SSDs rises fast under Proxmox with ZFS: small synchronous writes of the cluster file system, logs and databases.

## ZFS

\`zpool status\` in words:

- DEGRADED: still whole, with less or no reserve. A second fault may lose the pool. This is urgent, not an emergency.
- FAULTED, UNAVAIL or SUSPENDED: guests on it stand still or fail. This is an emergency.
- READ, WRITE, CKSUM columns: errors by device. Errors on several disks of one controller at once speak for controller, cable, power or RAM.
- CKSUM over 0 on one disk alone, repaired: a single event is to be noted. If it comes back after the next scrub, the disk or its cable is bad.
- "Permanent errors have been detected in the following files": these files are damaged. A disk image zvol is named there as pool/vm-101-disk-0:
  restore that guest from a backup made before the error, and check that this backup is good.
- A pool with one disk, or a stripe, repairs nothing.
- No scrub for over 5 weeks: the state is an old one. \`execute_ssh\` with \`zpool scrub POOL\` asks the operator; it loads the disks for hours, so
  not while backups run, and not on a pool where a disk is dying and no backup exists: back up first.

Do not advise \`zpool clear\` to make a message go away. It is right only after the cause is gone.

LVM-thin: a pool whose data or metadata use is near 100 % is as urgent as a dying disk; guests then get I/O errors. See the skill storage-full.

## What to do

1. Guests on the disk or pool without a fresh backup: \`back_up_guest\` each, to a storage that lies elsewhere. The runbook zfs-degraded does that
   for all running guests of a node on one card; the runbook disk-failing gathers the facts.
2. A backup is proven by \`drill_restore\`, if the operator wants that before the disk is touched.
3. Say which disk, by node, model, serial number and slot if known, and how urgent: now, this week, or watch.
4. Replacing it is a person's work, at the machine. What they need to know:
   - The new disk must be at least as large, to the sector.
   - Data disk of a ZFS pool: \`zpool replace POOL OLD NEW\` with paths of /dev/disk/by-id, then wait for the resilver.
   - Boot disk of a ZFS mirror: partition it as its sibling first (\`sgdisk\` to copy the table, new GUIDs), replace partition 3 in the pool, and
     prepare its boot partition with \`proxmox-boot-tool format\` and \`proxmox-boot-tool init\`. Without that the node will not start from it.
   - A disk of Ceph has steps of its own: take its OSD out and wait for the data to move, before it is stopped.
   Those commands are for them; JARVIS refuses them over SSH.
5. Afterwards: look again with \`get_storage_health\`, and once more the next day. A resilver that ends with errors is no repair.

## Say it

Begin with: data safe or not. Then the disk, the value that shows it, since when (\`memory_search\` may know an earlier value), and the next step.
If a value is missing because SMART cannot be read, say that it is unknown: a RAID controller hides it, and a virtual disk has none.
`
