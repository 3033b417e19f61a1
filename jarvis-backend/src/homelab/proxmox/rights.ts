import { Permissions } from './answers.ts'
import type { ApiError } from './failure.ts'

/** The token's rights by path, and whether each propagates to paths below; undefined where the cluster does not tell. */
export type Rights = ReadonlyMap<string, ReadonlyMap<string, boolean>> | undefined

/** A required right and its path. `unless`: a right on all storages that makes it unnecessary. */
export type Need = { right: string; base: '/' | '/nodes' | '/vms' | '/storage'; unless?: string }

/** @param data the answer to `/access/permissions` */
export function rightsIn(data: unknown): Rights {
  const parsed = Permissions.safeParse(data)
  if (!parsed.success) return undefined
  return new Map(Object.entries(parsed.data).map(([path, rights]) => [path, passedOn(rights)]))
}

const passedOn = (rights: Record<string, unknown>) =>
  new Map(Object.entries(rights).map(([right, propagates]) => [right, Number(propagates) === 1]))

/** Whether a right holds on everything under `base`, on some of it or on nothing; `unknown` where the cluster does not tell. */
export function reachOf(rights: Rights, right: string, base: string): 'all' | 'some' | 'none' | 'unknown' {
  if (rights === undefined) return 'unknown'
  const has = (path: string) => rights.get(path)?.has(right) === true
  if (base === '/') return has('/') ? 'all' : 'none'
  const holds = [base, '/'].some((path) => rights.get(path)?.get(right) === true)
  const below = [...rights.keys()].filter((path) => path.startsWith(`${base}/`))
  // Rights granted on a path replace those inherited from above.
  if (holds && below.every(has)) return 'all'
  return holds || below.some(has) || [...rights.keys()].some((path) => path.startsWith('/pool') && has(path))
    ? 'some'
    : 'none'
}

/** A message for an empty list; none where the token sees everything, because there is then nothing to see. */
export function emptyLine(rights: Rights, what: string, right: string, base: string): string[] {
  if (reachOf(rights, right, base) === 'all') return []
  return [`${what}: none visible to this token (it needs ${right} on ${base})`]
}

/** A message for a list of which the token sees only a part. */
export function partLine(rights: Rights, what: string, right: string, base: string): string[] {
  return reachOf(rights, right, base) === 'some'
    ? [`${what}: only those visible to this token (${right} on some of ${base})`]
    : []
}

/** Whether backups of a storage can be listed: with `Datastore.Allocate`, or with `Datastore.AllocateSpace` and `VM.Backup` on the guest. */
export function mayListBackups(rights: Rights, storage: string): boolean | undefined {
  if (rights === undefined) return undefined
  const on = (right: string, base: string, path: string) =>
    reachOf(rights, right, base) === 'all' || rights.get(path)?.has(right) === true
  const path = `/storage/${storage}`
  if (on('Datastore.Allocate', '/storage', path)) return true
  return on('Datastore.AllocateSpace', '/storage', path) && reachOf(rights, 'VM.Backup', '/vms') !== 'none'
}

export const isForbidden = (error: unknown): boolean => (error as Partial<ApiError>)?.status === 403
