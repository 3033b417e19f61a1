import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Tokens } from '../src/auth/tokens.ts'
import { SqlitePersonStore, SqliteSignInStore } from '../src/store/sqlite/access/people.ts'
import { SqliteRevocationStore } from '../src/store/sqlite/access/tokens.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import type { Row } from './rows.ts'
import { median } from './statistics.ts'

const checks = 2_000

/** The cost of knowing who asks: a request's token, and the same again for an open socket. Microseconds. */
export const whoAsksRow: Row = {
  name: 'who-asks',
  lines: [
    { title: 'check of a request’s token, µs', most: 60 },
    { title: 'check of an open socket, µs', most: 60 },
  ],
  async ours() {
    const dir = mkdtempSync(join(tmpdir(), 'jarvis-bench-'))
    const database = openDatabase(join(dir, 'jarvis.db'))
    const people = new SqlitePersonStore(database)
    const now = Date.now
    const tokens = new Tokens({
      secret: 'x'.repeat(40),
      revoked: new SqliteRevocationStore(database, now),
      people,
      now,
      validFrom: () => 0,
      idleMs: Number.MAX_SAFE_INTEGER,
      signIns: new SqliteSignInStore(database),
    })
    const person = people.get('operator')
    if (person === undefined) throw new Error('There is no owner.')
    const issued = Array.from({ length: 50 }, () =>
      tokens.issue(person, { address: '::1', client: '', method: 'password' }),
    )
    const each = (work: (at: number) => void) => {
      const times: number[] = []
      for (let at = 0; at < checks; at++) {
        const begun = process.hrtime.bigint()
        work(at)
        times.push(Number(process.hrtime.bigint() - begun) / 1_000)
      }
      return median(times)
    }
    const known = issued.map(({ token }) => tokens.verify(token))
    const pick = <T>(items: readonly T[], at: number): T => items[at % items.length] as T
    const measured = [
      each((at) => void tokens.verify(pick(issued, at).token)),
      each((at) => void tokens.again(pick(known, at))),
    ]
    database.close()
    rmSync(dir, { recursive: true })
    return measured
  },
}
