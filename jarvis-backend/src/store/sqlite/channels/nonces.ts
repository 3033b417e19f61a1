import type { Nonce, NonceStore } from '../../../channels/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Omit<Nonce, 'ref' | 'usedAt'> & { ref: string | null; usedAt: number | null }

export class SqliteNonceStore extends SqliteStore implements NonceStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO channel_nonces (hash, recipient, item, tool_use_id, binding_hash, decision, ref, expires_at)
     VALUES (@hash, @recipient, @item, @toolUseId, @bindingHash, @decision, @ref, @expiresAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>(
    `SELECT hash, recipient, item, tool_use_id AS toolUseId, binding_hash AS bindingHash, decision, ref,
       expires_at AS expiresAt, used_at AS usedAt
     FROM channel_nonces WHERE hash = ?`,
  )
  readonly #bind = this.sql.prepare('UPDATE channel_nonces SET ref = ? WHERE item = ? AND ref IS NULL')
  readonly #use = this.sql.prepare('UPDATE channel_nonces SET used_at = ? WHERE hash = ? AND used_at IS NULL')
  readonly #removeOf = this.sql.prepare('DELETE FROM channel_nonces WHERE recipient = ?')
  readonly #prune = this.sql.prepare('DELETE FROM channel_nonces WHERE expires_at <= ?')

  add({ usedAt: _, ref, ...nonce }: Nonce): void {
    this.#insert.run({ ...nonce, ref: ref ?? null })
  }

  get(hash: string): Nonce | undefined {
    const { ref = null, usedAt = null, ...row } = this.#select.get(hash) ?? {}
    return 'hash' in row ? { ...row, ...(ref !== null && { ref }), ...(usedAt !== null && { usedAt }) } : undefined
  }

  bind(item: string, ref: string): void {
    this.#bind.run(ref, item)
  }

  use(hash: string, at: number): boolean {
    return this.#use.run(at, hash).changes === 1
  }

  removeOf(recipient: string): void {
    this.#removeOf.run(recipient)
  }

  prune(now: number): void {
    this.#prune.run(now)
  }
}
