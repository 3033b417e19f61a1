import { createHash } from 'node:crypto'
import type { HostGuest, PveHost } from '../host.ts'
import { usualConfig } from './usual-config.ts'

/** A configuration file of Proxmox: its keys and values in the file's order. */
export type Config = Record<string, string>

export type Snapshot = {
  name: string
  description: string
  /** Unix seconds. */
  snaptime: number
  parent: string | undefined
  /** The volume with the saved memory, and its size. Undefined: the snapshot has no memory. */
  vmstate: string | undefined
  vmstateBytes: number
  config: Config
}

export type GuestFile = {
  /** All keys except `name`, `hostname`, `tags`, `lock` and `template`, which the host keeps. */
  config: Config
  /** The values that a running guest takes over at its next start. `undefined`: the key will be removed. */
  pending: Map<string, string | undefined>
  /** The start of the run during which the pending values were set, Unix ms. */
  pendingSince: number
  /** Oldest first. */
  snapshots: Snapshot[]
  /** The snapshot on which the present state is based. */
  parent: string | undefined
}

export type Seed = { config: Config; snapshots?: Snapshot[]; parent?: string }

export const newFile = ({ config, snapshots = [], parent }: Seed): GuestFile => ({
  config,
  snapshots,
  parent,
  pending: new Map(),
  pendingSince: 0,
})

/** The configuration files of guests. */
export interface GuestFiles {
  of(guest: HostGuest): GuestFile
  /** Returns the text of a guest's file. */
  textOf(guest: HostGuest): string
  set(vmid: number, file: GuestFile): void
  remove(vmid: number): void
  /** SHA-1 of the file, including its snapshots and its lock. */
  digestOf(guest: HostGuest): string
}

/** The configuration files under `/etc/pve`. @param seeds files of guests at the start; other guests get the usual configuration */
export function createGuestFiles(host: PveHost, seeds: ReadonlyMap<number, Seed>): GuestFiles {
  const files = new Map([...seeds].map(([vmid, seed]) => [vmid, newFile(seed)]))

  function of(guest: HostGuest): GuestFile {
    const known = files.get(guest.vmid) ?? newFile({ config: usualConfig(guest) })
    files.set(guest.vmid, known)
    if (known.pending.size > 0 && (guest.status === 'stopped' || guest.startedAt !== known.pendingSince)) {
      takeOver(known)
      const { cores, memory } = known.config
      if (cores !== undefined) host.changeGuest(guest.vmid, { cpuCount: Number(cores) })
      if (memory !== undefined) host.changeGuest(guest.vmid, { ramBytes: Number(memory) * 1024 ** 2 })
    }
    return known
  }

  function textOf(guest: HostGuest): string {
    const file = of(guest)
    const pending = [...file.pending].map(([key, value]) =>
      value === undefined ? `delete: ${key}\n` : `${key}: ${value}\n`,
    )
    const parts = [linesOf(fullConfig(guest, file)), pending.length === 0 ? '' : `[PENDING]\n${pending.join('')}`]
    for (const { name, parent, vmstate, snaptime, description, config } of file.snapshots) {
      const more = { ...(parent && { parent }), ...(vmstate && { vmstate }), snaptime: String(snaptime) }
      parts.push(`[${name}]\n#${description}\n${linesOf({ ...config, ...more })}`)
    }
    return parts.join('\n')
  }

  return {
    of,
    textOf,
    set: (vmid, file) => void files.set(vmid, file),
    remove: (vmid) => void files.delete(vmid),
    digestOf: (guest) => createHash('sha1').update(textOf(guest)).digest('hex'),
  }
}

function takeOver(file: GuestFile) {
  for (const [key, value] of file.pending) {
    if (value === undefined) delete file.config[key]
    else file.config[key] = value
  }
  file.pending.clear()
}

export const linesOf = (config: Config) =>
  Object.entries(config)
    .map(([key, value]) => `${key}: ${value.replaceAll('\n', '%0A')}\n`)
    .join('')

/** Returns the first section of the file: the keys that the model stores and the keys that the host stores. */
export function fullConfig(guest: HostGuest, { config, parent }: Pick<GuestFile, 'config' | 'parent'>): Config {
  return {
    ...config,
    [nameKey(guest.type)]: guest.name,
    ...(guest.tags.length > 0 && { tags: guest.tags.join(';') }),
    ...(guest.lock !== undefined && { lock: guest.lock }),
    ...(guest.isTemplate && { template: '1' }),
    ...(parent !== undefined && { parent }),
  }
}

export const nameKey = (type: HostGuest['type']) => (type === 'qemu' ? 'name' : 'hostname')
