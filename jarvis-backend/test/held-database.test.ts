import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Health, Status } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { reads } from '../src/gate/targets.ts'
import { defineTool } from '../src/tools/tool.ts'
import { folder } from './support/data-dir.ts'
import { calls, type ScriptedModel, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const program = `const Sqlite = require(process.argv[1]); const sql = new Sqlite(process.argv[2]);
sql.exec('BEGIN EXCLUSIVE'); console.log('held'); process.stdin.resume(); process.stdin.on('end', () => sql.close())`

/** Another process that holds the database. @returns a function that lets go, and resolves once it has ended */
async function hold(dataDir: string) {
  const child = spawn(process.execPath, ['-e', program, require_('better-sqlite3'), join(dataDir, 'jarvis.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    await ended
  }
}

/** Questions of the person as the model read them last. */
const textsOf = ({ requests }: ScriptedModel) =>
  (requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'user' && 'text' in message ? message.text : [],
  )
const require_ = (name: string) => new URL(import.meta.resolve(name)).pathname

const healthOf = async (url: string) => (await (await fetch(`${url}/health`)).json()) as Health

test('while another process holds the database, reads and /health answer and what writes waits and is accepted once', async () => {
  const dataDir = folder()
  const model = scripted(says('First.'), says('Second.'), says('Third.'))
  const jarvis = await startJarvis({ dataDir, model })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'One.' })
  await screen.next('chat:done')
  const letGo = await hold(dataDir)

  const order: string[] = []
  const note = (what: string) => () => void order.push(what)
  const sent = screen.request('chat:send', { sessionId, message: 'Two.' })
  const sentAgain = screen.request('chat:send', { sessionId, message: 'Three.' })
  const posted = jarvis.rest('/api/sessions', { method: 'POST', json: { title: 'New.' } })
  void sent.then(note('sent'))
  void posted.then(note('posted'))
  expect(await healthOf(jarvis.url)).toMatchObject({ status: 'ok', database: 'busy' })
  const { parts } = (await (await jarvis.rest('/api/status')).json()) as Status
  expect(parts.find(({ name }) => name === 'Database')?.text).toBe('Another process holds it.')
  expect((await jarvis.rest(`/api/sessions/${sessionId}`)).status).toBe(200)
  expect(await screen.request('chat:attach', { sessionId })).toMatchObject({ ok: true })
  const late = await jarvis.connect()
  expect(await late.request('chat:ping', {})).toEqual({ ok: true })
  expect(order).toEqual([])

  await letGo()
  expect([await sent, await sentAgain]).toMatchObject([{ ok: true }, { ok: true }])
  expect((await posted).status).toBe(201)
  await screen.next('chat:done')
  await screen.next('chat:done')
  expect(screen.names().filter((name) => name === 'chat:error')).toEqual([])
  expect(textsOf(model)).toEqual(['One.', 'Two.', 'Three.'])
  expect(await healthOf(jarvis.url)).not.toHaveProperty('database')
})

test('what a call did while another process took the database is stored once it is free', async () => {
  const dataDir = folder()
  let rung = 0
  let begun = () => {}
  const hasBegun = new Promise<void>((resolve) => (begun = resolve))
  let end = () => {}
  const mayEnd = new Promise<void>((resolve) => (end = resolve))
  const ringBell = defineTool({
    name: 'ring_bell',
    title: 'Ring the bell',
    description: 'Rings the bell.',
    tier: 'red',
    timeoutMs: 60_000,
    touches: [{ kind: 'read', on: 'site' }],
    effects: (_input, world) => reads({}, world),
    input: z.strictObject({}),
    async run() {
      rung += 1
      begun()
      await mayEnd
      return { text: 'It rang.', summary: 'It rang.' }
    },
  })
  const model = scripted(calls(['ring_bell', {}]), says('Done.'))
  const jarvis = await startJarvis({ dataDir, model, tools: [ringBell] })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Ring.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
  await hasBegun
  const letGo = await hold(dataDir)
  end()
  expect(await healthOf(jarvis.url)).toMatchObject({ database: 'busy' })
  await letGo()
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false, summary: 'It rang.' })
  await screen.next('chat:done')
  expect(rung).toBe(1)
})
