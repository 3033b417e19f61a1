import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentDetail, AgentsReply, AgentWhichReply, JournalEntry, Page, ToolInput } from 'protocol'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/tools/tool.ts'
import { folder } from './support/data-dir.ts'
import { failingRows } from './support/failing-rows.ts'
import { connectMcp, createToken } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const yaml = `agents:
  media:
    about: Looks after the films.
    ceiling: yellow
    memory: own
    tools: { allow: [get_*, start_vm, stop_vm, memory_*], deny: [get_storage] }
    bindings: [{ door: mcp, token: films }]
  reader: { ceiling: green, memory: none }
  far: { memory: shared }
`
/** A data dir with these agents. */
function dataDir(text = yaml) {
  const dir = folder()
  writeFileSync(join(dir, 'agents.yaml'), text)
  return dir
}
/** A promise, and what resolves it. */
function gate() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
const stopVm = { vmid: 101 }
/** An entry of the journal. */
type Entry = Omit<JournalEntry, 'body'> & { body: Record<string, unknown> }
const bodyOf = async <T>(response: Promise<Response>) => (await (await response).json()) as T
const journalOf = async (jarvis: TestJarvis) => (await bodyOf<Page<Entry>>(jarvis.rest('/api/journal?limit=50'))).items

describe('what an agent may do', () => {
  test('its model is offered its own tools, and nothing above its ceiling', async () => {
    const model = scripted(says('Yes.'))
    const jarvis = await startJarvis({ model, dataDir: dataDir() })
    const screen = await jarvis.connect('/chat')
    await screen.ask('chat:send', { message: '@media is it on?' })
    await screen.next('chat:done')

    const [request] = model.requests
    const names = request?.tools.map(({ name }) => name) ?? []
    expect(names).toContain('get_vms')
    expect(names).not.toContain('get_storage')
    expect(names).not.toContain('execute_ssh')
    expect(names).not.toContain('stop_vm')
    expect(request?.system).toContain('You are media')
    expect(request?.messages.at(-1)).toMatchObject({ text: 'is it on?' })
  })

  const beyond: [toolName: string, toolInput: ToolInput, rule: string][] = [
    ['get_storage', {}, 'agent_tools'],
    ['execute_ssh', { node: 'pve', command: 'uptime' }, 'agent_tools'],
    ['stop_vm', stopVm, 'agent_ceiling'],
  ]
  test('what is beyond it is refused in the way of the call, whoever asks for it', async () => {
    const turns = beyond.flatMap(([toolName, toolInput]) => [calls([toolName, toolInput]), says('Refused.')])
    const jarvis = await startJarvis({ model: scripted(...turns), dataDir: dataDir() })
    const judge = async ([toolName, toolInput, rule]: (typeof beyond)[number]) => {
      const screen = await jarvis.connect('/chat')
      const { sessionId } = await screen.ask('chat:send', { message: 'Do it.', agent: 'media' })
      expect(await screen.next('chat:blocked')).toMatchObject({ toolName, rule })
      await screen.next('chat:done')
      // Typed by a person in the same session.
      const words = Object.entries(toolInput).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      await screen.ask('chat:send', { sessionId, message: `/${toolName} ${words.join(' ')}` })
      expect(await screen.next('chat:blocked')).toMatchObject({ toolName, rule })
      await screen.next('chat:done')
      expect(jarvis.guest(101)?.status).toBe('running')
      const refusals = (await journalOf(jarvis)).filter(({ kind }) => kind === 'refusal')
      expect(refusals.slice(0, 2).map(({ body }) => body.requestedBy)).toEqual([
        expect.objectContaining({ kind: 'command', agent: 'media' }),
        expect.objectContaining({ kind: 'chat', agent: 'media' }),
      ])
    }
    expect(await failingRows(beyond, judge)).toEqual([])
  })

  test('a runbook reads and runs no more than its agent may', async () => {
    const dir = dataDir('agents:\n  books: { tools: { allow: [run_runbook, list_runbooks] } }\n')
    const jarvis = await startJarvis({ dataDir: dir })
    const screen = await jarvis.connect('/chat')
    const list = await bodyOf<{ items: { name: string }[] }>(jarvis.rest('/api/runbooks'))
    expect(list.items.length).toBeGreaterThan(0)
    writeFileSync(
      join(dir, 'workspace', 'runbooks', 'look.md'),
      '---\nname: Look\n---\nIt looks.\n\n## 1. Look\ntool: get_storage\nargs: { status: inactive }\n',
    )
    await screen.ask('chat:send', { message: '/run_runbook name=look', agent: 'books' })
    await screen.next('chat:done')
    const run = screen.received.filter(({ event }) => event === 'chat:blocked' || event === 'chat:tool_result')
    expect(JSON.stringify(run)).toContain('may not use get_storage')
  })

  test('a card that waits is refused when its agent has been narrowed, and gone when it has been deleted', async () => {
    const dir = dataDir('agents:\n  ops: {}\n')
    const model = scripted(calls(['stop_vm', stopVm]), says('It was refused.'))
    const jarvis = await startJarvis({ model, dataDir: dir })
    const screen = await jarvis.connect('/chat')
    const { sessionId } = await screen.ask('chat:send', { message: 'Stop 101.', agent: 'ops' })
    const card = await screen.next('chat:confirm_needed')
    expect(card.requestedBy).toMatchObject({ agent: 'ops' })
    expect(
      (await jarvis.rest('/api/agents/ops', { method: 'PUT', json: { agent: { ceiling: 'yellow' } } })).status,
    ).toBe(200)
    await screen.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    expect(await screen.next('chat:blocked')).toMatchObject({ rule: 'agent_ceiling' })
    await screen.next('chat:done')
    expect(jarvis.guest(101)?.status).toBe('running')

    expect((await jarvis.rest('/api/agents/ops', { method: 'DELETE' })).status).toBe(204)
    const sent = await screen.request('chat:send', { sessionId, message: 'And now?' })
    expect(sent).toMatchObject({ ok: false, error: { code: 'unknown_agent' } })
  })
})

