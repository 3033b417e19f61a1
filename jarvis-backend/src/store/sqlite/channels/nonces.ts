import type { Nonce, NonceStore } from '../../../channels/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Nonce, 'ref' | 'usedAt'> & { ref: string | null; usedAt: number | null }

export function createNonceStore({ sql }: Database): NonceStore {
  const insert = sql.prepare(
    `INSERT INTO channel_nonces (hash, recipient, item, tool_use_id, binding_hash, decision, ref, expires_at)
     VALUES (@hash, @recipient, @item, @toolUseId, @bindingHash, @decision, @ref, @expiresAt)`,
  )
  const select = sql.prepare<[string], Row>(
    `SELECT hash, recipient, item, tool_use_id AS toolUseId, binding_hash AS bindingHash, decision, ref,
       expires_at AS expiresAt, used_at AS usedAt
     FROM channel_nonces WHERE hash = ?`,
  )
  const bind = sql.prepare('UPDATE channel_nonces SET ref = ? WHERE item = ? AND ref IS NULL')
  const use = sql.prepare('UPDATE channel_nonces SET used_at = ? WHERE hash = ? AND used_at IS NULL')
  const removeOf = sql.prepare('DELETE FROM channel_nonces WHERE recipient = ?')
  const prune = sql.prepare('DELETE FROM channel_nonces WHERE expires_at <= ?')
  return {
    add: ({ usedAt: _, ref, ...nonce }) => void insert.run({ ...nonce, ref: ref ?? null }),
    get(hash) {
      const { ref = null, usedAt = null, ...row } = select.get(hash) ?? {}
      return 'hash' in row ? { ...row, ...(ref !== null && { ref }), ...(usedAt !== null && { usedAt }) } : undefined
    },
    bind: (item, ref) => void bind.run(ref, item),
    use: (hash, at) => use.run(at, hash).changes === 1,
    removeOf: (recipient) => void removeOf.run(recipient),
    prune: (now) => void prune.run(now),
  }
}
