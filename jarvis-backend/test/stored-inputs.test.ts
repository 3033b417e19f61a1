import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Card, Content } from 'protocol'
import { createRedactor } from 'redaction/redact'
import { sealedRows, sealRows } from 'secrets'
import { createBox } from 'secrets/box'
import { expect, test } from 'vitest'
import { SqliteConfirmationStore } from '../src/store/sqlite/calls/confirmations.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { DatabaseKeepers } from '../src/store/sqlite/memory/keepers.ts'
import { openMemoryStore } from '../src/store/sqlite/memory/store.ts'
import { HeldInputs } from '../src/store/sqlite/sessions/held-inputs.ts'
import { InputsRedaction } from '../src/store/sqlite/sessions/redact-inputs.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { snapshotGuest } from './support/snapshot-guest.ts'
import { startJarvis } from './support/start-jarvis.ts'

const secret = 'Winter-2031-xq'
const note = `login --password ${secret}`
const { value: redact } = createRedactor([])
const boxWith = (...ids: string[]) => createBox(new Map(ids.map((id) => [id.repeat(16), Buffer.alloc(32, id)])))
const call = (id: string, toolInput = { vmid: 104, note }): Content[] => [
  { type: 'tool_call', toolUseId: id, toolName: 'snapshot_guest', toolInput },
]

/** The files of a data dir that hold the text. */
const filesWith = (dataDir: string, text: string) =>
  (
    readdirSync(dataDir, { recursive: true, withFileTypes: true }) as {
      name: string
      parentPath: string
      isFile(): boolean
    }[]
  )
    .filter((file) => file.isFile() && readFileSync(join(file.parentPath, file.name), 'latin1').includes(text))
    .map(({ name }) => name)

test('a call that waits runs with its real arguments after a restart, and no file and no reader ever has them', async () => {
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    'rules: [{name: ask, effect: create, on: guest, tier: red, because: Snapshots fill the disk.}]',
  )
  const ran: unknown[] = []
  const tool = snapshotGuest([])
  const run = (...args: Parameters<typeof tool.run>) => {
    ran.push(args[0])
    return tool.run(...args)
  }
  const tools = [{ ...tool, run }]
  const env = { JARVIS_EMBEDDINGS: 'none' }

  const before = await startJarvis({
    dataDir,
    env,
    tools,
    model: scripted(calls(['snapshot_guest', { vmid: 104, note }])),
  })
  const first = await before.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'Snapshot 104.' })
  const card = await first.next('chat:confirm_needed')
  expect(filesWith(dataDir, secret)).toEqual([])
  await before.stop()
  expect(filesWith(dataDir, secret)).toEqual([])

  const after = await startJarvis({ dataDir, env, tools, model: scripted(says('Taken.')) })
  const second = await after.connect()
  await second.ask('chat:attach', { sessionId })
  await second.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  await second.next('chat:done')
  expect(ran).toEqual([{ vmid: 104, note }])
  expect(second.names()).not.toContain('chat:confirm_needed')
  await expect
    .poll(async () => (await after.rest(`/api/memory/sessions/${sessionId}`, { role: 'viewer' })).text(), {
      timeout: 20_000,
    })
    .toContain('login --password [redacted]')
  await after.stop()
  expect(filesWith(dataDir, secret)).toEqual([])
  const { sql, close } = openDatabase(join(dataDir, 'jarvis.db'))
  expect(sql.prepare('SELECT * FROM held_inputs').all()).toEqual([])
  close()
})

test('an operator’s own call in place of a denied one runs with its real arguments, and nobody reads them', async () => {
  const dataDir = folder()
  const ran: unknown[] = []
  const tool = snapshotGuest([])
  const run = (...args: Parameters<typeof tool.run>) => {
    ran.push(args[0])
    return tool.run(...args)
  }
  const model = scripted(calls(['stop_vm', { vmid: 101 }]), says('Well.'))
  const jarvis = await startJarvis({ dataDir, env: { JARVIS_EMBEDDINGS: 'none' }, tools: [{ ...tool, run }], model })
  const mira = await jarvis.connect()
  const { sessionId } = await mira.ask('chat:send', { message: 'Stop 101.' })
  const { toolUseId } = await mira.next('chat:confirm_needed')
  const alternative = { toolName: 'snapshot_guest', toolInput: { vmid: 104, note } }
  await mira.ask('chat:confirm', { sessionId, toolUseId, confirmed: false, alternative })
  await mira.next('chat:done')
  expect(ran).toEqual([{ vmid: 104, note }])
  const told = [mira.received, model.requests, await (await jarvis.rest('/api/journal?limit=200')).json()]
  expect(JSON.stringify(told)).toContain('login --password [redacted]')
  expect(JSON.stringify(told)).not.toContain(secret)
  await jarvis.stop()
  expect(filesWith(dataDir, secret)).toEqual([])
})