test('an agent deleted while it answers ends the answer with that reason, and nothing runs as main', async () => {
  const dir = dataDir('agents:\n  ops: {}\n')
  let isRun = 0
  const open = gate()
  const begun = gate()
  const slow = defineTool({
    name: 'look_long',
    title: 'Look long',
    description: 'Looks.',
    tier: 'green',
    timeoutMs: 60_000,
    input: z.strictObject({}),
    touches: [{ kind: 'read', on: 'site' }],
    effects: () => [{ kind: 'read', on: 'site', target: { kind: 'none', id: '' } }],
    async run() {
      isRun += 1
      begun.resolve()
      await open.promise
      return { text: 'seen', summary: 'seen' }
    },
  })
  const model = scripted(calls(['look_long', {}]))
  const jarvis = await startJarvis({ model, dataDir: dir, tools: [slow] })
  const screen = await jarvis.connect('/chat')
  await screen.ask('chat:send', { message: 'Look.', agent: 'ops' })
  await begun.promise
  expect((await jarvis.rest('/api/agents/ops', { method: 'DELETE' })).status).toBe(204)
  open.resolve()
  expect(await screen.next('chat:error')).toMatchObject({
    code: 'unknown_agent',
    error: expect.stringContaining('ops is gone'),
  })
  expect([isRun, model.left()]).toEqual([1, 0])
})

describe('agents.yaml', () => {
  test('a wrong file keeps the agents before, after a restart too, and says so', async () => {
    const dir = dataDir()
    const first = await startJarvis({ dataDir: dir })
    expect((await bodyOf<AgentsReply>(first.rest('/api/agents'))).items.map(({ id }) => id)).toEqual([
      'main',
      'media',
      'reader',
      'far',
    ])
    writeFileSync(join(dir, 'agents.yaml'), yaml.replace('ceiling: yellow', 'ceilling: red'))
    await expect
      .poll(async () => (await bodyOf<AgentsReply>(first.rest('/api/agents'))).problems)
      .toEqual([expect.stringMatching(/^agents\.yaml:4:5 .*ceilling is not known here; the nearest is ceiling/)])
    await first.stop()

    const second = await startJarvis({ dataDir: dir })
    const reply = await bodyOf<AgentsReply>(second.rest('/api/agents'))
    expect(reply.problems).toHaveLength(1)
    expect(reply.items.find(({ id }) => id === 'media')).toMatchObject({ ceiling: 'yellow' })
    // Members of the file that the person may not see are not overwritten.
    const put = await second.rest('/api/agents/media', { method: 'PUT', json: { agent: {} } })
    expect(put.status).toBe(409)
  })

  test('REST makes, changes and deletes, keeps what else stands in the file, and journals', async () => {
    const dir = dataDir(`# by hand\n${yaml}`)
    const jarvis = await startJarvis({ dataDir: dir })
    const put = (json: object, id = 'coder') => jarvis.rest(`/api/agents/${id}`, { method: 'PUT', json })
    expect((await put({ agent: { about: 'Reads logs.', ceiling: 'green' } })).status).toBe(200)
    expect(await bodyOf<AgentDetail>(jarvis.rest('/api/agents/coder'))).toMatchObject({
      about: 'Reads logs.',
      ceiling: 'green',
    })
    expect(readFileSync(join(dir, 'agents.yaml'), 'utf8')).toContain('# by hand')
    expect((await put({ agent: { tools: { allow: ['get_vm'] } } })).status).toBe(400)
    expect((await put({ agent: {}, hash: 'old' })).status).toBe(409)
    expect((await put({ agent: { ceiling: 'green' } }, 'main')).status).toBe(400)
    expect((await put({ agent: {} }, 'Not%20one')).status).toBe(400)
    expect((await jarvis.rest('/api/agents/main', { method: 'DELETE' })).status).toBe(404)
    expect((await jarvis.rest('/api/agents/coder', { method: 'DELETE' })).status).toBe(204)
    const changes = (await journalOf(jarvis)).filter(({ kind, body }) => kind === 'agent' && body.agent === 'coder')
    expect(changes.map(({ body }) => body.change)).toEqual(['deleted', 'made'])
  })

  test('files lie in the agent’s own folder, are written with their checksum, and leave it nowhere', async () => {
    const dir = dataDir()
    const jarvis = await startJarvis({ dataDir: dir })
    const file = (path: string, json: object) => jarvis.rest(`/api/agents/media/files/${path}`, { method: 'PUT', json })
    expect((await file('SOUL.md', { text: 'You speak plainly.' })).status).toBe(200)
    expect(readFileSync(join(dir, 'agents', 'media', 'SOUL.md'), 'utf8')).toBe('You speak plainly.')
    expect((await file('SOUL.md', { text: 'Other.' })).status).toBe(409)
    for (const path of ['..%2F..%2Fworkspace%2FSOUL.md', '%2Fetc%2Fpasswd', 'x.sh']) {
      expect((await file(path, { text: 'no' })).status).toBe(400)
    }
    const { files } = await bodyOf<AgentDetail>(jarvis.rest('/api/agents/media'))
    expect(files).toEqual([expect.objectContaining({ path: 'SOUL.md', isPrompt: true, by: expect.any(String) })])
  })
})

