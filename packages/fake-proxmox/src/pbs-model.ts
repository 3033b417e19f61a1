import type { PvePath, PveValues } from 'homelab-ports/ports'

/** The content of a backup server. Times are Unix seconds. */
export type PbsFacts = {
  stores: { store: string; total: number; used: number; fullAt?: number; maintenance?: string }[]
  snapshots: {
    store: string
    ns?: string
    type: 'vm' | 'ct' | 'host'
    id: string
    time: number
    size: number
    verification?: 'ok' | 'failed'
    isProtected?: boolean
    owner?: string
    comment?: string
  }[]
  jobs: ({ kind: 'verify' | 'gc' | 'prune' | 'sync'; store: string } & Record<string, unknown>)[]
}

/** The owner of a snapshot without `owner`. */
export const pbsWriter = 'jarvis@pbs!backup'

/** A refusal of a backup server: a status and a plain text. */
export class PbsRefusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const allowed: Record<string, readonly string[]> = {
  snapshots: ['ns', 'backup-type', 'backup-id'],
  namespace: ['parent', 'max-depth'],
}

/** The content of a backup server, and the rights of the token that a request comes with. */
export type PbsView = PbsFacts & {
  /** Returns true if the token has DatastoreAudit on a datastore. */
  may(store: string): boolean
}

/**
 * Answers a read as a backup server does. Lists leave out, without an error, whatever the token may not see.
 * @returns the answer's `data` @throws PbsRefusal
 */
export function answerPbs({ may, ...facts }: PbsView, path: PvePath, query: PveValues): unknown {
  const [area = '', what = '', store = '', part = ''] = path.map(String)
  const takes = allowed[part] ?? (area === 'admin' && what !== 'datastore' ? ['store'] : [])
  const stray = Object.keys(query).find((key) => !takes.includes(key))
  if (stray !== undefined)
    throw new PbsRefusal(400, `parameter verification failed - '${stray}': schema does not allow additional properties`)
  const place = [area, what, ...(path.length > 2 ? ['*', part] : [])].join('/')
  const visible = <T extends { store: string }>(rows: readonly T[]) => rows.filter((row) => may(row.store))
  switch (place) {
    case 'version/':
      return { version: '3.4', release: '1', repoid: 'fake' }
    case 'admin/datastore':
      return visible(facts.stores).map(({ store: name, maintenance }) => ({
        store: name,
        ...(maintenance && { maintenance }),
      }))
    case 'status/datastore-usage':
      return visible(facts.stores).map(({ store: name, total, used, fullAt }) => ({
        store: name,
        total,
        used,
        avail: total - used,
        'estimated-full-date': fullAt,
      }))
    case 'admin/verify':
    case 'admin/gc':
    case 'admin/prune':
    case 'admin/sync':
      return visible(facts.jobs)
        .filter(({ kind }) => kind === what)
        .map(({ kind: _, ...row }) => row)
    case 'admin/datastore/*/namespace':
    case 'admin/datastore/*/snapshots': {
      if (!may(store))
        throw new PbsRefusal(
          403,
          `permission check failed - missing Datastore.Audit|Datastore.Backup on /datastore/${store}`,
        )
      if (!facts.stores.some((one) => one.store === store)) throw new PbsRefusal(400, `no such datastore '${store}'`)
      const here = facts.snapshots.filter((one) => one.store === store)
      if (part === 'namespace') return [...new Set(['', ...here.map(({ ns = '' }) => ns)])].map((ns) => ({ ns }))
      return here
        .filter(
          ({ ns = '', id, type }) =>
            ns === (query.ns ?? '') && (query['backup-id'] ?? id) === id && (query['backup-type'] ?? type) === type,
        )
        .map(({ type, id, time, size, verification, isProtected = false, owner = pbsWriter, comment }) => ({
          'backup-type': type,
          'backup-id': id,
          'backup-time': time,
          size,
          protected: isProtected,
          files: [],
          owner,
          comment,
          ...(verification && {
            verification: { state: verification, upid: 'UPID:pbs:00000001:00000001:00000001:verify:x:root@pam:' },
          }),
        }))
    }
    default:
      throw new PbsRefusal(404, `Path '/api2/json/${path.join('/')}' not found.`)
  }
}
