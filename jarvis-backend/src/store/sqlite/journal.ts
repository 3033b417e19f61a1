import { createHash } from 'node:crypto'
import type { Journal } from '../../tools/ports.ts'
import type { Database } from './database.ts'

const firstHash = '0'.repeat(64)

/** Each entry's hash covers its place, time, kind and body and the hash before it: an edit breaks all that follow. */
export function createJournal({ sql }: Database, now: () => number): Journal {
  const insert = sql.prepare('INSERT INTO journal (seq, at, kind, body, hash) VALUES (?, ?, ?, ?, ?)')
  const last = sql.prepare<[], { seq: number; hash: string }>('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1')
  return {
    append(kind, body) {
      // Read, not remembered: a transaction that is rolled back takes its entries with it.
      const head = last.get() ?? { seq: 0, hash: firstHash }
      const seq = head.seq + 1
      const at = now()
      const text = JSON.stringify(body)
      const hash = createHash('sha256').update(`${head.hash}\n${seq}\n${at}\n${kind}\n${text}`).digest('hex')
      insert.run(seq, at, kind, text, hash)
    },
  }
}
