import type { PveAsk, PveReader } from '../ports.ts'
import { guestPath, type Place } from '../pve/guest.ts'

/** A guest's configuration, keys as Proxmox names them. What a secret stood in is redacted. */
export type GuestConfig = {
  /** Of the file, its snapshots and its lock included. */
  digest: string
  lock: string | undefined
  isTemplate: boolean
  /** What the guest runs with now. */
  values: Readonly<Record<string, string>>
  /** What waits until it is stopped; `undefined`: the key goes. */
  pending: ReadonlyMap<string, string | undefined>
}

/** @throws ApiError */
export async function readConfig(api: PveReader, place: Place, ask: PveAsk): Promise<GuestConfig> {
  const path = guestPath(place)
  const { digest, lock, ...rest } = record(await api.get([...path, 'config'], { current: '1' }, ask))
  // Read after the digest, so that a change between the two is refused.
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

/** What a key will be once nothing waits any more. */
export const configured = ({ values, pending }: GuestConfig, key: string): string | undefined =>
  pending.has(key) ? pending.get(key) : values[key]

/** A disk as its configuration says it. `storage` is undefined where it lies on none: a device or a folder of the node. */
export type Volume = { key: string; id: string; storage: string | undefined; sizeBytes: number | undefined }

const diskKey = /^(?:(?:scsi|virtio|sata|ide|mp)\d+|rootfs|efidisk0|tpmstate0)$/

/** The disks of a guest, without drives for CDs. */
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
/** `32G` in bytes. */
function bytesOf(size: string): number | undefined {
  const [, figure, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(size) ?? []
  return figure === undefined ? undefined : Number(figure) * 1024 ** units.indexOf(unit)
}

/** Of the disks together; undefined where one does not say its size. */
export const sizeOf = (volumes: readonly Volume[]): number | undefined =>
  volumes.reduce<number | undefined>(
    (sum, { sizeBytes }) => (sum === undefined || sizeBytes === undefined ? undefined : sum + sizeBytes),
    0,
  )

/** An answer's fields as texts, whatever Proxmox makes of them: `4`, `"4"`, `true`. */
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
