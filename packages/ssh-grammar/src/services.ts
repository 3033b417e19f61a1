const named = (why: string, names: string): [string, string][] => names.split(' ').map((name) => [name, why])

const quorum = 'may cost the cluster its quorum'
const fenced = 'may make HA fence the node and restart its guests'
const cutOff = 'may cut the node off from the network'
const cutOffOrOpen = 'may cut the node off, or leave it open'

/** The cost of restarting a service, if it is more than a few seconds of downtime. */
const costs = new Map<string, string>([
  ...named('may cut JARVIS off from the Proxmox API', 'pveproxy pvedaemon spiceproxy pve-api-daemon'),
  ...named(quorum, 'corosync pve-cluster pmxcfs corosync-qdevice corosync-qnetd'),
  ...named(fenced, 'pve-ha-lrm pve-ha-crm watchdog-mux'),
  ...named('may make its watchdog reset the node', 'watchdog wdmd sanlock pacemaker'),
  ...named('stops and starts the guests of the node', 'pve-guests lxc lxc-net lxd incus libvirtd libvirt-guests'),
  ...named('breaks what running containers see of the machine', 'lxcfs'),
  ...named('stops a guest', 'pve-container lxc-start qemu'),
  ...named('may cut JARVIS off from the node', 'ssh sshd dropbear'),
  ...named(
    cutOff,
    'networking network networkmanager ifup ifupdown ifupdown-pre ifupdown2-pre pvenetcommit netplan-wpa wpa_supplicant openvswitch-switch ovs-vswitchd ovsdb-server frr dhcpcd dhclient wg-quick openvpn openvpn-client openvpn-server strongswan ipsec keepalived tailscaled netbird zerotier-one',
  ),
  ...named(
    cutOffOrOpen,
    'pve-firewall proxmox-firewall nftables iptables netfilter-persistent firewalld ufw pvefw-logger fail2ban',
  ),
  ...named(
    'may stall the guests whose disks it serves',
    'iscsi iscsid open-iscsi multipathd multipath-tools nfs nfs-server nfs-kernel-server blk-availability dm-event rbdmap mdmonitor',
  ),
  ...named(
    'may stall the guests whose disks it serves',
    'ceph ceph-mon ceph-osd ceph-mgr ceph-mds glusterd zed zfs-zed zfs-mount zfs-import zfs-import-scan zfs-import-cache drbd linstor-satellite linstor-controller',
  ),
  ...named('stops the containers it runs', 'docker containerd podman kubelet k3s'),
  ...named(
    'touches what the whole node stands on',
    'dbus dbus-broker polkit init udev getty user lvm2-lvmetad lvm2-monitor',
  ),
  ...named('stops JARVIS itself', 'jarvis'),
])

const offByName =
  /^(?:systemd-(?:poweroff|reboot|soft-reboot|halt|kexec|suspend|hibernate|hybrid-sleep|suspend-then-hibernate)|emergency|rescue|initrd-.+|debug-shell|reboot|poweroff|halt|shutdown|ctrl-alt-del)$/

/** Returns the name of a unit's service: `ssh` for `ssh.service`, `ssh.socket` and `ssh@1`. */
export const plainService = (name: string): string =>
  name
    .replace(/\.(?:service|socket|timer|path)$/, '')
    .replace(/@.*/s, '')
    .toLowerCase()

/** Tests if a unit is not a service, or if its start would stop the node. */
export const isNoService = (name: string): boolean =>
  !/^[A-Za-z0-9][\w@.:-]*$/.test(name) ||
  /\.(?:target|mount|automount|slice|scope|swap|device|snapshot)$/.test(name) ||
  offByName.test(plainService(name))

/** Returns the cost of a restart beyond the service's downtime, such as `may cost the cluster its quorum`; undefined: none is known. */
export function restartCost(name: string): string | undefined {
  const plain = plainService(name)
  const known = costs.get(plain)
  if (known !== undefined) return known
  if (plain.startsWith('pve-ha-')) return fenced
  // Some systemd services are also known by a dbus-org name.
  return /^(?:systemd-|dbus-org\.)/.test(plain) ? 'touches what the whole node stands on' : undefined
}

/** Tests if a restart may cost the node its vote in the cluster's quorum. */
export const takesVote = (name: string): boolean =>
  [quorum, fenced, cutOff, cutOffOrOpen].includes(restartCost(name) ?? '')

/** Returns the vmid of a guest's unit: 104 for `pve-container@104`; undefined for other units. */
export function guestOfUnit(name: string): number | undefined {
  const [, vmid] = /^(?:pve-container(?:-debug)?|lxc|qemu|vm|kvm)@(\d{3,9})(?:\.service)?$/i.exec(name) ?? []
  return vmid === undefined ? undefined : Number(vmid)
}
