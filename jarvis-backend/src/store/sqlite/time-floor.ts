import type { Settings } from '../../auth/password.ts'
import type { TimeFloor } from '../../time/ports.ts'
import type { Database } from './database.ts'
import { SqliteSettings } from './settings.ts'
import { SqliteStore } from './sqlite-store.ts'

const key = 'clock_floor'
const believedKey = 'clock_believed'
/** Maximum time by which the newest time in the database may be ahead of the clock, ms. */
const toleratedMs = 5_000
/** Tables whose rows are not ended early. A revoked token is forgotten at its end, so after an early end the token would be valid again. */
const notEnded: ReadonlySet<string> = new Set(['revoked_tokens'])

/** @param idleMs time without use after which a sign-in ends, ms */
export class SqliteTimeFloor extends SqliteStore implements TimeFloor {
  readonly #idleMs: number
  readonly #settings: Settings
  readonly #lastEntry = this.sql.prepare<[], number>('SELECT at FROM journal ORDER BY seq DESC LIMIT 1').pluck()

  constructor(database: Database, idleMs: number) {
    super(database)
    this.#idleMs = idleMs
    this.#settings = new SqliteSettings(database)
  }

  keep(at: number, believed: number): void {
    this.#settings.set(key, String(at))
    this.#settings.set(believedKey, String(believed))
  }

  believed(): number | undefined {
    const kept = this.#settings.get(believedKey)
    const known = kept === undefined ? this.#floorOf() : Number(kept)
    return known > 0 ? known : undefined
  }

  above(now: number): number | undefined {
    const floor = this.#floorOf()
    return now < floor - toleratedMs ? floor : undefined
  }

  end(reached: number, now: number): void {
    const ends = this.sql
      .prepare<[], { table: string; column: string }>(
        `SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
           WHERE tables.type = 'table' AND columns.name IN ('expires_at', 'ends_at')`,
      )
      .all()
    for (const { table, column } of ends) {
      if (notEnded.has(table)) continue
      this.sql
        .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} <= ? AND ${column} > ?`)
        .run(now, reached, now)
    }
    this.sql
      .prepare('UPDATE sign_ins SET ends_at = ? WHERE last_seen_at <= ? AND ends_at > ?')
      .run(now, reached - this.#idleMs, now)
    this.sql
      .prepare(
        "UPDATE confirmations SET card = json_set(card, '$.expiresAt', expires_at) WHERE decision IS NULL AND expires_at = ? AND json_valid(card)",
      )
      .run(now)
    this.#settings.set(key, String(now))
  }

  #floorOf() {
    return Math.max(Number(this.#settings.get(key) ?? 0), this.#lastEntry.get() ?? 0)
  }
}
