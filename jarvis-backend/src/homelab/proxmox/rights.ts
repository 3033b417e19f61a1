import { Permissions } from './answers.ts'
import type { ApiError } from './failure.ts'

/** What the token may do, by path; undefined where the cluster does not say. */
export type Rights = ReadonlyMap<string, ReadonlySet<string>> | undefined

/** A right, and under which path it must hold. `unless`: it is not needed where the token has that one on all storages. */
export type Need = { right: string; base: '/' | '/nodes' | '/vms' | '/storage'; unless?: string }

/** @param data the answer to `/access/permissions` */
export function rightsIn(data: unknown): Rights {
  const parsed = Permissions.safeParse(data)
  if (!parsed.success) return undefined
  return new Map(Object.entries(parsed.data).map(([path, rights]) => [path, new Set(Object.keys(rights))]))
}

/** On all that lies under `base`, on some of it, on none; `unknown` where the cluster does not say. */
export function reachOf(rights: Rights, right: string, base: string): 'all' | 'some' | 'none' | 'unknown' {
  if (rights === undefined) return 'unknown'
  const has = (path: string) => rights.get(path)?.has(right) === true
  if (has('/') || has(base)) return 'all'
  const isBelow = (path: string) => path.startsWith(`${base}/`) || path.startsWith('/pool')
  return [...rights.keys()].some((path) => isBelow(path) && has(path)) ? 'some' : 'none'
}

/** The sentence for a list that came out empty: it says nothing where the token sees all, for then there is nothing. */
export function emptyLine(rights: Rights, what: string, right: string, base: string): string[] {
  if (reachOf(rights, right, base) === 'all') return []
  return [`${what}: none visible to this token (it needs ${right} on ${base})`]
}

/** The sentence for a list that the token sees only a part of. */
export function partLine(rights: Rights, what: string, right: string, base: string): string[] {
  return reachOf(rights, right, base) === 'some'
    ? [`${what}: only those visible to this token (${right} on some of ${base})`]
    : []
}

/** Backups are listed with `Datastore.Allocate`, or with `Datastore.AllocateSpace` and `VM.Backup` on the guest. */
export function mayListBackups(rights: Rights, storage: string): boolean | undefined {
  if (rights === undefined) return undefined
  const on = (right: string, base: string, path: string) =>
    reachOf(rights, right, base) === 'all' || rights.get(path)?.has(right) === true
  const path = `/storage/${storage}`
  if (on('Datastore.Allocate', '/storage', path)) return true
  return on('Datastore.AllocateSpace', '/storage', path) && reachOf(rights, 'VM.Backup', '/vms') !== 'none'
}

export const isForbidden = (error: unknown): boolean => (error as Partial<ApiError>)?.status === 403
