import type { PveAsk, PveReader } from 'homelab-ports/ports'
import { guestPath, type Place } from '../pve/guest.ts'

/** A guest's configuration, with Proxmox's keys. Secret values are redacted. */
export type GuestConfig = {
  /** The digest of the whole configuration file, including snapshots and lock. */
  digest: string
  lock: string | undefined
  isTemplate: boolean
  /** The values that the guest runs with now. */
  values: Readonly<Record<string, string>>
  /** Changes that apply once the guest is stopped; `undefined`: the key is removed. */
  pending: ReadonlyMap<string, string | undefined>
}

/** @throws ApiError */
export async function readConfig(api: PveReader, place: Place, ask: PveAsk): Promise<GuestConfig> {
  const path = guestPath(place)
  const { digest, lock, ...rest } = record(await api.get([...path, 'config'], { current: '1' }, ask))
  // The values are read after the digest. If the configuration changes between the two reads, a change with the older digest is refused.
  const rows = await api.get([...path, 'pending'], {}, ask)
  const pending = (Array.isArray(rows) ? rows : []).flatMap((row): [string, string | undefined][] => {
    const { key, pending: next, delete: goes } = record(row)
    if (key === undefined) return []
    if (next !== undefined) return [[key, next]]
    return goes === undefined || goes === '0' ? [] : [[key, undefined]]
  })
  const isTemplate = rest.template === '1'
  return { digest: digest ?? '', lock, isTemplate, values: rest, pending: new Map(pending) }
}

/** Returns the value of a key once all pending changes have applied. */
export const configured = ({ values, pending }: GuestConfig, key: string): string | undefined =>
  pending.has(key) ? pending.get(key) : values[key]

/** A disk as the configuration describes it. `storage`: undefined if the disk is on no storage but is a device or a folder of the node. */
export type Volume = { key: string; id: string; storage: string | undefined; sizeBytes: number | undefined }

const diskKey = /^(?:(?:scsi|virtio|sata|ide|mp)\d+|rootfs|efidisk0|tpmstate0)$/

/** Returns the disks of a guest, without CD drives. */
export function volumesOf(values: Readonly<Record<string, string>>): Volume[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const [id = '', ...options] = value.split(',')
    if (!diskKey.test(key) || options.includes('media=cdrom') || id === 'none') return []
    const size = options.find((option) => option.startsWith('size='))?.slice(5)
    return [
      { key, id, storage: /^([\w.-]+):/.exec(id)?.[1], sizeBytes: size === undefined ? undefined : bytesOf(size) },
    ]
  })
}

const units = ['', 'K', 'M', 'G', 'T']
/** Converts a size such as `32G` to bytes; undefined if the text is not a size. */
function bytesOf(size: string): number | undefined {
  const [, figure, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(size) ?? []
  return figure === undefined ? undefined : Number(figure) * 1024 ** units.indexOf(unit)
}

/** Returns the total size of the disks, bytes; undefined if the size of any disk is unknown. */
export const sizeOf = (volumes: readonly Volume[]): number | undefined =>
  volumes.reduce<number | undefined>(
    (sum, { sizeBytes }) => (sum === undefined || sizeBytes === undefined ? undefined : sum + sizeBytes),
    0,
  )

/** Converts the fields of an answer to texts, because Proxmox sends `4`, `"4"` or `true` for the same field. Other values are left out. */
export function record(answer: unknown): Record<string, string> {
  if (typeof answer !== 'object' || answer === null) return {}
  return Object.fromEntries(
    Object.entries(answer).flatMap(([key, value]) =>
      value === null || value === undefined
        ? []
        : [
            [
              key,
              typeof value === 'boolean'
                ? value
                  ? '1'
                  : '0'
                : typeof value === 'object'
                  ? JSON.stringify(value)
                  : String(value),
            ],
          ],
    ),
  )
}
