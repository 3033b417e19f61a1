import type { ShareMay } from 'protocol'
import type { Share, ShareStore } from '../../../agent/sessions/shares.ts'
import { SqliteStore } from '../sqlite-store.ts'

const family = '(SELECT COALESCE(family, id) FROM sessions WHERE id = @sessionId)'

export class SqliteShareStore extends SqliteStore implements ShareStore {
  readonly #select = this.sql.prepare<object, Share>(
    `SELECT person, may, by, at FROM session_shares WHERE family = ${family} ORDER BY at, person`,
  )
  readonly #selectMay = this.sql
    .prepare<object, Share['may']>(`SELECT may FROM session_shares WHERE family = ${family} AND person = @person`)
    .pluck()
  readonly #upsert = this.sql.prepare(
    `INSERT INTO session_shares (family, person, may, by, at) VALUES (${family}, @person, @may, @by, @at)
     ON CONFLICT (family, person) DO UPDATE SET may = excluded.may, by = excluded.by, at = excluded.at`,
  )
  readonly #remove = this.sql.prepare(`DELETE FROM session_shares WHERE family = ${family} AND person = @person`)
  readonly #about = this.sql.prepare<[string, string], { sessionId: string; person: string }>(
    `SELECT family AS sessionId, person FROM session_shares WHERE person = ?
     UNION SELECT shared.family, shared.person FROM session_shares AS shared JOIN sessions ON sessions.id = shared.family
       WHERE sessions.person = ?
     ORDER BY 1, 2`,
  )

  of(sessionId: string): Share[] {
    return this.#select.all({ sessionId })
  }

  mayOf(sessionId: string, person: string): ShareMay | undefined {
    return this.#selectMay.get({ sessionId, person })
  }

  set(sessionId: string, share: Share): void {
    this.#upsert.run({ ...share, sessionId })
  }

  end(sessionId: string, person: string): boolean {
    return this.#remove.run({ sessionId, person }).changes === 1
  }

  about(person: string): { sessionId: string; person: string }[] {
    return this.#about.all(person, person)
  }
}
