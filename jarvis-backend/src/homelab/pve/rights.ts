import type { ApiError } from 'homelab-ports/failure'
import type { PveReader } from 'homelab-ports/ports'
import { Permissions } from './answers.ts'

/** The token's rights by path. The inner value tells if the right propagates to paths below; undefined if the cluster does not report rights. */
export type Rights = ReadonlyMap<string, ReadonlyMap<string, boolean>> | undefined

/** The path above all bridges that are configured on the nodes themselves. */
export const bridgePath = '/sdn/zones/localnetwork'

/**
 * A required right and its path. `unless`: another right that makes this one unnecessary, on all storages, or if `shows` is given, on the same path.
 * `shows`: the part that Proxmox leaves out of its answer without the right, although the request itself succeeds.
 */
export type Need = {
  right: string
  base: '/' | '/nodes' | '/vms' | '/storage' | '/pool' | typeof bridgePath
  unless?: string
  shows?: string
}

/** @param data the answer to `/access/permissions` */
export function rightsIn(data: unknown): Rights {
  const parsed = Permissions.safeParse(data)
  if (!parsed.success) return undefined
  return new Map(Object.entries(parsed.data).map(([path, rights]) => [path, passedOn(rights)]))
}

const passedOn = (rights: Record<string, unknown>) =>
  new Map(Object.entries(rights).map(([right, propagates]) => [right, Number(propagates) === 1]))

/** Tells if a right holds on everything under `base`, on a part of it, or on nothing; `unknown` if the cluster does not report rights. */
export function reachOf(rights: Rights, right: string, base: string): Reach {
  if (rights === undefined) return 'unknown'
  const has = (path: string) => rights.get(path)?.has(right) === true
  if (base === '/') return has('/') ? 'all' : 'none'
  // Rights granted on a path replace those inherited from above.
  const [nearest] = above(base).filter((path) => rights.has(path))
  const holds = nearest !== undefined && rights.get(nearest)?.get(right) === true
  const below = [...rights.keys()].filter((path) => path.startsWith(`${base}/`))
  if (holds && below.every(has)) return 'all'
  return holds || below.some(has) || [...rights.keys()].some((path) => path.startsWith('/pool') && has(path))
    ? 'some'
    : 'none'
}
export type Reach = 'all' | 'some' | 'none' | 'unknown'

/** Returns a path and the paths above it, the nearest first. */
function above(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.map((_, i) => `/${parts.slice(0, parts.length - i).join('/')}`).concat('/')
}

/** Lists that Proxmox silently limits to the items that the token may see. `rights`: each of them alone is enough to see an item. */
export const shownBy = {
  guests: { rights: ['VM.Audit'], base: '/vms' },
  storages: { rights: ['Datastore.Audit', 'Datastore.AllocateSpace'], base: '/storage' },
  tasks: { rights: ['Sys.Audit'], base: '/nodes' },
  bridges: { rights: ['SDN.Audit', 'SDN.Use'], base: bridgePath },
  disks: { rights: ['VM.Config.Disk', 'Datastore.Allocate'], base: '/vms' },
  pools: { rights: ['Pool.Audit'], base: '/pool' },
} as const
export type Shown = keyof typeof shownBy

/** Tells how much of a list the token sees. @param base a path below the list's own, to ask about one item. Default: all items */
export function sightOf(rights: Rights, what: Shown, base: string = shownBy[what].base): Reach {
  const reaches = shownBy[what].rights.map((right) =>
    reachOf(rights, right, right === 'Datastore.Allocate' ? '/storage' : base),
  )
  return (['all', 'unknown', 'some'] as const).find((reach) => reaches.includes(reach)) ?? 'none'
}

/** Returns why a list may lack items, in words; undefined if the token's rights prove that it sees all items. */
export function hiddenWhy(rights: Rights, what: Shown): string | undefined {
  const reach = sightOf(rights, what)
  if (reach === 'all') return undefined
  const { rights: needs, base } = shownBy[what]
  const why = {
    some: `it has ${needs.join(' or ')} on some of ${base}`,
    none: `it lacks ${needs.join(' and ')} on ${base}`,
    unknown: 'Proxmox does not tell its rights',
  }[reach]
  return `the list goes only as far as this token sees (${why})`
}

/** Returns the reason of `hiddenWhy` as a line for the list of unread parts; empty if the token sees all items. */
export function hiddenLine(rights: Rights, what: Shown): string[] {
  const why = hiddenWhy(rights, what)
  return why === undefined ? [] : [`${what} beyond those listed: ${why}`]
}

/** Reads the token's rights. @returns undefined if Proxmox does not report them @throws the signal's reason */
export async function readRights(api: PveReader, signal: AbortSignal): Promise<Rights> {
  try {
    return rightsIn(await api.get(['access', 'permissions'], {}, { signal }))
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/** A message for an empty list; no message if the token sees everything, because the list is then truly empty. */
export function emptyLine(rights: Rights, what: string, { right, base }: { right: string; base: string }): string[] {
  if (reachOf(rights, right, base) === 'all') return []
  return [`${what}: none visible to this token (it needs ${right} on ${base})`]
}

/**
 * Tells how many of a storage's backups are listed: with `Datastore.Allocate` all, with `Datastore.AllocateSpace` only those of guests for which the
 * token has `VM.Backup`. @param vmid the guest whose backups are asked for; absent: all guests
 */
export function backupSight(rights: Rights, storage: string, vmid?: number): Reach {
  if (rights === undefined) return 'unknown'
  const at = (right: string) => {
    const [nearest] = above(`/storage/${storage}`).filter((path) => rights.has(path))
    return nearest !== undefined && rights.get(nearest)?.has(right) === true
  }
  if (at('Datastore.Allocate')) return 'all'
  return at('Datastore.AllocateSpace')
    ? reachOf(rights, 'VM.Backup', vmid === undefined ? '/vms' : `/vms/${vmid}`)
    : 'none'
}

export const isForbidden = (error: unknown): boolean => (error as Partial<ApiError>)?.status === 403
