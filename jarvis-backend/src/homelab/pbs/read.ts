import type { PbsApi } from 'homelab-ports/ports'
import { present } from 'node-kit/present'
import { z } from 'zod'
import { figure, flag, rowsOf, words } from '../pve/answers.ts'
import { isForbidden } from '../pve/rights.ts'

const StoreRow = z.object({ store: z.string().min(1), comment: words, maintenance: words })
const UsageRow = z.object({
  store: z.string(),
  total: figure,
  used: figure,
  avail: figure,
  'estimated-full-date': figure,
  error: words,
})
const JobRow = z.object({
  id: words,
  store: z.string(),
  ns: words,
  schedule: words,
  disable: flag,
  'last-run-state': words,
  'last-run-endtime': figure,
  'next-run': figure,
  'removed-bytes': figure,
  'pending-bytes': figure,
  'still-bad': figure,
})
const NamespaceRow = z.object({ ns: z.string() })
const SnapshotRow = z.object({
  'backup-type': z.string(),
  'backup-id': z.string(),
  'backup-time': z.coerce.number(),
  size: figure,
  protected: flag,
  owner: words,
  comment: words,
  verification: z.object({ state: words }).optional().catch(undefined),
})

/** A datastore of a backup server. Times are Unix ms. A field is absent if the server does not report it. */
export type Datastore = {
  name: string
  totalBytes?: number
  usedBytes?: number
  /** When the datastore is full if it grows as in the last month, Unix ms; null: it does not fill. Absent: too few figures. */
  fullAt?: number | null
  maintenance?: string
  error?: string
}
export type PbsJob = {
  kind: 'verify' | 'gc' | 'prune' | 'sync'
  /** The job's id; for garbage collection the datastore's name. */
  id: string
  store: string
  schedule?: string
  isDisabled: boolean
  /** `OK`, `running`, or the error of the last run; null: no run is known. */
  lastState: string | null
  lastAt?: number
  nextAt?: number
  /** For garbage collection: bytes that a later run will remove. `badChunks`: chunks that are still broken. */
  pendingBytes?: number
  badChunks?: number
}
export type PbsSnapshot = {
  store: string
  namespace?: string
  type: string
  id: string
  at: number
  sizeBytes?: number
  /** `none`: no verification is reported by the server. */
  verification: 'ok' | 'failed' | 'none'
  isProtected: boolean
  owner?: string
  notes?: string
}

type Ask = { signal: AbortSignal }
const empty = (what: string) => `${what}: none visible to this token (it needs DatastoreAudit on /datastore)`
const whyUnread = (error: unknown) =>
  isForbidden(error)
    ? 'not visible to this token (it needs DatastoreAudit on /datastore)'
    : `cannot be read: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, '')}`

/**
 * Reads the datastores with their use. An empty list can mean missing rights as well as a server without datastores; `missing` says so. @param now
 * Unix ms @throws ApiError; the signal's reason
 */
export async function readDatastores(
  api: PbsApi,
  { now, ...ask }: Ask & { now: number },
): Promise<{ items: Datastore[]; missing: string[] }> {
  const [stores, usage] = await Promise.all([
    api.get(['admin', 'datastore'], {}, ask),
    api.get(['status', 'datastore-usage'], {}, ask),
  ])
  const used = new Map(rowsOf(UsageRow, usage).rows.map((row) => [row.store, row]))
  const listed = rowsOf(StoreRow, stores).rows
  const missing = listed.length === 0 ? [empty('datastores')] : []
  const items = listed.map(({ store, maintenance }): Datastore => {
    const row = used.get(store)
    if (row?.total === undefined && row?.error === undefined)
      missing.push(`use of ${store}: not visible to this token (it needs DatastoreAudit on /datastore/${store})`)
    const full = row?.['estimated-full-date']
    return {
      name: store,
      ...present({ totalBytes: row?.total, usedBytes: row?.used, maintenance, error: row?.error }),
      // A time in the past means that the datastore does not fill.
      ...(full !== undefined && { fullAt: full * 1000 > now ? full * 1000 : null }),
    }
  })
  return { items, missing }
}

