import type { ChallengeStore, StoredChallenge } from '../../../access/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<StoredChallenge, 'usedAt'> & { usedAt: number | null }

export function createChallengeStore({ sql }: Database): ChallengeStore {
  const insert = sql.prepare(
    `INSERT INTO decision_challenges (id, tool_use_id, person, statement, expires_at)
     VALUES (@id, @toolUseId, @person, @statement, @expiresAt)`,
  )
  const select = sql.prepare<[string], Row>(
    `SELECT id, tool_use_id AS toolUseId, person, statement, expires_at AS expiresAt, used_at AS usedAt
     FROM decision_challenges WHERE id = ?`,
  )
  const use = sql.prepare('UPDATE decision_challenges SET used_at = ? WHERE id = ? AND used_at IS NULL')
  const forget = sql.prepare('DELETE FROM decision_challenges WHERE used_at IS NULL AND expires_at <= ?')
  return {
    add: ({ usedAt: _, ...challenge }) => void insert.run(challenge),
    get(id) {
      const { usedAt = null, ...row } = select.get(id) ?? {}
      return 'id' in row ? { ...row, ...(usedAt !== null && { usedAt }) } : undefined
    },
    use: (id, at) => use.run(at, id).changes === 1,
    forget: (now) => void forget.run(now),
  }
}
