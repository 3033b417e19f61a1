export const networkChange = `---
name: network-change
description: Change the network of a Proxmox node or guest with care - addresses, bridges, VLANs, bonds, MTU, gateway, firewall - and find faults in it. Use before any change that could cut a node off, and when something cannot be reached.
license: MIT
compatibility: Proxmox VE 8 and 9 with ifupdown2
metadata:
  author: JARVIS
---
# Change the network with care

A wrong network change cuts off those who could mend it, JARVIS too. So: know the way back before the way there, one change at a time, and a time after which
it goes back by itself.

## Before

1. \`get_cluster_status\`: all nodes there, quorum. Never change the network of a node while another one is away: the cluster may lose quorum, and with HA nodes
   restart themselves.
2. \`get_node_network\` of the node. Changes that are staged there by somebody else: stop, and ask whose they are.
3. \`get_ha_state\`, \`get_recent_tasks\`: no migration, no backup, no replication over that interface now.
4. \`execute_ssh\`: \`ip -br addr\`, \`ip -br link\`, \`ip route\`, \`bridge vlan show\`. What is configured and what is in force may differ.
5. By which address are you connected? The interface with the default route or the management address is the dangerous one. Corosync's addresses are in
   \`pvecm status\`. If corosync has one link alone and it runs over this interface, the node leaves the cluster while it reloads.
6. Is there another way in: console, IPMI, a screen and a keyboard, a second link? Say it in one sentence before the card comes.

Interfaces got other names after some upgrades (eno1 to enp3s0f0). PVE 9 can pin names to nicN. Take the names as they are now, never from memory.

## A node

\`set_node_network\` changes keys of one interface that is there: cidr, gateway, mtu, bridge_ports, bridge_vlan_aware, comments. Give \`expect\` with the values that
you read, so that it refuses if somebody changed them since. It asks a person. Advise them to approve it so that it goes back by itself after some minutes: then a timer
on the node itself puts the old file back, also if nobody reaches it any more. They press Keep when all is well.

- One gateway per node. A second default route makes replies take the wrong way.
- The management address moves: the new address must also stand in /etc/hosts of the node, and for a cluster in corosync's configuration. Both are a person's work,
  with a plan; do not begin it from a chat.
- A bridge over a bond, a VLAN below a bridge: order matters. What is not there cannot be changed by JARVIS: new interfaces are a person's work.
- MTU: every device of a path must carry it: card, bond, bridge, VLAN, guest, switch. Test with \`ping -M do -s 8972 -c 3 ADDRESS\` for 9000, and
  \`-s 1472\` for 1500. If small packets pass and large ones do not, it is the MTU.
- VLAN-aware bridge: turning it on reloads the bridge, and guests lose the network for a moment. The tag stands then at each guest's card.
- Bonds: 802.3ad needs the same at the switch. If one side alone is changed, the link is down.

Several nodes: one after the other, and look after each. Never two at once.

After: \`get_cluster_status\` (all there, quorum), \`get_node_network\`, a read through each changed way, shared storage by \`get_storage\`, a guest that answers. Then tell
the operator that it can be kept, or what is wrong.

## A guest

\`get_guest_config\` first. A card reads like net0: virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=1,tag=20. \`set_guest_config\` replaces the whole value: keep MAC, bridge,
firewall, tag and rate, and change the one part. A new MAC is a new machine for DHCP, and for licences.

- It has an address and cannot be reached: wrong tag, firewall=1 with rules that drop (\`get_firewall\` with the vmid), link_down=1, the same address twice.
- Two guests with one address: often a clone or a restored copy that was started beside its original.
- Guest changes of the network never go back by themselves. Say the old value, so that it can be set again; \`undo\` does it.

## Firewall

\`get_firewall\` shows the cluster's, a node's and a guest's rules, and whether they are in force. Rules count only if the firewall is on at the cluster, and for a guest also at
the guest and at its card. On for the cluster means that input to nodes is dropped but for what is allowed: management by 8006 and 22 from the local network is let
through by default, from elsewhere not. Before it is turned on, a rule that lets the operator in must stand there. JARVIS reads the firewall; a person changes it.

## When a node is gone already

Do not try the same change again. \`get_cluster_status\` for who is left. If it was approved to go back by itself, wait until its time and say which time that is. If not: the console
of the node, and there the copy /etc/network/interfaces as it was. Do not lower the expected votes of the quorum to go on, and do not restart nodes that still work.
`
