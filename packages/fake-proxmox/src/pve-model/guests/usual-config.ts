import { createHash } from 'node:crypto'
import type { HostGuest } from '../host.ts'

const gib = 1024 ** 3

/** Returns a MAC address in Proxmox's own range; the same for the same number. */
export function macOf(number: number): string {
  const hex = (number % 2 ** 24).toString(16).padStart(6, '0').toUpperCase()
  return `BC:24:11:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`
}

/** Approximate creation time of the first guests, Unix seconds. */
const firstMadeS = 1_700_000_000

/** Returns a UUID; the same for the same text. */
export function uuidOf(text: string): string {
  const hex = createHash('sha1').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** The configuration of a guest for which only the host's figures are known: one disk and one network card. */
export function usualConfig(
  {
    vmid,
    type,
    cpuCount,
    ramBytes,
    diskBytes,
  }: Pick<HostGuest, 'vmid' | 'type' | 'cpuCount' | 'ramBytes' | 'diskBytes'>,
  storage = 'local-zfs',
): Record<string, string> {
  const memory = String(Math.round(ramBytes / 1024 ** 2))
  const size = `${Math.max(1, Math.round(diskBytes / gib))}G`
  if (type === 'lxc') {
    return {
      arch: 'amd64',
      cores: String(cpuCount),
      memory,
      net0: `name=eth0,bridge=vmbr0,hwaddr=${macOf(vmid)},ip=dhcp,type=veth`,
      onboot: '1',
      ostype: 'debian',
      rootfs: `${storage}:subvol-${vmid}-disk-0,size=${size}`,
      swap: '512',
      unprivileged: '1',
    }
  }
  return {
    agent: '1',
    boot: 'order=scsi0',
    cores: String(cpuCount),
    cpu: 'host',
    memory,
    meta: `creation-qemu=9.2.0,ctime=${firstMadeS + vmid}`,
    net0: `virtio=${macOf(vmid)},bridge=vmbr0,firewall=1`,
    onboot: '1',
    ostype: 'l26',
    scsi0: `${storage}:vm-${vmid}-disk-0,size=${size}`,
    scsihw: 'virtio-scsi-single',
    smbios1: `uuid=${uuidOf(`first ${vmid}`)}`,
    sockets: '1',
  }
}
