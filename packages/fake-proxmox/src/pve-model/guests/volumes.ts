import type { HostGuest, HostStorage, PveType } from '../host.ts'
import type { Model } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { type Config, fullConfig } from './files.ts'
import { isDiskKey } from './keys.ts'

const unit: Record<string, number> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 }
const gib = 1024 ** 3

/** Parses a size such as `32G` into bytes; undefined for any other text. */
export function bytesOf(size: string | undefined): number | undefined {
  const [, number = '', letter = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(size ?? '') ?? []
  return number === '' ? undefined : Number(number) * (unit[letter] ?? 1)
}
export const sizeOf = (bytes: number) => (bytes % gib === 0 ? `${bytes / gib}G` : `${Math.ceil(bytes / 1024 ** 2)}M`)

export type Disk = { key: string; value: string; volid: string; storage: string; bytes: number }

/** Returns the disks of a configuration that are on storages, without CDs and bind mounts. `withUnused`: also `unusedN`. */
export function disksIn(type: PveType, config: Config, withUnused = false): Disk[] {
  return Object.entries(config).flatMap(([key, value]) => {
    if (!isDiskKey(type, key) && !(withUnused && /^unused\d+$/.test(key))) return []
    const [volid = ''] = value.split(',')
    if (volid === 'none' || volid.startsWith('/') || value.includes('media=cdrom')) return []
    const size = /(?:^|,)size=([^,]+)/.exec(value)?.[1]
    return [{ key, value, volid, storage: volid.split(':')[0] ?? '', bytes: bytesOf(size) ?? gib }]
  })
}

export const bindMountsIn = (config: Config): string[] =>
  Object.entries(config).flatMap(([key, value]) => (/^mp\d+$/.test(key) && value.startsWith('/') ? [key] : []))

/** @throws Refusal if the node does not have the storage, or cannot read it now */
export function storageAt({ host }: Model, name: string, node: string): HostStorage {
  const named = host.storages().filter((storage) => storage.name === name)
  if (named.length === 0) throw new Refusal(500, `storage '${name}' does not exist`)
  const found = named.find(({ nodes }) => nodes?.includes(node) ?? true)
  if (found === undefined) throw new Refusal(500, `storage '${name}' is not available on node '${node}'`)
  if (!host.isActive(name, node)) throw new Refusal(500, `storage '${name}' is not online`)
  return found
}

/** @throws Refusal if the storage does not accept disks of this type of guest */
export function storageForDisks(model: Model, type: PveType, name: string, node: string): HostStorage {
  const storage = storageAt(model, name, node)
  if (storage.content.includes(type === 'qemu' ? 'images' : 'rootdir')) return storage
  throw new Refusal(
    500,
    type === 'qemu'
      ? `storage '${name}' does not support content-type 'images'`
      : `storage '${name}' does not support container directories`,
  )
}

/** Creates a volume and takes its space. @returns the volume's id @throws Refusal if the storage has too little space */
export function makeVolume(
  model: Model,
  { type, vmid, node }: Pick<HostGuest, 'type' | 'vmid' | 'node'>,
  at: { storage: string; bytes: number; format?: string; taken?: ReadonlySet<string>; kind?: string },
): string {
  const { name, type: plugin, usedBytes, totalBytes } = storageForDisks(model, type, at.storage, node)
  const kind = at.kind ?? 'disk'
  const isFile = plugin === 'dir' || plugin === 'nfs' || plugin === 'cifs'
  const format = isFile ? (type === 'lxc' ? 'raw' : (at.format ?? 'qcow2')) : ''
  const stem = plugin === 'zfspool' && type === 'lxc' ? 'subvol' : 'vm'
  const taken = at.taken ?? new Set(volumesOf(model, vmid))
  let volid = ''
  for (let n = 0; volid === '' || taken.has(volid); n += 1) {
    volid = isFile ? `${name}:${vmid}/vm-${vmid}-${kind}-${n}.${format}` : `${name}:${stem}-${vmid}-${kind}-${n}`
  }
  if (usedBytes + at.bytes > totalBytes) {
    const what = volid.split(':')[1]
    throw new Refusal(
      500,
      plugin === 'zfspool'
        ? `zfs error: cannot create '${name}/${what}': out of space`
        : `unable to create image: '${what}' - No space left on device`,
    )
  }
  model.host.useStorage(name, node, at.bytes)
  return volid
}

export function freeVolumes({ host }: Model, node: string, disks: readonly Pick<Disk, 'storage' | 'bytes'>[]) {
  for (const { storage, bytes } of disks) host.useStorage(storage, node, -bytes)
}

/** All volumes that a guest's file names, including the saved memory of snapshots. */
export function volumesOf(model: Model, vmid: number): string[] {
  const guest = model.host.guest(vmid)
  if (guest === undefined) return []
  const file = model.files.of(guest)
  const memory = file.snapshots.flatMap(({ vmstate }) => vmstate ?? [])
  return [...disksIn(guest.type, fullConfig(guest, file), true).map(({ volid }) => volid), ...memory]
}