test('the call that an operator named instead is real again after a restart, and never runs where its key is lost', () => {
  const database = openDatabase(':memory:')
  const transcript = new SqliteTranscriptStore(database)
  transcript.createSession({ id: 'ses_1', title: '', source: 'mcp', at: 0 })
  transcript.addRun({ id: 'run_1', sessionId: 'ses_1', origin: { kind: 'mcp', client: 't' }, status: 'running', at: 0 })
  const storeWith = (id: string) =>
    new SqliteConfirmationStore(database, new HeldInputs(database, { redact, ...boxWith(id) }))
  const card = { toolUseId: 'tu_1', createdAt: 1, expiresAt: 9 } as Card
  storeWith('a').add({ card, sessionId: 'ses_1', runId: 'run_1', bindingHash: '', callKey: '' })
  const alternative = { toolUseId: 'tu_2', toolName: 'snapshot_guest', toolInput: { vmid: 104, note } }
  storeWith('a').resolve('tu_1', { decision: 'denied', by: 'operator', at: 2, alternative })
  const read = (id: string) => storeWith(id).get('tu_1')?.resolution?.alternative
  expect(read('a')).toEqual(alternative)
  expect(read('c')).toMatchObject({ malformed: expect.stringContaining('key') })
  expect(JSON.stringify(database.sql.prepare('SELECT * FROM confirmations').all())).not.toContain(secret)
  transcript.setRunStatus('run_1', 'ended')
  expect(read('a')?.toolInput.note).toBe('login --password [redacted]')
  database.close()
})

test('real arguments are held until their run has ended, longer where a program may ask for them again', () => {
  const database = openDatabase(':memory:')
  const held = new HeldInputs(database, { redact, ...boxWith('a') })
  const [store, stored] = [new SqliteTranscriptStore(database, held), new SqliteTranscriptStore(database)]
  store.createSession({ id: 'ses_1', title: '', source: 'mcp', at: 0 })
  store.addRun({ id: 'run_1', sessionId: 'ses_1', origin: { kind: 'mcp', client: 't' }, status: 'running', at: 0 })
  const turn = {
    type: 'assistant',
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  } as const
  const place = { runId: 'run_1', at: 1, stopReason: 'tool_use', model: 'm' } as const
  store.append('ses_1', { ...turn, ...place, seq: 0, content: [...call('tu_1'), ...call('tu_2')] })
  store.append('ses_1', {
    type: 'tool_result',
    runId: 'run_1',
    at: 1,
    seq: 1,
    toolUseId: 'tu_2',
    isHandedOut: true,
    result: '',
    summary: '',
    isError: false,
    durationMs: 0,
  })
  const inputs = (of: typeof store) =>
    of
      .entriesOfRun('run_1')
      .flatMap((entry) =>
        entry.type === 'assistant' ? entry.content.map((item) => item.type === 'tool_call' && item.toolInput.note) : [],
      )
  const safe = 'login --password [redacted]'
  expect([inputs(store), inputs(stored)]).toEqual([
    [note, note],
    [safe, safe],
  ])
  expect(store.entry('ses_1', 0)).toEqual(store.entriesOfRun('run_1')[0])

  // A newer key seals them again; a key that is lost leaves a call that never runs.
  sealRows(database.sql, boxWith('a', 'b'), (work) => work())
  const withNewer = new SqliteTranscriptStore(database, new HeldInputs(database, { redact, ...boxWith('b') }))
  expect(inputs(withNewer)).toEqual([note, note])
  const without = new SqliteTranscriptStore(database, new HeldInputs(database, { redact, ...boxWith('c') }))
  expect(without.entry('ses_1', 0)).toMatchObject({ content: [{ malformed: expect.stringContaining('key') }, {}] })
  store.setRunStatus('run_1', 'ended')
  expect(inputs(withNewer)).toEqual([safe, note])
  for (const { put } of sealedRows(database.sql)) put(undefined)
  expect(withNewer.entry('ses_1', 0)).toMatchObject({ content: [{}, { malformed: expect.stringContaining('key') }] })
  store.deleteSession('ses_1')
  expect(database.sql.prepare('SELECT * FROM held_inputs').all()).toEqual([])
  database.close()
})

