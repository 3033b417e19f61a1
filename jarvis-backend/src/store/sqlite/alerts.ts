import type { MaintenanceWindow } from 'protocol'
import {
  type AlertStore,
  type CheckRun,
  type CheckStore,
  fingerprintOf,
  type StoredAlert,
  type WindowStore,
} from '../../watch/alert.ts'
import type { Database } from './database.ts'

const read = (facts: string) => JSON.parse(facts) as StoredAlert

/** Stores the alerts. At most one alert of a fingerprint has not ended. */
export function createAlertStore({ sql }: Database): AlertStore {
  const current = sql
    .prepare<[number], string>(
      'SELECT facts FROM alerts WHERE ended_at IS NULL UNION ALL SELECT facts FROM alerts WHERE counts_until > ?',
    )
    .pluck()
  const save = sql.prepare(
    `INSERT OR REPLACE INTO alerts (id, fingerprint, check_id, object, node, fired_at, ended_at, counts_until, facts)
     VALUES (@id, @fingerprint, @check, @object, @node, @firedAt, @endedAt, @countsUntil, @facts)`,
  )
  const remove = sql.prepare('DELETE FROM alerts WHERE id = ?')
  const one = sql.prepare<[string], string>('SELECT facts FROM alerts WHERE id = ?').pluck()
  const ended = sql
    .prepare<[Record<string, string | number | null>], string>(
      `SELECT facts FROM alerts WHERE ended_at IS NOT NULL AND (ended_at, id) < (@at, @id)
         AND (@check IS NULL OR check_id = @check) AND (@object IS NULL OR object = @object) AND (@node IS NULL OR node = @node)
       ORDER BY ended_at DESC, id DESC LIMIT @limit`,
    )
    .pluck()
  const countEnded = sql.prepare<[number], number>('SELECT count(*) FROM alerts WHERE ended_at > ?').pluck()
  const earlier = sql.prepare<[string, number], { count: number; longestMs: number | null; lastAt: number | null }>(
    `SELECT count(*) AS count, max(ended_at - fired_at) AS longestMs, max(fired_at) AS lastAt FROM alerts
     WHERE fingerprint = ? AND ended_at > ?`,
  )
  const prune = sql.prepare(
    // Keep the newest alert of a fingerprint while it counts, mainly because its silence may have no end.
    `DELETE FROM alerts WHERE ended_at < ? AND (coalesce(counts_until, 0) <= ?
       OR id NOT IN (SELECT id FROM (SELECT id, max(ended_at) FROM alerts WHERE ended_at IS NOT NULL GROUP BY fingerprint)))`,
  )

  return {
    current: (now) => current.all(now).map(read),
    save(alert, countsUntil) {
      const { id, check, object, firedAt = null, resolvedAt = null } = alert
      save.run({
        id,
        check,
        firedAt,
        fingerprint: fingerprintOf(alert),
        object: object.id,
        node: object.node ?? null,
        endedAt: resolvedAt,
        countsUntil: countsUntil ?? null,
        facts: JSON.stringify(alert),
      })
    },
    remove: (id) => void remove.run(id),
    get(id) {
      const facts = one.get(id)
      return facts === undefined ? undefined : read(facts)
    },
    ended: ({ before, check = null, object = null, node = null, limit }) =>
      ended
        .all({ at: before?.at ?? Number.MAX_SAFE_INTEGER, id: before?.id ?? '', check, object, node, limit })
        .map(read),
    countEnded: (since) => countEnded.get(since) ?? 0,
    earlier(fingerprint, since) {
      const { count = 0, longestMs = null, lastAt = null } = earlier.get(fingerprint, since) ?? {}
      return { count, ...(longestMs !== null && { longestMs }), ...(lastAt !== null && { lastAt }) }
    },
    prune: (before) => void prune.run(before, before),
  }
}

/** The remembered state of each check. */
export function createCheckStore({ sql }: Database): CheckStore {
  const list = sql.prepare<[], string>('SELECT facts FROM checks ORDER BY id').pluck()
  const save = sql.prepare('INSERT OR REPLACE INTO checks (id, facts) VALUES (?, ?)')
  return {
    list: () => list.all().map((facts) => JSON.parse(facts) as CheckRun),
    save: (run) => void save.run(run.id, JSON.stringify(run)),
  }
}

/** The maintenance windows. */
export function createWindowStore({ sql }: Database): WindowStore {
  const list = sql.prepare<[number], string>('SELECT facts FROM maintenance_windows WHERE until > ?').pluck()
  const add = sql.prepare('INSERT INTO maintenance_windows (id, until, facts) VALUES (?, ?, ?)')
  const remove = sql.prepare('DELETE FROM maintenance_windows WHERE id = ?')
  return {
    list: (now) =>
      list
        .all(now)
        .map((facts) => JSON.parse(facts) as MaintenanceWindow)
        .sort((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1)),
    add: (window) => void add.run(window.id, window.until, JSON.stringify(window)),
    remove: (id) => remove.run(id).changes === 1,
  }
}
