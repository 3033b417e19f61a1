import type { Pairing, PairingStore } from '../../../channels/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Omit<Pairing, 'opened'> & { opened: string | null }

const columns = 'id, hash, channel, account, person, created_at AS createdAt, expires_at AS expiresAt, opened'

const toPairing = ({ opened, ...row }: Row): Pairing => ({
  ...row,
  ...(opened !== null && { opened: JSON.parse(opened) as NonNullable<Pairing['opened']> }),
})

const found = (row: Row | undefined) => row && toPairing(row)

export class SqlitePairingStore extends SqliteStore implements PairingStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO channel_pairings (id, hash, channel, account, person, created_at, expires_at)
     VALUES (@id, @hash, @channel, @account, @person, @createdAt, @expiresAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_pairings WHERE id = ?`)
  readonly #selectHash = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_pairings WHERE hash = ?`)
  readonly #selectOpen = this.sql.prepare<[number], Row>(
    `SELECT ${columns} FROM channel_pairings WHERE expires_at > ? ORDER BY created_at, id`,
  )
  readonly #open = this.sql.prepare('UPDATE channel_pairings SET opened = ? WHERE id = ? AND opened IS NULL')
  readonly #remove = this.sql.prepare('DELETE FROM channel_pairings WHERE id = ?')
  readonly #removeOf = this.sql.prepare('DELETE FROM channel_pairings WHERE channel = ?')
  readonly #prune = this.sql.prepare('DELETE FROM channel_pairings WHERE expires_at <= ?')

  add({ opened: _, ...pairing }: Pairing): void {
    this.#insert.run(pairing)
  }

  get(id: string): Pairing | undefined {
    return found(this.#select.get(id))
  }

  byHash(hash: string): Pairing | undefined {
    return found(this.#selectHash.get(hash))
  }

  list(now: number): Pairing[] {
    return this.#selectOpen.all(now).map(toPairing)
  }

  open(id: string, by: NonNullable<Pairing['opened']>): boolean {
    return this.#open.run(JSON.stringify(by), id).changes === 1
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes === 1
  }

  removeOf(channel: string): number {
    return this.#removeOf.run(channel).changes
  }

  prune(now: number): void {
    this.#prune.run(now)
  }
}