test('a conversation stays with its agent, and says so', async () => {
  const jarvis = await startJarvis({ model: scripted(says('Hello.')), dataDir: dataDir() })
  const screen = await jarvis.connect('/chat')
  const { sessionId } = await screen.ask('chat:send', { message: '@media hello there' })
  await screen.next('chat:done')
  expect(await screen.request('chat:send', { sessionId, message: '@reader and you?' })).toMatchObject({
    ok: false,
    error: { code: 'conflict', message: expect.stringContaining('with media') },
  })
  await screen.ask('chat:send', { sessionId, message: '/agent reader' })
  await screen.next('chat:done')
  expect(JSON.stringify(screen.received)).toContain('Begin a new one with @reader')
  expect(await screen.request('chat:send', { message: '@nobody are you there?' })).toMatchObject({
    ok: false,
    error: { code: 'unknown_agent' },
  })
  const session = await bodyOf<{ agent: string }>(jarvis.rest(`/api/sessions/${sessionId}`))
  expect(session.agent).toBe('media')
})

test('a grant serves the agent that it was given to', async () => {
  const dir = dataDir('agents:\n  ops: {}\n')
  const stop = () => calls(['restart_vm', stopVm])
  const model = scripted(stop(), says('Done.'), stop(), says('Done.'), stop(), says('It waits.'))
  const jarvis = await startJarvis({ model, dataDir: dir })
  const screen = await jarvis.connect('/chat')
  const { sessionId } = await screen.ask('chat:send', { message: 'Restart 101.', agent: 'ops' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant: { uses: 5 } })
  await screen.next('chat:done')
  await screen.ask('chat:send', { message: 'Restart 101.', agent: 'ops' })
  await screen.next('chat:done')
  expect(screen.names().filter((name) => name === 'chat:confirm_needed')).toHaveLength(1)
  const asMain = await screen.ask('chat:send', { message: 'Restart 101.' })
  const other = await screen.next('chat:confirm_needed')
  expect(other.requestedBy.agent).toBeUndefined()
  await screen.ask('chat:confirm', { sessionId: asMain.sessionId, toolUseId: other.toolUseId, confirmed: false })
  await screen.next('chat:done')
})

test('each memory is its own', async () => {
  const dir = dataDir()
  mkdirSync(join(dir, 'workspace'), { recursive: true })
  writeFileSync(join(dir, 'workspace', 'MEMORY.md'), 'The turquoise UPS lasts eleven minutes.\n')
  const jarvis = await startJarvis({
    dataDir: dir,
    model: scripted(says('Noted.')),
  })
  const screen = await jarvis.connect('/chat')
  const say = async (message: string, agent: string) => {
    const { sessionId } = await screen.ask('chat:send', { message, agent })
    await screen.next('chat:done')
    return sessionId
  }
  await say('/memory_write text="The turquoise projector hums."', 'media')
  expect(readFileSync(join(dir, 'workspace', 'MEMORY.md'), 'utf8')).not.toContain('projector')
  await jarvis.rest('/api/memory/reindex', { method: 'POST' })
  const found = async (agent: string) => {
    const before = screen.received.length
    await say('/memory_search query="turquoise"', agent)
    return JSON.stringify(screen.received.slice(before))
  }
  await expect.poll(() => found('media')).toContain('projector')
  expect(await found('media')).not.toContain('eleven minutes')
  expect(await found('main')).not.toContain('hums')
  await expect.poll(() => found('far')).toContain('eleven minutes')
  expect(await found('reader')).toContain('may not use memory_search')
})

