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

/** A guest as its volumes need it. */
type Owner = Pick<HostGuest, 'type' | 'vmid' | 'node'>

/** @throws Refusal if the storage does not accept disks of this type of guest on its node */
export function storageForDisks(model: Model, { type, node }: Omit<Owner, 'vmid'>, name: string): HostStorage {
  const storage = storageAt(model, name, node)
  if (storage.content.includes(type === 'qemu' ? 'images' : 'rootdir')) return storage
  throw new Refusal(
    500,
    type === 'qemu'
      ? `storage '${name}' does not support content-type 'images'`
      : `storage '${name}' does not support container directories`,
  )
}

/** @throws Refusal if the storage does not have the file */
export function mustExist(model: Model, node: string, volid: string) {
  const [storage = ''] = volid.split(':')
  if (model.media.some((one) => one.volid === volid) && model.host.isActive(storage, node)) return
  throw new Refusal(500, `volume '${volid}' does not exist`)
}

/** Creates volumes for one guest. */
export class GuestVolumes {
  readonly #model: Model
  readonly #guest: Owner
  readonly #taken: Set<string>

  constructor(model: Model, guest: Owner) {
    this.#model = model
    this.#guest = guest
    this.#taken = new Set(volumesOf(model, guest.vmid))
  }

  /** Creates a volume and takes its space. @returns the volume's id @throws Refusal if the storage has too little space */
  make(wanted: { storage: string; bytes: number; format?: string; kind?: string }): string {
    const { bytes, kind = 'disk' } = wanted
    const { type, vmid, node } = this.#guest
    const { name, type: plugin, usedBytes, totalBytes } = storageForDisks(this.#model, this.#guest, wanted.storage)
    const isFile = plugin === 'dir' || plugin === 'nfs' || plugin === 'cifs'
    const format = isFile ? (type === 'lxc' ? 'raw' : (wanted.format ?? 'qcow2')) : ''
    const stem = plugin === 'zfspool' && type === 'lxc' ? 'subvol' : 'vm'
    let volid = ''
    for (let n = 0; volid === '' || this.#taken.has(volid); n += 1) {
      volid = isFile ? `${name}:${vmid}/vm-${vmid}-${kind}-${n}.${format}` : `${name}:${stem}-${vmid}-${kind}-${n}`
    }
    if (usedBytes + bytes > totalBytes) {
      const what = volid.split(':')[1]
      throw new Refusal(
        500,
        plugin === 'zfspool'
          ? `zfs error: cannot create '${name}/${what}': out of space`
          : `unable to create image: '${what}' - No space left on device`,
      )
    }
    this.#model.host.useStorage(name, node, bytes)
    this.#taken.add(volid)
    return volid
  }

  /** Creates a new disk for a value such as `local-zfs:8` (8 GiB). Any other value is returned unchanged. */
  disk(value: string): string {
    const [volid = '', ...rest] = value.split(',')
    const [, storage, size] = /^([^:/]+):(\d+(?:\.\d+)?)$/.exec(volid) ?? []
    if (storage === undefined) {
      if (value.includes('media=cdrom') && volid !== 'none' && volid !== 'cdrom')
        mustExist(this.#model, this.#guest.node, volid)
      return value
    }
    const bytes = (bytesOf(size) ?? 1) * gib
    const format = rest.find((part) => part.startsWith('format='))?.slice(7)
    const kept = rest.filter((part) => !part.startsWith('format='))
    return [this.make({ storage, bytes, format }), ...kept, `size=${sizeOf(bytes)}`].join(',')
  }
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
