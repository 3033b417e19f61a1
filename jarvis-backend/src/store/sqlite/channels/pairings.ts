import type { Pairing, PairingStore } from '../../../channels/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Pairing, 'opened'> & { opened: string | null }

const columns = 'id, hash, channel, account, person, created_at AS createdAt, expires_at AS expiresAt, opened'

const toPairing = ({ opened, ...row }: Row): Pairing => ({
  ...row,
  ...(opened !== null && { opened: JSON.parse(opened) as NonNullable<Pairing['opened']> }),
})

export function createPairingStore({ sql }: Database): PairingStore {
  const insert = sql.prepare(
    `INSERT INTO channel_pairings (id, hash, channel, account, person, created_at, expires_at)
     VALUES (@id, @hash, @channel, @account, @person, @createdAt, @expiresAt)`,
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_pairings WHERE id = ?`)
  const selectHash = sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_pairings WHERE hash = ?`)
  const selectOpen = sql.prepare<[number], Row>(
    `SELECT ${columns} FROM channel_pairings WHERE expires_at > ? ORDER BY created_at, id`,
  )
  const open = sql.prepare('UPDATE channel_pairings SET opened = ? WHERE id = ? AND opened IS NULL')
  const remove = sql.prepare('DELETE FROM channel_pairings WHERE id = ?')
  const removeOf = sql.prepare('DELETE FROM channel_pairings WHERE channel = ?')
  const prune = sql.prepare('DELETE FROM channel_pairings WHERE expires_at <= ?')
  const found = (row: Row | undefined) => row && toPairing(row)
  return {
    add: ({ opened: _, ...pairing }) => void insert.run(pairing),
    get: (id) => found(select.get(id)),
    byHash: (hash) => found(selectHash.get(hash)),
    list: (now) => selectOpen.all(now).map(toPairing),
    open: (id, by) => open.run(JSON.stringify(by), id).changes === 1,
    remove: (id) => remove.run(id).changes === 1,
    removeOf: (channel) => removeOf.run(channel).changes,
    prune: (now) => void prune.run(now),
  }
}