test('notes in the folder shared reach every agent that has a memory, as words of whoever wrote them', async () => {
  const dir = dataDir()
  const shared = join(dir, 'workspace', 'shared')
  mkdirSync(shared, { recursive: true })
  writeFileSync(join(shared, 'network.md'), 'The turquoise switch is in the cellar.\n')
  writeFileSync(join(dir, 'workspace', 'MEMORY.md'), 'The turquoise UPS lasts eleven minutes.\n')
  mkdirSync(join(dir, 'agents', 'media', 'shared'), { recursive: true })
  writeFileSync(join(dir, 'agents', 'media', 'shared', 'own.md'), 'Before there was a shared folder.\n')
  writeFileSync(join(shared, 'garage.md'), '## What others wrote\n\nThe crimson code of the garage is 4711.\n')
  const model = scripted(says('In the cellar.'), says('In the cellar.'), says('4711.'))
  const jarvis = await startJarvis({ dataDir: dir, model })
  const screen = await jarvis.connect('/chat')
  const say = async (message: string, agent: string) => {
    const before = screen.received.length
    await screen.ask('chat:send', { message, agent })
    await screen.next('chat:done')
    return JSON.stringify(screen.received.slice(before))
  }
  await jarvis.rest('/api/memory/reindex', { method: 'POST' })
  await expect.poll(() => say('/memory_search query="turquoise"', 'media')).toContain('in the cellar')
  expect(await say('/memory_search query="turquoise"', 'media')).not.toContain('eleven minutes')
  for (const agent of ['main', 'far'])
    expect(await say('/memory_search query="turquoise"', agent)).toMatch(/cellar.*eleven|eleven.*cellar/)
  expect(await say('/memory_get path="shared/network.md"', 'media')).toContain('in the cellar')
  expect(await say('/memory_get path="shared/own.md"', 'media')).toContain('Before there was')
  expect(await say('/memory_get', 'media')).toContain('shared/network.md')
  expect(await say('/memory_get path="MEMORY.md"', 'media')).not.toContain('eleven')

  // Main writes there as into its other notes; an agent with a memory of its own does not.
  await say('/memory_write path="shared/network.md" text="The turquoise switch has 48 ports."', 'main')
  expect(readFileSync(join(shared, 'network.md'), 'utf8')).toContain('48 ports')
  const refused = await say('/memory_write path="shared/network.md" text="Obey."', 'media')
  expect(refused).toContain('People and the main agent write the folder shared')
  expect(readFileSync(join(shared, 'network.md'), 'utf8')).not.toContain('Obey')

  // It is recalled for a message, and main's model is told of the folder.
  expect(await say('Where is the turquoise switch of the network?', 'media')).toMatch(
    /chat:recalled.*shared\/network\.md.*"isFromTools":false/,
  )
  await say('Where is the turquoise switch of the network?', 'main')
  expect(await say('What is the crimson code of the garage?', 'media')).toMatch(
    /chat:recalled.*shared\/garage\.md.*"isFromTools":true/,
  )
  const [media, main] = model.requests.map(({ system }) => system)
  expect([media?.includes('the folder shared'), main?.includes('the folder shared')]).toEqual([false, true])
})

test('an MCP client calls in the name of the agent that its token is bound to', async () => {
  const jarvis = await startJarvis({ dataDir: dataDir() })
  const { items, allTools } = await bodyOf<AgentsReply>(jarvis.rest('/api/agents'))
  expect(items.find(({ id }) => id === 'media')?.toolCount).toBeLessThan(allTools)
  expect(await bodyOf<AgentWhichReply>(jarvis.rest('/api/agents/which?door=mcp&token=films'))).toMatchObject({
    agent: 'media',
    number: 1,
    others: [{ agent: 'main' }],
  })
  const client = await connectMcp(jarvis, createToken(jarvis, { name: 'films' }))
  const listed = (await client.listTools()).tools.map(({ name }) => name)
  expect(listed).toContain('get_vms')
  expect(listed).not.toContain('get_storage')
  expect(JSON.stringify(await client.callTool({ name: 'get_storage', arguments: {} }))).toContain(
    'may not use get_storage',
  )
})
