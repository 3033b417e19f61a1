import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteTimeFloor } from '../src/store/sqlite/time-floor.ts'
import { folder } from './support/data-dir.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { postJson } from './support/people.ts'
import { calls, scripted } from './support/scripted-model.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const hourMs = 3_600_000

test('a clock that is set back while JARVIS is down brings no sign-in, link or card back', async () => {
  const dataDir = folder()
  const clock = createSkippingClock()
  const first = await startJarvis({ dataDir, clock, model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const { token } = (await (await postJson(first, '/auth/login', { password })).json()) as { token: string }
  const screen = await first.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const card = await screen.next('chat:confirm_needed')
  clock.skip(60 * 24 * hourMs)
  await first.stop()

  const second = await startJarvis({ dataDir, model: scripted() })
  const asked = await fetch(`${second.url}/api/sessions`, { headers: { authorization: `Bearer ${token}` } })
  expect(asked.status).toBe(401)
  const again = await second.connect()
  const late = await again.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(late.ok).toBe(false)
  expect(second.controls.effects).toEqual([])
  await second.stop()
  const sql = new Sqlite(join(dataDir, 'jarvis.db'), { readonly: true })
  expect(sql.prepare("SELECT count(*) FROM journal WHERE body LIKE '%clock_set_back%'").pluck().get()).toBe(1)
  sql.close()
})

test('each row with an end of its own stays ended; what had not ended goes on, and a revoked token is not forgotten', () => {
  const database = openDatabase(':memory:')
  const floor = new SqliteTimeFloor(database, 10)
  const { sql } = database
  sql.exec(`INSERT INTO links (id, kind, hash, by, created_at, expires_at) VALUES ('past', 'join', 'a', '', 1, 90), ('open', 'join', 'b', '', 1, 150);
    INSERT INTO sign_ins (id, person, hash, address, client, method, created_at, last_seen_at, ends_at)
      VALUES ('idle', 'operator', 'a', '', '', '', 1, 85, 900), ('used', 'operator', 'b', '', '', '', 1, 95, 900);
    INSERT INTO revoked_tokens VALUES ('r', 90);`)
  floor.keep(100_000, 100_000)
  expect([floor.above(96_000), floor.above(50)]).toEqual([undefined, 100_000])
  floor.end(100, 50)
  const all = (query: string) => sql.prepare(query).pluck().all()
  expect(all("SELECT id || ' ' || expires_at FROM links ORDER BY id")).toEqual(['open 150', 'past 50'])
  expect(all("SELECT id || ' ' || ends_at FROM sign_ins ORDER BY id")).toEqual(['idle 50', 'used 900'])
  expect(all('SELECT expires_at FROM revoked_tokens')).toEqual([90])
  expect(floor.above(50)).toBeUndefined()
  database.close()
})
