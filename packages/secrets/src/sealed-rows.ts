import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { isSealed, type SecretBox } from './box.ts'
import { SecretsRefused } from './cipher.ts'

/** A sealed text of the database. `put` replaces it; undefined removes its row. */
export type SealedRow = { place: string; text: string; put(text: string | undefined): void }

/**
 * The columns with sealed texts: the key of the row, and the place for which its text is sealed. `stays`: removing the text keeps an empty row, as a
 * record that there was a text.
 */
const columns: readonly {
  table: string
  key: string
  column: string
  placeOf(key: string): string
  stays?: true
}[] = [
  { table: 'second_factors', key: 'person', column: 'seed', placeOf: (person) => `people/${person}/totp` },
  { table: 'held_inputs', key: 'tool_use_id', column: 'input', placeOf: (id) => `held_inputs/${id}`, stays: true },
  { table: 'attached_sign_ins', key: 'server', column: 'sealed', placeOf: (server) => `attached_sign_ins/${server}` },
]

/** Returns the sealed texts of a database. The database may have an older schema or be a backup. */
export function sealedRows(sql: Sqlite.Database): SealedRow[] {
  const has = sql.prepare<[string]>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return columns.flatMap(({ table, key, column, placeOf, stays }) => {
    if (has.get(table) === undefined) return []
    const rows = sql
      .prepare<[], { key: string; text: string }>(`SELECT ${key} AS key, ${column} AS text FROM ${table}`)
      .all()
    return rows.map((row) => ({
      place: placeOf(row.key),
      text: row.text,
      put(text) {
        if (text === undefined && stays) sql.prepare(`UPDATE ${table} SET ${column} = '' WHERE ${key} = ?`).run(row.key)
        else if (text === undefined) sql.prepare(`DELETE FROM ${table} WHERE ${key} = ?`).run(row.key)
        // Do not overwrite a row that was changed meanwhile.
        else
          sql
            .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`)
            .run(text, row.key, row.text)
      },
    }))
  })
}

/**
 * Returns the sealed texts of a data dir, whose server may be running. Changes nothing. Returns none if the database cannot be read, because its
 * other readers report that.
 */
export function sealedRowsIn(dataDir: string): Omit<SealedRow, 'put'>[] {
  const path = join(dataDir, 'jarvis.db')
  if (!existsSync(path)) return []
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true })
    return sealedRows(sql).map(({ place, text }) => ({ place, text }))
  } catch {
    return []
  } finally {
    sql?.close()
  }
}

/**
 * Seals again, with the newest data key, all texts that an older key sealed. A text that cannot be opened stays unchanged. @param durably commits
 * `work` to disk
 */
export function sealRows(sql: Sqlite.Database, box: SecretBox, durably: (work: () => void) => void): void {
  const old = sealedRows(sql).filter(({ text }) => isSealed(text) && !box.isCurrent(text))
  if (old.length > 0) durably(() => old.forEach((row) => void sealAgain(row, box)))
}

function sealAgain({ place, text, put }: SealedRow, box: SecretBox): void {
  let plain: string
  try {
    plain = box.open(place, text)
  } catch (error) {
    if (error instanceof SecretsRefused) return
    throw error
  }
  put(box.seal(place, plain))
}
