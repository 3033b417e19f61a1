import { createHash } from 'node:crypto'
import type { HostGuest } from '../host.ts'

/** A configuration as Proxmox keeps it: what stands in the file, in its order. */
export type Config = Record<string, string>

export type Snapshot = {
  name: string
  description: string
  /** Unix seconds. */
  snaptime: number
  parent: string | undefined
  /** The volume with the memory, where that was kept. */
  vmstate: string | undefined
  config: Config
}

export type GuestFile = {
  /** All but `name`, `hostname`, `tags`, `lock` and `template`, which the host keeps. */
  config: Config
  /** What a running VM takes over when it stops; `undefined` where a key is to go. */
  pending: Map<string, string | undefined>
  /** Oldest first. */
  snapshots: Snapshot[]
  /** The snapshot that the guest has gone on from. */
  parent: string | undefined
}

export type GuestFiles = ReturnType<typeof createGuestFiles>

/** The configuration files under `/etc/pve`. A guest that has none gets one, plausible for what the host says of it. */
export function createGuestFiles() {
  const files = new Map<number, GuestFile>()
  const noise = new Map<number, number>()
  return {
    of(guest: HostGuest): GuestFile {
      const known = files.get(guest.vmid)
      if (known !== undefined) return known
      const made: GuestFile = { config: usualConfig(guest), pending: new Map(), snapshots: [], parent: undefined }
      files.set(guest.vmid, made)
      return made
    },
    set: (vmid: number, file: GuestFile) => void files.set(vmid, file),
    remove: (vmid: number) => void files.delete(vmid),
    /** The file's text, as far as anything depends on it. */
    textOf(guest: HostGuest): string {
      const file = this.of(guest)
      const lines = (config: Config) => Object.entries(config).map(([key, value]) => `${key}: ${value}\n`)
      const pending = [...file.pending].map(([key, value]) =>
        value === undefined ? `delete: ${key}\n` : `${key}: ${value}\n`,
      )
      const sections = file.snapshots.map(({ name, parent, vmstate, snaptime, config }) =>
        [
          `[${name}]\n`,
          ...lines({ ...config, parent: parent ?? '', vmstate: vmstate ?? '', snaptime: `${snaptime}` }),
        ].join(''),
      )
      const parts = [
        lines(fullConfig(guest, file)).join(''),
        pending.length === 0 ? '' : `[PENDING]\n${pending.join('')}`,
      ]
      return [...parts, ...sections, `${noise.get(guest.vmid) ?? ''}`].join('\n')
    },
    /** SHA-1 of the file, its snapshots and its lock included. */
    digestOf(guest: HostGuest): string {
      return createHash('sha1').update(this.textOf(guest)).digest('hex')
    },
  }
}

/** What stands in the file's first part: the model's and the host's. */
export function fullConfig(guest: HostGuest, { config, parent }: Pick<GuestFile, 'config' | 'parent'>): Config {
  return {
    ...config,
    [guest.type === 'qemu' ? 'name' : 'hostname']: guest.name,
    ...(guest.tags.length > 0 && { tags: guest.tags.join(';') }),
    ...(guest.lock !== undefined && { lock: guest.lock }),
    ...(guest.isTemplate && { template: '1' }),
    ...(parent !== undefined && { parent }),
  }
}

const gib = 1024 ** 3

function usualConfig({ vmid, type, cpuCount, ramBytes, diskBytes }: HostGuest): Config {
  const hex = vmid.toString(16).padStart(6, '0').toUpperCase()
  const mac = `BC:24:11:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`
  const memory = String(Math.round(ramBytes / 1024 ** 2))
  const size = `${Math.max(1, Math.round(diskBytes / gib))}G`
  if (type === 'lxc') {
    const net0 = `name=eth0,bridge=vmbr0,hwaddr=${mac},ip=dhcp,type=veth`
    return {
      arch: 'amd64',
      cores: `${cpuCount}`,
      memory,
      net0,
      ostype: 'debian',
      rootfs: `local-zfs:subvol-${vmid}-disk-0,size=${size}`,
      swap: '512',
      unprivileged: '1',
    }
  }
  const net0 = `virtio=${mac},bridge=vmbr0,firewall=1`
  const scsi0 = `local-zfs:vm-${vmid}-disk-0,size=${size}`
  return {
    agent: '1',
    boot: 'order=scsi0',
    cores: `${cpuCount}`,
    cpu: 'host',
    memory,
    net0,
    onboot: '1',
    ostype: 'l26',
    scsi0,
    scsihw: 'virtio-scsi-single',
    sockets: '1',
  }
}
