import type { StoredSubscription, SubscriptionStore } from '../../../channels/web-push/ports.ts'
import type { Database } from '../database.ts'

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

export function createSubscriptionStore({ sql }: Database): SubscriptionStore {
  const insert = sql.prepare(
    'INSERT OR REPLACE INTO push_subscriptions (id, endpoint, p256dh, auth) VALUES (@id, @endpoint, @p256dh, @auth)',
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM push_subscriptions WHERE id = ?`)
  const selectEndpoint = sql.prepare<[string], Row>(`SELECT ${columns} FROM push_subscriptions WHERE endpoint = ?`)
  const sentAt = sql.prepare('UPDATE push_subscriptions SET last_sent_at = ? WHERE id = ?')
  const seenAt = sql.prepare('UPDATE push_subscriptions SET seen_at = ? WHERE id = ?')
  const read = (row: Row | undefined) => row && toSubscription(row)
  return {
    add: ({ id, endpoint, p256dh, auth }) => void insert.run({ id, endpoint, p256dh, auth }),
    get: (id) => read(select.get(id)),
    byEndpoint: (endpoint) => read(selectEndpoint.get(endpoint)),
    sent: (id, at) => void sentAt.run(at, id),
    seen: (id, at) => void seenAt.run(at, id),
  }
}