/** Reads the server's verify, garbage collection, prune and sync jobs, each with the outcome of its last run. @throws only the signal's reason */
export async function readJobs(
  api: PbsApi,
  ask: Ask,
): Promise<{ items: PbsJob[]; missing: string[]; isUnread: boolean }> {
  const missing: string[] = []
  let kindsRead = 0
  const kinds = ['verify', 'gc', 'prune', 'sync'] as const
  const found = await Promise.all(
    kinds.map(async (kind) => {
      try {
        const { rows } = rowsOf(JobRow, await api.get(['admin', kind], {}, ask))
        kindsRead += 1
        return rows.map((row) => jobOf(kind, row))
      } catch (error) {
        ask.signal.throwIfAborted()
        missing.push(`${kind} jobs ${whyUnread(error)}`)
        return []
      }
    }),
  )
  return { items: found.flat(), missing, isUnread: kindsRead === 0 }
}

function jobOf(kind: PbsJob['kind'], row: z.output<typeof JobRow>): PbsJob {
  const { id, store, schedule, disable } = row
  // A job that never ran has no time, or 0.
  const ms = (seconds: number | undefined) => (seconds === undefined || seconds === 0 ? undefined : seconds * 1000)
  return {
    kind,
    id: id ?? store,
    store,
    isDisabled: disable,
    lastState: row['last-run-state'] ?? null,
    ...present({ schedule, lastAt: ms(row['last-run-endtime']), nextAt: ms(row['next-run']) }),
    ...(kind === 'gc' && present({ pendingBytes: row['pending-bytes'], badChunks: row['still-bad'] })),
  }
}

/** Maximum number of namespaces of a datastore that are read. */
const mostNamespaces = 30

/**
 * Reads the snapshots of one datastore or of all, newest first, in every namespace that the token sees. @param of `id`: the guest's id on the
 * server, its vmid. @throws ApiError if the datastores cannot be listed; the signal's reason
 */
export async function readSnapshots(
  api: PbsApi,
  of: { store?: string | undefined; id?: string | undefined },
  ask: Ask,
): Promise<{ items: PbsSnapshot[]; missing: string[]; isUnread: boolean }> {
  const stores = rowsOf(StoreRow, await api.get(['admin', 'datastore'], {}, ask)).rows.map(({ store }) => store)
  const asked = stores.filter((store) => of.store === undefined || store === of.store)
  const missing =
    asked.length > 0
      ? []
      : [of.store === undefined ? empty('datastores') : `there is no datastore ${of.store} that this token sees`]
  let storesRead = 0
  const items: PbsSnapshot[] = []
  for (const store of asked) {
    try {
      items.push(...(await inStore(store)))
      storesRead += 1
    } catch (error) {
      ask.signal.throwIfAborted()
      missing.push(`snapshots in ${store} ${whyUnread(error)}`)
    }
  }
  return { items: items.sort((a, b) => b.at - a.at), missing, isUnread: storesRead === 0 }

  async function inStore(store: string): Promise<PbsSnapshot[]> {
    const listed = rowsOf(NamespaceRow, await api.get(['admin', 'datastore', store, 'namespace'], {}, ask)).rows
    const namespaces = listed.length === 0 ? [''] : listed.map(({ ns }) => ns)
    if (namespaces.length > mostNamespaces)
      missing.push(`${namespaces.length - mostNamespaces} namespaces of ${store}: not looked into`)
    const found: PbsSnapshot[] = []
    for (const ns of namespaces.slice(0, mostNamespaces)) {
      const query = { ...(ns !== '' && { ns }), ...(of.id !== undefined && { 'backup-id': of.id }) }
      const { rows } = rowsOf(SnapshotRow, await api.get(['admin', 'datastore', store, 'snapshots'], query, ask))
      found.push(...rows.map((row) => snapshotOf(store, ns, row)))
    }
    // The server silently leaves out snapshots that the token may not see.
    if (found.length === 0 && of.id === undefined) missing.push(empty(`snapshots in ${store}`))
    return found
  }
}

function snapshotOf(store: string, ns: string, row: z.output<typeof SnapshotRow>): PbsSnapshot {
  const state = row.verification?.state
  return {
    store,
    ...(ns !== '' && { namespace: ns }),
    type: row['backup-type'],
    id: row['backup-id'],
    at: row['backup-time'] * 1000,
    ...present({ sizeBytes: row.size }),
    verification: state === 'ok' ? 'ok' : state === undefined ? 'none' : 'failed',
    isProtected: row.protected,
    ...present({ owner: row.owner, notes: row.comment }),
  }
}
