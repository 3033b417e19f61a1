import type { ChallengeStore, StoredChallenge } from '../../../access/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Omit<StoredChallenge, 'usedAt'> & { usedAt: number | null }

export class SqliteChallengeStore extends SqliteStore implements ChallengeStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO decision_challenges (id, tool_use_id, person, statement, expires_at)
     VALUES (@id, @toolUseId, @person, @statement, @expiresAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>(
    `SELECT id, tool_use_id AS toolUseId, person, statement, expires_at AS expiresAt, used_at AS usedAt
     FROM decision_challenges WHERE id = ?`,
  )
  readonly #use = this.sql.prepare('UPDATE decision_challenges SET used_at = ? WHERE id = ? AND used_at IS NULL')
  readonly #forget = this.sql.prepare('DELETE FROM decision_challenges WHERE used_at IS NULL AND expires_at <= ?')

  add({ usedAt: _, ...challenge }: StoredChallenge): void {
    this.#insert.run(challenge)
  }

  get(id: string): StoredChallenge | undefined {
    const { usedAt = null, ...row } = this.#select.get(id) ?? {}
    return 'id' in row ? { ...row, ...(usedAt !== null && { usedAt }) } : undefined
  }

  use(id: string, at: number): boolean {
    return this.#use.run(at, id).changes === 1
  }

  forget(now: number): void {
    this.#forget.run(now)
  }
}
