import type { TimeFloor } from '../../time/ports.ts'
import type { Database } from './database.ts'
import { createSettings } from './settings.ts'

const key = 'clock_floor'
const believedKey = 'clock_believed'
/** Maximum time by which the newest time in the database may be ahead of the clock, ms. */
const toleratedMs = 5_000
/** Tables whose rows are not ended early. A revoked token is forgotten at its end, so after an early end the token would be valid again. */
const notEnded: ReadonlySet<string> = new Set(['revoked_tokens'])

/** @param idleMs time without use after which a sign-in ends, ms */
export function createTimeFloor(database: Database, idleMs: number): TimeFloor {
  const { sql } = database
  const settings = createSettings(database)
  const lastEntry = sql.prepare<[], number>('SELECT at FROM journal ORDER BY seq DESC LIMIT 1').pluck()
  const floorOf = () => Math.max(Number(settings.get(key) ?? 0), lastEntry.get() ?? 0)

  return {
    keep(at: number, believed: number): void {
      settings.set(key, String(at))
      settings.set(believedKey, String(believed))
    },
    believed(): number | undefined {
      const kept = settings.get(believedKey)
      const known = kept === undefined ? floorOf() : Number(kept)
      return known > 0 ? known : undefined
    },
    above(now: number): number | undefined {
      const floor = floorOf()
      return now < floor - toleratedMs ? floor : undefined
    },
    end(reached: number, now: number): void {
      const ends = sql
        .prepare<[], { table: string; column: string }>(
          `SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
           WHERE tables.type = 'table' AND columns.name IN ('expires_at', 'ends_at')`,
        )
        .all()
      for (const { table, column } of ends) {
        if (notEnded.has(table)) continue
        sql.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} <= ? AND ${column} > ?`).run(now, reached, now)
      }
      sql
        .prepare('UPDATE sign_ins SET ends_at = ? WHERE last_seen_at <= ? AND ends_at > ?')
        .run(now, reached - idleMs, now)
      sql
        .prepare(
          "UPDATE confirmations SET card = json_set(card, '$.expiresAt', expires_at) WHERE decision IS NULL AND expires_at = ? AND json_valid(card)",
        )
        .run(now)
      settings.set(key, String(now))
    },
  }
}
