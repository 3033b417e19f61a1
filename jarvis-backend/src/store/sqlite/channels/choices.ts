import type { ChoiceStore, Deed, StoredChoice } from '../../../channels/talk/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Omit<StoredChoice, 'deed' | 'ref' | 'usedAt'> & { deed: string; ref: string | null; usedAt: number | null }

export class SqliteChoiceStore extends SqliteStore implements ChoiceStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO channel_choices (hash, recipient, thread, item, deed, ref, expires_at)
     VALUES (@hash, @recipient, @thread, @item, @deed, @ref, @expiresAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>(
    `SELECT hash, recipient, thread, item, deed, ref, expires_at AS expiresAt, used_at AS usedAt FROM channel_choices WHERE hash = ?`,
  )
  readonly #bind = this.sql.prepare('UPDATE channel_choices SET ref = ? WHERE item = ? AND ref IS NULL')
  readonly #use = this.sql.prepare(
    `UPDATE channel_choices SET used_at = @at WHERE item = (SELECT item FROM channel_choices WHERE hash = @hash AND used_at IS NULL)
     AND used_at IS NULL`,
  )
  readonly #removeOf = this.sql.prepare('DELETE FROM channel_choices WHERE recipient = ?')
  readonly #prune = this.sql.prepare('DELETE FROM channel_choices WHERE expires_at <= ?')

  add({ usedAt: _, ref, deed, ...choice }: StoredChoice): void {
    this.#insert.run({ ...choice, deed: JSON.stringify(deed), ref: ref ?? null })
  }

  get(hash: string): StoredChoice | undefined {
    const row = this.#select.get(hash)
    if (row === undefined) return undefined
    const { ref, usedAt, deed, ...choice } = row
    return {
      ...choice,
      deed: JSON.parse(deed) as Deed,
      ...(ref !== null && { ref }),
      ...(usedAt !== null && { usedAt }),
    }
  }

  bind(item: string, ref: string): void {
    this.#bind.run(ref, item)
  }

  use(hash: string, at: number): boolean {
    return this.#use.run({ hash, at }).changes > 0
  }

  removeOf(recipient: string): void {
    this.#removeOf.run(recipient)
  }

  prune(now: number): void {
    this.#prune.run(now)
  }
}
