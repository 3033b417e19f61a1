export const slowGuest = `---
name: slow-guest
description: Find out why a virtual machine or container is slow, hangs or does not answer. Use for high CPU, memory pressure, slow disks, a guest that lags, an agent that is silent, or "why is 104 slow".
license: MIT
compatibility: Proxmox VE 8 and 9
metadata:
  author: JARVIS
---
# A slow guest

A guest waits for one of four things: CPU, memory, disk, network. Find which, before you change anything. Most slow guests are slow because of
something beside them on the same node.

## Look

Ask these at once:

- \`get_vms\` or \`get_containers\`: state, CPU, memory, lock.
- \`get_node_status\` of its node: load, memory, root disk.
- \`get_cluster_resources\` with type vm: who else works there.
- \`get_recent_tasks\` of its node: a backup, a migration, a snapshot or a replication that runs now or began when it got slow.
- \`get_guest_config\`: cores, memory, balloon, disks with their cache, network card.

Then where they point to. \`memory_search\` may know whether it was so before.

A lock (backup, snapshot, migrate) explains much. Wait for the task; a lock is no fault. Never advise \`qm unlock\` while its task may be at work.

## CPU

- A guest's CPU is a share of its own cores: 100 % of 2 cores may be 12 % of the node.
- Load of the node over its number of threads for minutes: the node is short of CPU, and all its guests wait. \`execute_ssh\` with
  \`top -bn1\` shows who: each VM is a process kvm with its number in the command line (\`ps aux --sort=-%cpu\`).
- High load with little CPU use is waiting for disks. Go to Disk.
- Heat: \`get_node_temperature\`. A CPU that slows itself down makes everything slow at once.
- Pressure of the whole node: \`execute_ssh\` with \`cat /proc/pressure/cpu\`, also for io and memory. avg60 is the share of the last minute in which
  something waited, in per cent; over 10 is felt.
- CPU type kvm64 or x86-64-v2-AES lacks what newer programs use (AVX2). Type host is fastest and ties the VM to equal nodes.
- cpulimit or cpuunits in the configuration: somebody throttled it.

## Memory

- A VM that shows 95 % memory is often healthy: a system uses free memory as cache. Without ballooning or agent the node cannot tell.
- Of both, what counts is whether something was killed.
- \`get_node_journal\` with \`contains: oom\` and \`contains: Out of memory\`: a killed kvm is a VM that died; a kill with the words memory
  cgroup is inside a container that hit its own limit.
- The node: used over 90 % and swap in use means that guests are pushed out. With ZFS the cache (ARC) counts as used and gives way slowly.
  On new installs of PVE 8.1 and later it is limited to a tenth of the memory, at most 16 GiB; older ones take up to half. \`execute_ssh\` with
  \`cat /proc/spl/kstat/zfs/arcstats | grep -E "^(size|c_max)"\` tells.
- Ballooning takes memory from a VM when the node is over 80 % (newer releases can set another limit). A VM with a small minimum then swaps inside.

## Disk

- \`cat /proc/pressure/io\` on the node; \`iostat -x 2 3\` if it is there. Under 1 ms is an SSD at rest, over 20 ms for long is felt by all.
- Who writes: \`get_recent_tasks\` first: backups, then replication, then scrub (\`zpool status\`).
- One slow or dying disk slows a whole pool: \`get_storage_health\`.
- A ZFS pool over 80 % full and an LVM-thin pool near full get slow. Old snapshots slow qcow2 disks: \`list_snapshots\`.
- Consumer SSDs without power-loss protection are slow at synchronous writes: databases inside guests suffer most.
- In the configuration: virtio-scsi-single with iothread=1 is usual; ide and sata disks are slow. cache=writeback without a UPS risks data. Bandwidth
  limits (mbps, iops) may be set on purpose.
- A backup in mode snapshot lets the guest wait for the backup storage where it writes much. Fleecing (PVE 8.2 and later) avoids that.

## Network

- Slow only from outside: DNS, the way to it, or its firewall (\`get_firewall\` with the vmid).
- e1000 and rtl8139 cards are slow: virtio is usual.
- A bridge port with errors: \`execute_ssh\` with \`ip -s link\`. Duplex or MTU that differ show as errors and as large transfers that hang.

## It does not answer at all

State running and no answer: look at the node first, then at a lock, then at memory. Paused with io-error means that its storage is full or gone: free space
first, a restart loses what was not written. Only then restart: \`restart_vm\` or \`restart_container\`, clean. \`force\` only after the clean way
timed out, and say what it may cost. The runbook guest-unresponsive does it with a check.

## Change little

One change at a time, so that it can be seen what helped. \`set_guest_config\` takes a snapshot first where the storage allows it, and can be undone; cores
and memory often count from the next stop of a VM, and at once for containers. More cores do not help a guest that waits for a disk. Do not add
memory that the node does not have.

Say: what it waits for, the value that shows it, since when, who causes it, and the one thing you would do. If nothing stands out now, say so, and
say what to look at when it is slow again. \`schedule\` can look every few minutes meanwhile.
`
