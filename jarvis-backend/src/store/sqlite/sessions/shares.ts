import type { Share, ShareStore } from '../../../agent/sessions/shares.ts'
import type { Database } from '../database.ts'

export function createShareStore({ sql }: Database): ShareStore {
  const family = '(SELECT COALESCE(family, id) FROM sessions WHERE id = @sessionId)'
  const select = sql.prepare<object, Share>(
    `SELECT person, may, by, at FROM session_shares WHERE family = ${family} ORDER BY at, person`,
  )
  const selectMay = sql
    .prepare<object, Share['may']>(`SELECT may FROM session_shares WHERE family = ${family} AND person = @person`)
    .pluck()
  const upsert = sql.prepare(
    `INSERT INTO session_shares (family, person, may, by, at) VALUES (${family}, @person, @may, @by, @at)
     ON CONFLICT (family, person) DO UPDATE SET may = excluded.may, by = excluded.by, at = excluded.at`,
  )
  const remove = sql.prepare(`DELETE FROM session_shares WHERE family = ${family} AND person = @person`)
  const about = sql.prepare<[string, string], { sessionId: string; person: string }>(
    `SELECT family AS sessionId, person FROM session_shares WHERE person = ?
     UNION SELECT shared.family, shared.person FROM session_shares AS shared JOIN sessions ON sessions.id = shared.family
       WHERE sessions.person = ?
     ORDER BY 1, 2`,
  )
  return {
    of: (sessionId) => select.all({ sessionId }),
    mayOf: (sessionId, person) => selectMay.get({ sessionId, person }),
    set: (sessionId, share) => void upsert.run({ ...share, sessionId }),
    end: (sessionId, person) => remove.run({ sessionId, person }).changes === 1,
    about: (person) => about.all(person, person),
  }
}
