export const nodeUpdates = `---
name: node-updates
description: Plan and carry out updates, reboots and shutdowns of Proxmox nodes without losing guests or quorum. Use for pending updates, a newer kernel, a rolling reboot, maintenance of a node, or the step from Proxmox VE 8 to 9.
license: MIT
compatibility: Proxmox VE 8 and 9
metadata:
  author: JARVIS
---
# Updates and reboots of nodes

One node at a time, guests first, quorum always. A node is done when it is back, its guests run, and its storage is whole. Only then comes the next.

## Look

1. \`get_cluster_status\`: every node online, quorum, nothing that needs attention. With a fault, mend that first.
2. \`get_updates\` of each node: what waits, and whether a newer kernel waits for a reboot. The list is as old as its last refresh: \`refresh_package_lists\`
   makes it current and installs nothing.
3. \`get_storage_health\`: no degraded pool, no resilver. A reboot is where a weak disk dies.
4. \`get_backups\`: fresh ones of what runs on the node.
5. \`get_recent_tasks\`: nothing runs. \`get_ha_state\`: which guests are managed, and where they may go. \`get_replication\`: all in step.
6. \`get_vms\` and \`get_containers\` with the node: what runs there, and what of it this house depends on: DNS, DHCP, the router, the VPN, JARVIS itself.

Quorum: a cluster needs more than half of its votes. Of three nodes one may be away, of two none, unless a QDevice votes. If the cluster would lose quorum, guests that run go on,
and nothing can be started or changed until the node is back; with HA the others would restart themselves. Say this for two nodes before you begin.

## Who does what

Packages are installed by a person, at the node's shell or in Proxmox's interface: \`apt update\` and then \`apt full-upgrade\`, also called dist-upgrade. Never plain \`apt upgrade\` on
Proxmox: it holds back packages that belong together. JARVIS refuses both over SSH. JARVIS moves guests, looks, reboots, and checks.

The repositories: enterprise needs a subscription and answers 401 without one; then no-subscription must be set instead. An update list that is always empty may be that: look with
\`execute_ssh\`, \`apt-cache policy pve-manager\`, and \`ls /etc/apt/sources.list.d\`. A mix of releases (bookworm and trixie) breaks a node: stop if you see it.

## The order for one node

1. Move its guests: \`migrate_guest\`, one after the other. VMs move live. A running container restarts at the move. Local disks are copied, which takes as long as
   they are large: replication shortens that. VMs with a device of the host (PCI, USB) or a local ISO do not move: they are shut down.
2. What cannot move: \`stop_vm\` or \`stop_container\`, clean, or leave it to the reboot, which shuts guests down.
3. The person installs the packages. Ask them to say when it is done. \`get_updates\` shows whether something is left.
4. \`reboot_node\`, which asks. It waits until the node is seen back. The runbook update-node does moves and reboot on one card.
5. Look: \`get_node_status\` (the new kernel runs), \`get_cluster_status\` (quorum), \`get_storage_health\`, \`get_ha_state\`, \`get_node_journal\` with \`contains: failed\`.
6. Move guests back if they belong there. Then the next node. Some minutes between two nodes show faults that come late.

The node that JARVIS runs on, and the one with the router or DNS: last, and with a person there. While JARVIS's own guest moves or restarts, it cannot watch. It is protected from
power calls for this reason.

With HA, maintenance mode (\`ha-manager crm-command node-maintenance enable NODE\`, a person's command) moves managed guests away and back by itself. JARVIS does not run it.

With Ceph, a person sets noout before the reboot and takes it away afterwards; only one node at a time, and only from HEALTH_OK or that warning alone.

## It does not come back

Wait ten minutes: servers test their memory. Then a person looks at its screen or IPMI; \`wake_node\` helps only if it is off. A new kernel that does not start: the older one is in the boot
menu, and \`proxmox-boot-tool kernel pin\` keeps it. The guests are safe on the other nodes. Do not reboot a second node to help.

If the network is gone after the update, interfaces may have other names: the skill network-change.

## From 8 to 9

A step of its own, never by the way. It takes a plan with the operator, by Proxmox's own guide:

- Every node first on the newest 8.4, with all updates, rebooted.
- \`pve8to9 --full\` on each node, by a person, until it shows no failure; again right before the step.
- Backups of all guests that were proven, and a way in beside the network: names of network cards may change.
- Ceph at 19 (Squid) before, if there is one. The backup server may follow before or after.
- Containers with very old systems (cgroup v1, such as CentOS 7) do not start on 9: they stay on 8 or are made anew.
- VMs move from 8 to 9, not back. So the first node must have room, and there is no return by migration.
- One node after the other; a cluster runs mixed for some days, not for weeks.

## Shut down a node

\`shutdown_node\` for work at the machine. The same looks as above, and: can it be woken (\`wake_node\` needs Wake-on-LAN), who presses the button. Guests that start at boot come back
by themselves, in their order; say which do not.
`