test('what an earlier release stored is redacted in slices, over restarts, and overwritten; calls at work keep their arguments', () => {
  const dir = folder()
  const path = join(dir, 'jarvis.db')
  const open = () => {
    const database = openDatabase(path)
    const held = new HeldInputs(database, { redact, ...boxWith('a') })
    return { database, held, store: new SqliteTranscriptStore(database, held) }
  }
  const old = open()
  // As a release left it that knew no redaction of what is stored.
  old.database.sql.exec("DELETE FROM settings WHERE key = 'stored_inputs_redacted'")
  const stored = new SqliteTranscriptStore(old.database)
  const sizes = 300
  for (const [at, id] of ['ended', 'waiting'].entries()) {
    stored.createSession({ id: `ses_${id}`, title: '', source: 'chat', at })
    stored.addRun({ id, sessionId: `ses_${id}`, origin: { kind: 'mcp', client: 't' }, status: 'running', at })
    for (let seq = 0; seq < sizes; seq += 1)
      stored.append(`ses_${id}`, {
        type: 'assistant',
        seq,
        runId: id,
        at,
        model: 'm',
        stopReason: 'tool_use',
        content: call(`tu_${id}_${seq}`),
        usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      })
  }
  stored.setRunStatus('ended', 'ended')
  const rows = (database: typeof old.database) =>
    database.sql.prepare('SELECT COUNT(*) FROM entries WHERE body LIKE ?').pluck().get(`%${secret}%`)
  const areRemembered = () => {
    const keepers = new DatabaseKeepers(path)
    const [session] = keepers.sessionsOf('main').list()
    keepers.close()
    return session?.checksum.includes('no inputs') === false
  }
  expect([rows(old.database), areRemembered()]).toEqual([2 * sizes, false])
  old.database.close()
  expect(filesWith(dir, secret)).toEqual(['jarvis.db'])

  // No time at all: one row a start.
  for (let start = 1; start <= 3; start += 1) {
    const { database, held } = open()
    const redaction = new InputsRedaction(database, { held, redact, later() {}, report() {} })
    expect(redaction.goOn(0)).toBe(false)
    expect(rows(database)).toBe(2 * sizes - start)
    database.close()
  }
  const last = open()
  const later: (() => void)[] = []
  const parts = { held: last.held, redact, later: (_ms: number, run: () => void) => void later.push(run), report() {} }
  const redaction = new InputsRedaction(last.database, parts)
  redaction.schedule()
  for (let run = later.shift(); run !== undefined; run = later.shift()) run()
  redaction.schedule()
  expect(later).toEqual([])
  expect([rows(last.database), areRemembered(), filesWith(dir, secret)]).toEqual([0, true, []])
  const [entry] = last.store.entriesOfRun('waiting')
  expect(entry).toMatchObject({ content: call('tu_waiting_0') })
  expect(JSON.stringify(last.store.entriesOfRun('ended'))).not.toContain(secret)
  last.database.close()
})

test('an index of the earlier release loses what it remembered of conversations', () => {
  const dir = folder()
  const path = join(dir, 'memory.db')
  const store = openMemoryStore(path, () => expect.fail('The index is fine.'))
  const chunk = {
    firstLine: 1,
    lastLine: 1,
    heading: '',
    hash: Buffer.from('x'),
    isFromTools: true,
    meaning: undefined,
  }
  const source = { title: '', checksum: '1', changedAt: 1 }
  store.replace(
    { ...source, kind: 'session', name: 'ses_1' },
    [{ ...chunk, text: `snapshot_guest ${note}` }],
    undefined,
  )
  store.replace({ ...source, kind: 'file', name: 'MEMORY.md' }, [{ ...chunk, text: 'A note.' }], undefined)
  store.close()
  const { sql, close } = openDatabase(path.replace('memory', 'other'))
  sql.exec(
    `ATTACH '${path}' AS memory; ALTER TABLE memory.chunks DROP COLUMN at; PRAGMA memory.user_version = 3; DETACH memory`,
  )
  close()
  expect(filesWith(dir, secret)).toEqual(['memory.db'])

  const opened = openMemoryStore(path, () => expect.fail('The index is fine.'))
  expect([opened.chunksOf('ses_1'), opened.chunksOf('MEMORY.md').length]).toEqual([[], 1])
  opened.close()
  expect(filesWith(dir, secret.toLowerCase())).toEqual([])
  expect(filesWith(dir, secret)).toEqual([])
})
