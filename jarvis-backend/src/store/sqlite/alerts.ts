import type { AlertHistoryQuery, MaintenanceWindow } from 'protocol'
import {
  type AlertStore,
  type CheckRun,
  type CheckStore,
  fingerprintOf,
  type StoredAlert,
  type WindowStore,
} from '../../watch/alert.ts'
import { SqliteStore } from './sqlite-store.ts'

const read = (facts: string) => JSON.parse(facts) as StoredAlert

/** Stores the alerts. At most one alert of a fingerprint has not ended. */
export class SqliteAlertStore extends SqliteStore implements AlertStore {
  readonly #current = this.sql
    .prepare<[number], string>(
      'SELECT facts FROM alerts WHERE ended_at IS NULL UNION ALL SELECT facts FROM alerts WHERE counts_until > ?',
    )
    .pluck()
  readonly #save = this.sql.prepare(
    `INSERT OR REPLACE INTO alerts (id, fingerprint, check_id, object, node, fired_at, ended_at, counts_until, facts)
     VALUES (@id, @fingerprint, @check, @object, @node, @firedAt, @endedAt, @countsUntil, @facts)`,
  )
  readonly #remove = this.sql.prepare('DELETE FROM alerts WHERE id = ?')
  readonly #one = this.sql.prepare<[string], string>('SELECT facts FROM alerts WHERE id = ?').pluck()
  readonly #ended = this.sql
    .prepare<[Record<string, string | number | null>], string>(
      `SELECT facts FROM alerts WHERE ended_at IS NOT NULL AND (ended_at, id) < (@at, @id)
         AND (@check IS NULL OR check_id = @check) AND (@object IS NULL OR object = @object) AND (@node IS NULL OR node = @node)
       ORDER BY ended_at DESC, id DESC LIMIT @limit`,
    )
    .pluck()
  readonly #countEnded = this.sql.prepare<[number], number>('SELECT count(*) FROM alerts WHERE ended_at > ?').pluck()
  readonly #earlier = this.sql.prepare<
    [string, number],
    { count: number; longestMs: number | null; lastAt: number | null }
  >(
    `SELECT count(*) AS count, max(ended_at - fired_at) AS longestMs, max(fired_at) AS lastAt FROM alerts
     WHERE fingerprint = ? AND ended_at > ?`,
  )
  readonly #prune = this.sql.prepare(
    // Keep the newest alert of a fingerprint while it counts, mainly because its silence may have no end.
    `DELETE FROM alerts WHERE ended_at < ? AND (coalesce(counts_until, 0) <= ?
       OR id NOT IN (SELECT id FROM (SELECT id, max(ended_at) FROM alerts WHERE ended_at IS NOT NULL GROUP BY fingerprint)))`,
  )

  current(now: number): StoredAlert[] {
    return this.#current.all(now).map(read)
  }

  save(alert: StoredAlert, countsUntil?: number): void {
    const { id, check, object, firedAt = null, resolvedAt = null } = alert
    this.#save.run({
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
  }

  remove(id: string): void {
    this.#remove.run(id)
  }

  get(id: string): StoredAlert | undefined {
    const facts = this.#one.get(id)
    return facts === undefined ? undefined : read(facts)
  }

  ended({
    before,
    check,
    object,
    node,
    limit,
  }: Omit<AlertHistoryQuery, 'before'> & { before?: { at: number; id: string } }): StoredAlert[] {
    return this.#ended
      .all({
        at: before?.at ?? Number.MAX_SAFE_INTEGER,
        id: before?.id ?? '',
        check: check ?? null,
        object: object ?? null,
        node: node ?? null,
        limit,
      })
      .map(read)
  }

  countEnded(since: number): number {
    return this.#countEnded.get(since) ?? 0
  }

  earlier(fingerprint: string, since: number): { count: number; longestMs?: number; lastAt?: number } {
    const { count = 0, longestMs = null, lastAt = null } = this.#earlier.get(fingerprint, since) ?? {}
    return { count, ...(longestMs !== null && { longestMs }), ...(lastAt !== null && { lastAt }) }
  }

  prune(before: number): void {
    this.#prune.run(before, before)
  }
}

/** The remembered state of each check. */
export class SqliteCheckStore extends SqliteStore implements CheckStore {
  readonly #list = this.sql.prepare<[], string>('SELECT facts FROM checks ORDER BY id').pluck()
  readonly #save = this.sql.prepare('INSERT OR REPLACE INTO checks (id, facts) VALUES (?, ?)')

  list(): CheckRun[] {
    return this.#list.all().map((facts) => JSON.parse(facts) as CheckRun)
  }

  save(run: CheckRun): void {
    this.#save.run(run.id, JSON.stringify(run))
  }
}

/** The maintenance windows. */
export class SqliteWindowStore extends SqliteStore implements WindowStore {
  readonly #list = this.sql.prepare<[number], string>('SELECT facts FROM maintenance_windows WHERE until > ?').pluck()
  readonly #add = this.sql.prepare('INSERT INTO maintenance_windows (id, until, facts) VALUES (?, ?, ?)')
  readonly #remove = this.sql.prepare('DELETE FROM maintenance_windows WHERE id = ?')

  list(now: number): MaintenanceWindow[] {
    return this.#list
      .all(now)
      .map((facts) => JSON.parse(facts) as MaintenanceWindow)
      .sort((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1))
  }

  add(window: MaintenanceWindow): void {
    this.#add.run(window.id, window.until, JSON.stringify(window))
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes === 1
  }
}
