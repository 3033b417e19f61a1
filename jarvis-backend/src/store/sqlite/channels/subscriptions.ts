import type { StoredSubscription, Subscription, SubscriptionStore } from '../../../channels/web-push/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = {
  id: string
  endpoint: string
  p256dh: string
  auth: string
  lastSentAt: number | null
  seenAt: number | null
}

const columns = 'id, endpoint, p256dh, auth, last_sent_at AS lastSentAt, seen_at AS seenAt'

const toSubscription = ({ lastSentAt, seenAt, ...row }: Row): StoredSubscription => ({
  ...row,
  ...(lastSentAt !== null && { lastSentAt }),
  ...(seenAt !== null && { seenAt }),
})

const read = (row: Row | undefined) => row && toSubscription(row)

export class SqliteSubscriptionStore extends SqliteStore implements SubscriptionStore {
  readonly #insert = this.sql.prepare(
    'INSERT OR REPLACE INTO push_subscriptions (id, endpoint, p256dh, auth) VALUES (@id, @endpoint, @p256dh, @auth)',
  )
  readonly #select = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM push_subscriptions WHERE id = ?`)
  readonly #selectEndpoint = this.sql.prepare<[string], Row>(
    `SELECT ${columns} FROM push_subscriptions WHERE endpoint = ?`,
  )
  readonly #sentAt = this.sql.prepare('UPDATE push_subscriptions SET last_sent_at = ? WHERE id = ?')
  readonly #seenAt = this.sql.prepare('UPDATE push_subscriptions SET seen_at = ? WHERE id = ?')

  add({ id, endpoint, p256dh, auth }: Subscription & { id: string }): void {
    this.#insert.run({ id, endpoint, p256dh, auth })
  }

  get(id: string): StoredSubscription | undefined {
    return read(this.#select.get(id))
  }

  byEndpoint(endpoint: string): StoredSubscription | undefined {
    return read(this.#selectEndpoint.get(endpoint))
  }

  sent(id: string, at: number): void {
    this.#sentAt.run(at, id)
  }

  seen(id: string, at: number): void {
    this.#seenAt.run(at, id)
  }
}
