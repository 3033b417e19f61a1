import type { PushStore, StoredDevice } from '../../push/ports.ts'
import type { Database } from './database.ts'

type Row = {
  id: string
  sub: string
  endpoint: string
  p256dh: string
  auth: string
  label: string
  hides_names: number
  created_at: number
  last_sent_at: number | null
  problem: string | null
}

const toDevice = (row: Row): StoredDevice => ({
  id: row.id,
  sub: row.sub,
  endpoint: row.endpoint,
  p256dh: row.p256dh,
  auth: row.auth,
  label: row.label,
  hidesNames: row.hides_names === 1,
  createdAt: row.created_at,
  ...(row.last_sent_at !== null && { lastSentAt: row.last_sent_at }),
  ...(row.problem !== null && { problem: row.problem }),
})

export function createPushStore({ sql }: Database): PushStore {
  const insert = sql.prepare(
    `INSERT OR REPLACE INTO push_devices (id, sub, endpoint, p256dh, auth, label, hides_names, created_at)
     VALUES (@id, @sub, @endpoint, @p256dh, @auth, @label, @hidesNames, @createdAt)`,
  )
  const selectAll = sql.prepare<[], Row>('SELECT * FROM push_devices ORDER BY created_at, id')
  const remove = sql.prepare('DELETE FROM push_devices WHERE id = ?')
  const removeOf = sql.prepare('DELETE FROM push_devices WHERE id = ? AND sub = ?')
  const sentAt = sql.prepare('UPDATE push_devices SET last_sent_at = ?, problem = NULL WHERE id = ?')
  const failed = sql.prepare('UPDATE push_devices SET problem = ? WHERE id = ?')
  return {
    add({ id, sub, endpoint, p256dh, auth, label, hidesNames, createdAt }) {
      insert.run({ id, sub, endpoint, p256dh, auth, label, hidesNames: hidesNames ? 1 : 0, createdAt })
    },
    list: (sub) =>
      selectAll
        .all()
        .map(toDevice)
        .filter((device) => sub === undefined || device.sub === sub),
    remove: (id, sub) => (sub === undefined ? remove.run(id) : removeOf.run(id, sub)).changes === 1,
    sent(id, at, problem) {
      if (problem === undefined) sentAt.run(at, id)
      else failed.run(problem, id)
    },
  }
}
