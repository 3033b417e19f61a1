import type { GrantRequest, Snapshot } from 'protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChatSocket } from '../../realtime/sockets.ts'
import { ChatClient } from './client.ts'

const snapshot = (sessionId: string, change: Partial<Snapshot> = {}): Snapshot => ({
  sessionId,
  title: 't',
  isRehearsal: false,
  seq: 0,
  entries: [],
  hasEarlier: false,
  partial: { text: '', thinking: '' },
  pending: [],
  queued: [],
  progress: {},
  ...change,
})
const said = (seq: number, text = 'Hello') => ({
  type: 'user' as const,
  seq,
  runId: 'r',
  at: 0,
  messageId: `m${seq}`,
  text,
  by: 'operator',
})

/** A socket that keeps each request until the test answers it. */
function open() {
  const listeners = new Map<string, Set<(...args: unknown[]) => void>>()
  const add = (name: string, listener: (...args: unknown[]) => void) =>
    listeners.set(name, (listeners.get(name) ?? new Set()).add(listener))
  const sent: { name: string; payload: Record<string, unknown>; ack: (reply: unknown) => void }[] = []
  const socket = {
    connected: true,
    on: add,
    onAny: (listener: (...args: unknown[]) => void) => add('any', listener),
    off: (name: string, listener: (...args: unknown[]) => void) => listeners.get(name)?.delete(listener),
    emit: (name: string, payload: Record<string, unknown>, ack: (reply: unknown) => void) =>
      sent.push({ name, payload, ack }),
  }
  const tell = (name: string, ...args: unknown[]) => {
    for (const listener of [...(listeners.get(name) ?? [])]) listener(...args)
  }
  let turns = 0
  const client = new ChatClient(socket as unknown as ChatSocket, () => turns++)
  return {
    client,
    sent,
    turns: () => turns,
    event: (name: string, payload: object) => tell('any', name, { runId: 'r', ...payload }),
    go(isUp: boolean) {
      socket.connected = isUp
      tell(isUp ? 'connect' : 'disconnect')
    },
    attached: () => sent.filter(({ name }) => name === 'chat:attach').map(({ payload }) => payload),
    /** Answers the last request, and waits until the answer has arrived. */
    async answer(reply: object) {
      sent.at(-1)?.ack(reply)
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}
const refusal = (code: string) => ({ ok: false, error: { code, message: `It is ${code}.` } })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a session is attached once, and after a lost link from its last entry on', async () => {
  const { client, attached, answer, go } = open()
  const store = client.open('s')
  expect(client.open('s')).toBe(store)
  expect(attached()).toEqual([{ sessionId: 's' }])
  await answer({ ok: true, snapshot: snapshot('s', { seq: 9, entries: [said(3)] }) })
  go(false)
  go(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(attached()).toEqual([{ sessionId: 's' }, { sessionId: 's', since: 3 }])
})

test('without a link a session is attached once there is one', async () => {
  const { client, attached, go } = open()
  go(false)
  client.open('s')
  expect(attached()).toEqual([])
  go(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(attached()).toEqual([{ sessionId: 's' }])
})

test('events reach their own session, and turns are told', async () => {
  vi.stubGlobal('document', { hidden: true })
  const { client, answer, event, turns } = open()
  const [a, b] = [client.open('a'), client.open('b')]
  await answer({ ok: true, snapshot: snapshot('b') })
  event('chat:title', { sessionId: 'b', seq: 1, title: 'new' })
  event('chat:title', { sessionId: 'unknown', seq: 1, title: 'other' })
  event('chat:token', { sessionId: 'b', seq: 2, text: 'x' })
  expect(b.state.get().view?.title).toBe('new')
  expect(a.state.get().view).toBeUndefined()
  expect(turns()).toBe(2)
})

test('a missing event asks for a snapshot', async () => {
  const { client, answer, attached, event } = open()
  client.open('s')
  await answer({ ok: true, snapshot: snapshot('s') })
  event('chat:title', { sessionId: 's', seq: 5, title: 'new' })
  expect(attached()).toHaveLength(2)
})

test.each([
  ['unknown_session', true],
  ['not_found', true],
  ['forbidden', false],
])('a session that cannot be attached with %s is missing: %s', async (code, missing) => {
  const { client, answer } = open()
  const store = client.open('s')
  await answer(refusal(code))
  expect(store.state.get().missing).toBe(missing)
})

test('of more than eight sessions, the one used longest ago is let go', () => {
  const { client } = open()
  const ids = ['0', '1', '2', '3', '4', '5', '6', '7']
  const stores = ids.map((id) => client.open(id))
  client.open('0')
  client.open('8')
  expect(client.open('0')).toBe(stores[0])
  expect(client.open('1')).not.toBe(stores[1])
})

test('a message is on its way until the server has it; a refused one stays with the reason', async () => {
  const { client, sent, answer } = open()
  const store = client.open('s')
  await answer({ ok: true, snapshot: snapshot('s', { seq: 4 }) })
  const first = client.send('s', 'Hi', { requestId: 'q1', model: 'local/qwen' })
  expect(store.state.get().outgoing).toEqual([{ requestId: 'q1', text: 'Hi', afterSeq: 4 }])
  expect(sent.at(-1)?.payload).toEqual({ message: 'Hi', requestId: 'q1', sessionId: 's', model: 'local/qwen' })
  await answer({ ok: true, sessionId: 's', runId: 'r' })
  expect(await first).toEqual({ ok: true, sessionId: 's', runId: 'r' })
  expect(store.state.get().outgoing).toEqual([])
  void client.send('s', 'Hi', { requestId: 'q2' })
  await answer(refusal('too_many_requests'))
  expect(store.state.get().outgoing).toMatchObject([{ requestId: 'q2', error: 'It is too_many_requests.' }])
})

test('a message to a new session names none', async () => {
  const { client, sent } = open()
  void client.send(undefined, 'Hi', { requestId: 'q1' })
  expect(sent.map(({ payload }) => payload)).toEqual([{ message: 'Hi', requestId: 'q1' }])
})

test('an unsent message outlives a reload with its request id', () => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  void open().client.send('s', 'Hi', { requestId: 'q1' })
  const { client } = open()
  const store = client.open('s')
  expect(store.state.get().outgoing).toEqual([
    { requestId: 'q1', text: 'Hi', afterSeq: -1, error: 'The page was reloaded before it arrived.' },
  ])
  store.dropOutgoing('q1')
  expect(kept).toEqual(new Map())
  kept.set('jarvis.unsent.t', '{broken')
  expect(client.open('t').state.get().outgoing).toEqual([])
  expect(kept).toEqual(new Map())
})

test('signing out ends what was asked and forgets what was read, and the next person asks anew', async () => {
  const { client, sent, answer } = open()
  const store = client.open('s')
  await answer({ ok: true, snapshot: snapshot('s', { seq: 9, entries: [said(7)] }) })
  expect(store.state.get().view).toBeDefined()
  const reply = client.abort('s')
  client.forget()
  expect(await reply).toMatchObject({ ok: false, error: { code: 'unauthorized' } })
  void client.abort('s')
  expect(client.open('other').state.get().view).toBeUndefined()
  expect(client.open('s').state.get().view).toBeUndefined()
  expect(sent.map(({ name }) => name)).toEqual([
    'chat:attach',
    'chat:abort',
    'chat:abort',
    'chat:attach',
    'chat:attach',
  ])
})

test.each([
  ['a yes', { confirmed: true }, { confirmed: true }],
  ['a no with a note', { confirmed: false, note: ' not now ' }, { confirmed: false, note: 'not now' }],
  ['a yes with an empty note', { confirmed: true, note: ' ' }, { confirmed: true }],
  [
    'a yes with a grant',
    { confirmed: true, grant: { uses: 3 } as GrantRequest },
    { confirmed: true, grant: { uses: 3 } },
  ],
])('%s is sent with an id of its own', (_, decided, payload) => {
  const { client, sent } = open()
  void client.confirm('s', 'u', decided)
  const { requestId, ...rest } = sent[0]?.payload ?? {}
  expect(rest).toEqual({ sessionId: 's', toolUseId: 'u', ...payload })
  expect(requestId).toMatch(/^[0-9a-f]{32}$/)
})

test('earlier entries are read once a page, and not where there are none', async () => {
  const { client, answer } = open()
  const pages: ((page: object) => void)[] = []
  const asked: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path)
    return new Promise((done) => pages.push((page) => done(new Response(JSON.stringify(page)))))
  })
  const store = client.open('s')
  await client.loadEarlier('s')
  await answer({ ok: true, snapshot: snapshot('s', { seq: 9, entries: [said(7)], hasEarlier: true }) })
  const reading = client.loadEarlier('s')
  await client.loadEarlier('s')
  await expect.poll(() => asked.length, { interval: 1 }).toBeGreaterThan(0)
  pages[0]?.({ items: [said(5)] })
  await reading
  expect(asked).toEqual(['/api/sessions/s/entries?before=7&limit=200'])
  expect(store.state.get().view).toMatchObject({ hasEarlier: false, entries: [{ seq: 5 }, { seq: 7 }] })
  await client.loadEarlier('s')
  expect(asked).toHaveLength(1)
})
