import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import type { Entry, SessionSummary, SessionsPage } from 'protocol'
import { expect, test } from 'vitest'
import type { Model } from '../src/agent/model.ts'
import { doctored } from './support/doctored-homelab.ts'
import { calls, pauses, type ScriptedModel, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const named = (id: string, model: ScriptedModel): ScriptedModel => Object.assign(model, { id })
const sonnet = 'anthropic/claude-sonnet-5-5'
const opus = 'anthropic/claude-opus-5-5'

async function list(jarvis: TestJarvis, query = ''): Promise<SessionsPage> {
  const response = await jarvis.rest(`/api/sessions${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as SessionsPage
}
const titles = async (jarvis: TestJarvis, query = '') => (await list(jarvis, query)).items.map(({ title }) => title)
const patch = (jarvis: TestJarvis, id: string, json: unknown) =>
  jarvis.rest(`/api/sessions/${id}`, { method: 'PATCH', json })
const branch = (jarvis: TestJarvis, id: string, json: unknown, role: 'operator' | 'viewer' = 'operator') =>
  jarvis.rest(`/api/sessions/${id}/branch`, { method: 'POST', json, role })
async function entriesOf(jarvis: TestJarvis, id: string): Promise<Entry[]> {
  const response = await jarvis.rest(`/api/sessions/${id}/entries`)
  return ((await response.json()) as { items: Entry[] }).items
}
/** Asks each in a session of its own. */
async function asked(jarvis: TestJarvis, ...messages: string[]): Promise<string[]> {
  const screen = await jarvis.connect()
  const ids: string[] = []
  for (const message of messages) {
    ids.push((await screen.ask('chat:send', { message })).sessionId)
    await screen.next('chat:done')
  }
  return ids
}
const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { error: { code: string; message: string } }).error,
})

test('sessions are found by words of titles and messages, wherever in them each word stands', async () => {
  const model = scripted(
    says('The proxy answers 502: its upstream, frigate, is gone.'),
    says('All backups of Zürich are whole.'),
    says('10.0.4.11 answers.'),
  )
  const jarvis = await startJarvis({ model })
  const [proxy = '', , ping = ''] = await asked(jarvis, 'Why is nginx red?', 'Backups?', 'Ping "pve".')
  expect(await titles(jarvis, '?q=nginx')).toEqual(['Why is nginx red?'])
  expect(await titles(jarvis, '?q=NGI')).toEqual(['Why is nginx red?'])
  // One in the title, one in the answer; the next in no session together.
  expect(await titles(jarvis, '?q=nginx%20frigate')).toEqual(['Why is nginx red?'])
  expect(await titles(jarvis, '?q=nginx%20zurich')).toEqual([])
  expect(await titles(jarvis, '?q=zurich')).toEqual(['Backups?'])
  expect(await titles(jarvis, `?q=${encodeURIComponent('10.0.4.11')}`)).toEqual(['Ping "pve".'])
  expect(await titles(jarvis, `?q=${encodeURIComponent('"answers 502"')}`)).toEqual(['Why is nginx red?'])
  // A NUL ends what SQLite is asked.
  expect(await titles(jarvis, '?q=nginx%00%22')).toEqual(['Why is nginx red?'])
  expect(await titles(jarvis, `?q=${encodeURIComponent('"502 answers"')}`)).toEqual([])
  // Typed words are never operators of the index.
  for (const odd of ['NOT', 'nginx OR zurich', 'a" OR "b', '*', '(', 'title:nginx', '"', '^x', 'NEAR(']) {
    await titles(jarvis, `?q=${encodeURIComponent(odd)}`)
  }
  const [found] = (await list(jarvis, '?q=upstream')).items
  expect(found).toMatchObject({ id: proxy, found: { text: expect.stringContaining('its upstream, frigate') } })
  const at = (await entriesOf(jarvis, proxy)).find(({ type }) => type === 'assistant')
  expect(found?.found?.seq).toBe(at?.seq)

  await patch(jarvis, ping, { title: 'A quiet morning' })
  expect(await titles(jarvis, '?q=quiet')).toEqual(['A quiet morning'])
  await jarvis.rest(`/api/sessions/${proxy}`, { method: 'DELETE' })
  expect(await titles(jarvis, '?q=nginx')).toEqual([])
})

test('the list is filtered and paged, and archived sessions are out of it until somebody writes in them', async () => {
  const jarvis = await startJarvis({ model: scripted(says('1'), says('2'), says('3'), says('4')) })
  const [first = '', second = ''] = await asked(jarvis, 'first word', 'second word', 'third word')
  expect(await (await patch(jarvis, first, { isArchived: true })).json()).toMatchObject({
    archivedAt: expect.any(Number),
  })
  expect(await titles(jarvis)).toEqual(['third word', 'second word'])
  expect(await titles(jarvis, '?archived=only')).toEqual(['first word'])
  expect(await titles(jarvis, '?archived=all&q=word')).toEqual(['third word', 'second word', 'first word'])
  expect(await titles(jarvis, '?source=mcp')).toEqual([])

  const page = await list(jarvis, '?limit=1&q=word')
  expect(page.items.map(({ title }) => title)).toEqual(['third word'])
  expect(await titles(jarvis, `?limit=1&q=word&before=${page.next}`)).toEqual(['second word'])
  expect((await list(jarvis, '?limit=2')).next).toBeUndefined()
  const totals = ['?limit=1', '?limit=1&archived=all', '?archived=only', '?source=mcp', '?q=word'].map(
    async (query) => (await list(jarvis, query)).total,
  )
  expect(await Promise.all(totals)).toEqual([2, 3, 1, 0, undefined])

  const screen = await jarvis.connect()
  await screen.ask('chat:send', { sessionId: first, message: 'again' })
  await screen.next('chat:done')
  expect(await titles(jarvis)).toEqual(['first word', 'third word', 'second word'])

  for (const query of ['?archived=maybe', '?source=cron', '?limit=0', '?words=x']) {
    expect((await jarvis.rest(`/api/sessions${query}`)).status).toBe(400)
  }
  const viewer = await jarvis.rest(`/api/sessions/${second}`, {
    method: 'PATCH',
    role: 'viewer',
    json: { isArchived: true },
  })
  expect(viewer.status).toBe(403)
  expect((await patch(jarvis, 'ses_none', { isArchived: true })).status).toBe(404)
})

test('a branch begins with the entries of its session, and the session does not change', async () => {
  const model = scripted(
    calls('Looking.', ['get_cluster_status', {}]),
    says('All four are up.'),
    says('Yes.'),
    says('No.'),
  )
  const jarvis = await startJarvis({ model })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'How is it?' })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: 'Sure?' })
  await screen.next('chat:done')
  const before = await entriesOf(jarvis, sessionId)
  const sure = before.findLast(({ type }) => type === 'user')?.seq ?? -1

  const made = await branch(jarvis, sessionId, { before: sure })
  expect(made.status).toBe(201)
  const summary = (await made.json()) as SessionSummary
  expect(summary).toMatchObject({
    title: 'How is it?',
    source: 'chat',
    branchedFrom: { sessionId, entry: sure, title: 'How is it?', isVersion: true },
    versions: 2,
    isRunning: false,
    // Copied entries were paid for in the original session.
    usage: { inputTokens: 0, outputTokens: 0 },
  })
  const withoutRun = (entries: readonly Entry[]) => entries.map(({ runId: _, ...entry }) => entry)
  const copied = await entriesOf(jarvis, summary.id)
  expect(withoutRun(copied)).toEqual(withoutRun(before.filter(({ seq }) => seq < sure)))
  expect(copied[0]?.runId).not.toBe(before[0]?.runId)

  await screen.ask('chat:send', { sessionId: summary.id, message: 'Really?' })
  await screen.next('chat:done')
  // The model is given the same conversation, calls and their results included.
  const [, , sent, edited] = model.requests
  expect(edited?.messages.slice(0, -1)).toEqual(sent?.messages.slice(0, -1))
  expect(edited?.messages.at(-1)).toMatchObject({ role: 'user', text: 'Really?' })
  expect(await entriesOf(jarvis, sessionId)).toEqual(before)
  const { snapshot } = await screen.ask('chat:attach', { sessionId: summary.id })
  expect(snapshot).toMatchObject({ branchedFrom: { sessionId, entry: sure }, pending: [], queued: [] })
  const journal = (await (await jarvis.rest('/api/journal?kind=session')).json()) as { items: { body: object }[] }
  expect(journal.items[0]?.body).toMatchObject({
    change: 'branched',
    sessionId: summary.id,
    from: sessionId,
    entry: sure,
    by: 'operator',
  })

  // The last answer, its end included; a message at the very beginning leaves nothing; neither needs the other session.
  const last = before.findLast(({ type }) => type === 'assistant')?.seq ?? -1
  const whole = (await (await branch(jarvis, sessionId, { after: last })).json()) as SessionSummary
  expect(withoutRun(await entriesOf(jarvis, whole.id))).toEqual(withoutRun(before))
  const empty = (await (await branch(jarvis, sessionId, { before: 0 })).json()) as SessionSummary
  expect(empty.title).toBe('New chat')
  expect(await entriesOf(jarvis, empty.id)).toEqual([])
  await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'DELETE' })
  const left = (await (await jarvis.rest(`/api/sessions/${whole.id}`)).json()) as SessionSummary
  expect(left.branchedFrom).toEqual({ sessionId, entry: last })
})

test('a branch in the middle of a run takes no call and no card along, and the run goes on', async () => {
  const pausing = pauses('Nothing ', 'left.')
  const model = scripted(calls('Stopping it.', ['stop_vm', { vmid: 101 }]), says('I was asked not to.'), pausing)
  const jarvis = await startJarvis({ model })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 101.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const words = (await entriesOf(jarvis, sessionId)).find(({ type }) => type === 'assistant')?.seq ?? -1
  const cut = (await (await branch(jarvis, sessionId, { after: words })).json()) as SessionSummary
  const copied = await entriesOf(jarvis, cut.id)
  expect(copied.map(({ type }) => type)).toEqual(['user', 'assistant', 'done'])
  expect(copied[1]).toMatchObject({ content: [{ type: 'text', text: 'Stopping it.' }], stopReason: 'end_turn' })
  expect(cut).toMatchObject({ isRunning: false, pendingCount: 0 })

  // Decided over there, it means nothing here; the question asked here finds a conversation that is valid.
  const elsewhere = await screen.request('chat:confirm', { sessionId: cut.id, toolUseId, confirmed: true })
  expect(elsewhere).toMatchObject({ ok: false, error: { code: 'unknown_confirmation' } })
  await screen.ask('chat:send', { sessionId: cut.id, message: 'Do not.' })
  await screen.next('chat:done')
  expect(model.requests[1]?.messages).toMatchObject([
    { role: 'user', text: 'Stop 101.' },
    { role: 'assistant', content: [{ type: 'text', text: 'Stopping it.' }] },
    { role: 'user', text: 'Do not.', results: [] },
  ])
  expect(jarvis.guest(101)?.status).toBe('running')

  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await screen.next('chat:token')
  // While words stream, what was said before is branched.
  const early = (await (await branch(jarvis, sessionId, { before: 0 })).json()) as SessionSummary
  expect(early.isRunning).toBe(false)
  pausing.release()
  await screen.next('chat:done')
  const after = await entriesOf(jarvis, sessionId)
  expect(after.at(-1)).toMatchObject({ type: 'done', stopReason: 'end_turn' })
  // A card that was decided is history in a branch.
  const denied = (await (await branch(jarvis, sessionId, { after: after.at(-2)?.seq })).json()) as SessionSummary
  const { snapshot } = await screen.ask('chat:attach', { sessionId: denied.id })
  expect(snapshot.pending).toEqual([])
  expect(snapshot.entries.filter(({ type }) => type.startsWith('confirm_'))).toHaveLength(2)
  expect(model.left()).toBe(0)
})

test('a tool’s output before the branch still taints calls in it', async () => {
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const model = scripted(
    calls(['execute_ssh', { node: 'pve', command: 'dmesg -T' }]),
    says('Something about a daemon.'),
    calls(['restart_service', { node: 'pve', service: 'vaultd' }]),
    says('Denied.'),
  )
  simulator.controls.setUnit('vaultd', { id: 'netdata', names: ['netdata', 'vaultd'] })
  const homelab = doctored(simulator, (text, path) => (path === 'shell.stdout' ? 'cat /etc/motd vaultd' : text))
  const jarvis = await startJarvis({ model, homelab })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Anything odd on pve?' })
  await screen.next('chat:done')
  const answer = (await entriesOf(jarvis, sessionId)).findLast(({ type }) => type === 'assistant')?.seq
  const made = (await (await branch(jarvis, sessionId, { after: answer })).json()) as SessionSummary
  await screen.ask('chat:send', { sessionId: made.id, message: 'Put it right.' })
  const card = await screen.next('chat:confirm_needed')
  expect(card).toMatchObject({ sessionId: made.id, toolName: 'restart_service', rule: 'taint' })
  expect(card.reason).toContain('the result of execute_ssh')
  await screen.ask('chat:confirm', { sessionId: made.id, toolUseId: card.toolUseId, confirmed: false })
  await screen.next('chat:done')
  expect(jarvis.controls.effects.filter(({ kind }) => kind !== 'command')).toEqual([])
})

test('a branch is refused where there is nothing to branch from, or nobody who may', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['get_cluster_status', {}]), says('Up.')) })
  const [sessionId = ''] = await asked(jarvis, 'How is it?')
  const entries = await entriesOf(jarvis, sessionId)
  const seqOf = (type: string) => entries.find((entry) => entry.type === type)?.seq
  expect(await errorOf(await branch(jarvis, sessionId, { before: 9_999 }))).toMatchObject({
    status: 404,
    code: 'not_found',
    message: 'This session has no entry 9999.',
  })
  for (const body of [
    {},
    { before: 0, after: 0 },
    { before: -1 },
    { before: '0' },
    { before: 0, dry: true },
    { before: seqOf('assistant') },
    { after: seqOf('user') },
    // A turn of calls alone has no words to go on from.
    { after: seqOf('assistant') },
    { before: 0, model: 'anthropic/unheard-of' },
  ]) {
    expect(await errorOf(await branch(jarvis, sessionId, body)), JSON.stringify(body)).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
  }
  expect((await branch(jarvis, 'ses_none', { before: 0 })).status).toBe(404)
  expect((await branch(jarvis, sessionId, { before: 0 }, 'viewer')).status).toBe(403)
  expect(await titles(jarvis)).toEqual(['How is it?'])
})

test('another model answers where it is chosen: for a message, for a session, in a branch', async () => {
  const first = named(sonnet, scripted(says('one'), says('two')))
  const other = named(opus, scripted(says('three'), says('four'), says('five'), says('six')))
  const jarvis = await startJarvis({ model: first, models: [other as Model] })
  const status = (await (await jarvis.rest('/api/status')).json()) as { models: string[] }
  expect(status.models).toEqual([sonnet, opus])
  const screen = await jarvis.connect()
  const answer = async (payload: { message: string; sessionId?: string; model?: string }) => {
    const { sessionId } = await screen.ask('chat:send', payload)
    const { model } = await screen.next('chat:assistant')
    await screen.next('chat:done')
    return { sessionId, model }
  }
  const { sessionId, model } = await answer({ message: 'a' })
  expect(model).toBe(sonnet)
  // For one message alone.
  expect((await answer({ sessionId, message: 'b', model: opus })).model).toBe(opus)
  expect((await answer({ sessionId, message: 'c' })).model).toBe(sonnet)
  const refused = await screen.request('chat:send', { sessionId, message: 'd', model: 'openai/gpt-5' })
  expect(refused).toMatchObject({
    ok: false,
    error: {
      code: 'invalid_request',
      message: `model: openai/gpt-5 is not configured. There are: ${sonnet}, ${opus}.`,
    },
  })
  expect(await errorOf(await patch(jarvis, sessionId, { model: 'constructor' }))).toMatchObject({ status: 400 })

  await patch(jarvis, sessionId, { model: opus })
  expect((await answer({ sessionId, message: 'e' })).model).toBe(opus)
  expect((await screen.ask('chat:attach', { sessionId })).snapshot.model).toBe(opus)
  expect(await (await patch(jarvis, sessionId, { model: null })).json()).not.toHaveProperty('model')

  const retried = (await (await branch(jarvis, sessionId, { before: 0, model: opus })).json()) as SessionSummary
  expect((await answer({ sessionId: retried.id, message: 'a' })).model).toBe(opus)
  const fresh = await answer({ message: 'f', model: opus })
  expect(await (await jarvis.rest(`/api/sessions/${fresh.sessionId}`)).json()).toMatchObject({ model: opus })
  expect([first.left(), other.left()]).toEqual([0, 0])
})

test('an answer says what it cost where the price is known, and a session what all of them did', async () => {
  const usage = { inputTokens: 100_000, outputTokens: 20_000, cacheReadTokens: 1_000_000, cacheWriteTokens: 0 }
  const first = named(sonnet, scripted(says('one', { usage }), says('two', { usage })))
  const unknown = named('openai/llama-of-mine', scripted(says('three', { usage }), says('four', { usage })))
  const jarvis = await startJarvis({ model: first, models: [unknown as Model] })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'a' })
  // 0.2 in, 0.2 out, 0.1 from the cache.
  expect((await screen.next('chat:done')).costUsd).toBeCloseTo(0.5)
  await screen.ask('chat:send', { sessionId, message: 'b' })
  await screen.next('chat:done')
  const [summed] = (await list(jarvis)).items
  expect(summed?.usage).toEqual({ ...usage, inputTokens: 200_000, outputTokens: 40_000, cacheReadTokens: 2_000_000 })
  expect(summed?.costUsd).toBeCloseTo(1)

  await screen.ask('chat:send', { sessionId, message: 'c', model: unknown.id })
  expect(await screen.next('chat:done')).not.toHaveProperty('costUsd')
  expect((await list(jarvis)).items[0]).not.toHaveProperty('costUsd')
  expect((await list(jarvis)).items[0]?.usage?.inputTokens).toBe(300_000)

  // The operator knows better, from the next answer on.
  const price = { input: 1, output: 5, cacheRead: 0.1 }
  writeFileSync(join(jarvis.dataDir, 'prices.json'), JSON.stringify({ [unknown.id]: price }))
  const own = await startJarvis({
    model: named(unknown.id, scripted(says('five', { usage }))),
    dataDir: await stopped(jarvis),
  })
  const later = await own.connect()
  await later.ask('chat:send', { message: 'd' })
  expect((await later.next('chat:done')).costUsd).toBeCloseTo(0.3)
})

async function stopped(jarvis: TestJarvis): Promise<string> {
  await jarvis.stop()
  return jarvis.dataDir
}
