import { Permissions } from './answers.ts'
import type { ApiError } from './failure.ts'

/** What the token may do, by path, and whether it holds for what lies below too; undefined where the cluster does not say. */
export type Rights = ReadonlyMap<string, ReadonlyMap<string, boolean>> | undefined

/** A right, and under which path it must hold. `unless`: it is not needed where the token has that one on all storages. */
export type Need = { right: string; base: '/' | '/nodes' | '/vms' | '/storage'; unless?: string }

/** @param data the answer to `/access/permissions` */
export function rightsIn(data: unknown): Rights {
  const parsed = Permissions.safeParse(data)
  if (!parsed.success) return undefined
  return new Map(Object.entries(parsed.data).map(([path, rights]) => [path, passedOn(rights)]))
}

const passedOn = (rights: Record<string, unknown>) =>
  new Map(Object.entries(rights).map(([right, propagates]) => [right, Number(propagates) === 1]))

/** On all that lies under `base`, on some of it, on none; `unknown` where the cluster does not say. */
export function reachOf(rights: Rights, right: string, base: string): 'all' | 'some' | 'none' | 'unknown' {
  if (rights === undefined) return 'unknown'
  const has = (path: string) => rights.get(path)?.has(right) === true
  if (base === '/') return has('/') ? 'all' : 'none'
  const holds = [base, '/'].some((path) => rights.get(path)?.get(right) === true)
  const below = [...rights.keys()].filter((path) => path.startsWith(`${base}/`))
  // What is granted on a path takes the place of what would come down to it.
  if (holds && below.every(has)) return 'all'
  return holds || below.some(has) || [...rights.keys()].some((path) => path.startsWith('/pool') && has(path))
    ? 'some'
    : 'none'
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
