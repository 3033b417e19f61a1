import type { ChoiceStore, Deed, StoredChoice } from '../../../channels/talk/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<StoredChoice, 'deed' | 'ref' | 'usedAt'> & { deed: string; ref: string | null; usedAt: number | null }

export function createChoiceStore({ sql }: Database): ChoiceStore {
  const insert = sql.prepare(
    `INSERT INTO channel_choices (hash, recipient, thread, item, deed, ref, expires_at)
     VALUES (@hash, @recipient, @thread, @item, @deed, @ref, @expiresAt)`,
  )
  const select = sql.prepare<[string], Row>(
    `SELECT hash, recipient, thread, item, deed, ref, expires_at AS expiresAt, used_at AS usedAt FROM channel_choices WHERE hash = ?`,
  )
  const bind = sql.prepare('UPDATE channel_choices SET ref = ? WHERE item = ? AND ref IS NULL')
  const use = sql.prepare(
    `UPDATE channel_choices SET used_at = @at WHERE item = (SELECT item FROM channel_choices WHERE hash = @hash AND used_at IS NULL)
     AND used_at IS NULL`,
  )
  const removeOf = sql.prepare('DELETE FROM channel_choices WHERE recipient = ?')
  const prune = sql.prepare('DELETE FROM channel_choices WHERE expires_at <= ?')
  return {
    add: ({ usedAt: _, ref, deed, ...choice }) =>
      void insert.run({ ...choice, deed: JSON.stringify(deed), ref: ref ?? null }),
    get(hash) {
      const row = select.get(hash)
      if (row === undefined) return undefined
      const { ref, usedAt, deed, ...choice } = row
      return {
        ...choice,
        deed: JSON.parse(deed) as Deed,
        ...(ref !== null && { ref }),
        ...(usedAt !== null && { usedAt }),
      }
    },
    bind: (item, ref) => void bind.run(ref, item),
    use: (hash, at) => use.run({ hash, at }).changes > 0,
    removeOf: (recipient) => void removeOf.run(recipient),
    prune: (now) => void prune.run(now),
  }
}
