import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { PartStatus, Status } from 'protocol'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const restart = () => calls(['restart_vm', { vmid: 103 }])
const stop103 = () => calls(['stop_vm', { vmid: 103 }])

function doctor(dir: string, change: (sql: Sqlite.Database) => void) {
  const sql = new Sqlite(join(dir, 'jarvis.db'))
  change(sql)
  sql.close()
}
async function journalPart(jarvis: TestJarvis): Promise<PartStatus | undefined> {
  const { parts } = (await (await jarvis.rest('/api/status')).json()) as Status
  return parts.find(({ name }) => name === 'Journal')
}

/** A data dir with one card that waits; JARVIS is stopped. */
async function withCard() {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir, model: scripted(stop103()) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const card = await operator.next('chat:confirm_needed')
  await jarvis.stop()
  return { dataDir, sessionId, card }
}
const approve = (sql: Sqlite.Database) =>
  void sql
    .prepare("UPDATE confirmations SET decision = 'approved', decided_by = 'operator', decided_at = ?")
    .run(Date.now())
const entry = (sql: Sqlite.Database, kind: string, body: object) =>
  void sql
    .prepare(
      'INSERT INTO journal (seq, at, kind, body, hash) SELECT MAX(seq) + 1, ?, ?, ?, hex(randomblob(32)) FROM journal',
    )
    .run(Date.now(), kind, JSON.stringify(body))

test.each<[string, (sql: Sqlite.Database, card: { toolUseId: string }) => void]>([
  ['a row that says approved', approve],
  [
    'a row and an entry that is not in the chain',
    (sql, { toolUseId }) => {
      const bindingHash = sql.prepare('SELECT binding_hash FROM confirmations').pluck().get()
      approve(sql)
      entry(sql, 'decision', { toolUseId, bindingHash, decision: 'approved', by: 'operator' })
    },
  ],
])('%s runs nothing at the next start: a person is asked', async (_what, change) => {
  const { dataDir, sessionId, card } = await withCard()
  doctor(dataDir, (sql) => change(sql, card))
  const jarvis = await startJarvis({ dataDir, model: scripted(says('Well.')) })
  const operator = await jarvis.connect()
  const pending = async () => (await operator.ask('chat:attach', { sessionId })).snapshot.pending
  await expect.poll(pending).toHaveLength(1)
  const [anew] = await pending()
  expect(anew).toMatchObject({
    callId: card.toolUseId,
    changed: expect.stringContaining('The journal has no approval'),
  })
  expect(jarvis.controls.effects).toEqual([])
  await operator.ask('chat:confirm', { sessionId, toolUseId: anew?.toolUseId ?? '', confirmed: true })
  await expect.poll(() => jarvis.controls.effects.length).toBe(1)
})

test('a grant that was written, widened or altered outside JARVIS lets nothing run', async () => {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir, model: scripted(restart(), says('A.'), restart()) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  const grant = { minutes: 30, uses: 2 }
  await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: true, grant } })
  await operator.next('chat:done')
  const effects = jarvis.controls.effects.length
  doctor(dataDir, (sql) => sql.exec('UPDATE grants SET expires_at = expires_at + 86400000'))
  await operator.ask('chat:send', { sessionId, message: 'Again.' })
  await operator.next('chat:confirm_needed')
  expect(jarvis.controls.effects).toHaveLength(effects)
  expect(await (await jarvis.rest('/api/grants')).json()).toEqual({ items: [] })
})

test.each<[string, (sql: Sqlite.Database) => void, Partial<PartStatus>]>([
  [
    'a tail that a torn log lost',
    (sql) => sql.exec('DELETE FROM journal WHERE seq = (SELECT MAX(seq) FROM journal); DELETE FROM confirmations'),
    {
      health: 'bad',
      text: expect.stringContaining('the tail was cut off'),
      effect: expect.stringContaining('may be gone'),
    },
  ],
  [
    'an anchored entry that was written anew',
    (sql) => sql.exec(`UPDATE journal SET hash = hex(randomblob(32)) WHERE seq = (SELECT MAX(seq) FROM journal)`),
    { health: 'bad', text: expect.stringContaining('written anew'), effect: expect.stringContaining('no evidence') },
  ],
  [
    'a card of which only the journal knows',
    (sql) => sql.exec('DELETE FROM confirmations; DELETE FROM runs'),
    {
      health: 'warn',
      text: expect.stringContaining('A card that waited is gone'),
      effect: expect.stringContaining('Ask again'),
    },
  ],
])('the status says of the journal: %s', async (_what, change, said) => {
  const { dataDir } = await withCard()
  doctor(dataDir, change)
  const jarvis = await startJarvis({ dataDir, model: scripted() })
  expect(await journalPart(jarvis)).toMatchObject(said)
})

test('an intact journal is reported as intact, and the result of a verification is kept', async () => {
  const { dataDir } = await withCard()
  const jarvis = await startJarvis({ dataDir, model: scripted() })
  expect(await journalPart(jarvis)).toMatchObject({ health: 'ok' })
  doctor(dataDir, (sql) => sql.exec(`UPDATE journal SET body = '{}' WHERE seq = 1`))
  await jarvis.rest('/api/journal/verify')
  expect(await journalPart(jarvis)).toMatchObject({ health: 'bad', text: 'Entry 1 is not as it was written.' })
})
