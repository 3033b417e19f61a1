import type { Card, Entry, Snapshot } from 'protocol'
import { expect, test } from 'vitest'
import { type ChatEvent, fromSnapshot, reduce, type SessionView, skips, withEarlier } from './state.ts'

const sessionId = 'ses_1'
const runId = 'run_1'
const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 }
const empty: Snapshot = {
  sessionId,
  title: 'New chat',
  isRehearsal: false,
  seq: -1,
  entries: [],
  hasEarlier: false,
  partial: { text: '', thinking: '' },
  pending: [],
  queued: [],
  progress: {},
}
const card: Card = {
  toolUseId: 'tu_2',
  toolName: 'restart_vm',
  toolInput: { vmid: 123 },
  tier: 'red',
  reason: 'It interrupts a running guest.',
  rule: 'base',
  target: { kind: 'guest', id: 'vm/123', name: 'frigate', node: 'pve', vmid: 123, type: 'vm', status: 'running' },
  now: 'running for 8 d',
  then: 'running → stopped → running',
  affects: 'Nothing else found',
  requestedBy: { kind: 'chat', name: 'demo/demo' },
  createdAt: 1_000,
  expiresAt: 901_000,
}

const entries = [
  { type: 'user', seq: 0, runId, at: 1, messageId: 'm1', text: 'Restart 123', by: 'operator' },
  {
    type: 'assistant',
    seq: 4,
    runId,
    at: 2,
    model: 'demo/demo',
    usage,
    stopReason: 'tool_use',
    content: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'One moment.' },
      { type: 'tool_call', toolUseId: 'tu_1', toolName: 'get_vms', toolInput: {} },
      { type: 'tool_call', toolUseId: 'tu_2', toolName: 'restart_vm', toolInput: { vmid: 123 } },
      {
        type: 'tool_call',
        toolUseId: 'tu_3',
        toolName: 'execute_ssh',
        toolInput: { node: 'pve', command: 'rm -rf /' },
      },
    ],
  },
  { type: 'tool_use', seq: 5, runId, at: 3, toolUseId: 'tu_1', toolName: 'get_vms', toolInput: {}, tier: 'green' },
  {
    type: 'tool_result',
    seq: 7,
    runId,
    at: 4,
    toolUseId: 'tu_1',
    result: '…',
    isError: false,
    summary: '7 VMs',
    durationMs: 40,
  },
  {
    type: 'blocked',
    seq: 8,
    runId,
    at: 5,
    toolUseId: 'tu_3',
    toolName: 'execute_ssh',
    toolInput: {},
    reason: 'rm deletes files.',
    rule: 'ssh',
    tier: 'black',
  },
  { type: 'confirm_needed', seq: 9, runId, at: 6, ...card },
  { type: 'confirm_resolved', seq: 12, runId, at: 7, toolUseId: 'tu_2', decision: 'approved', by: 'operator' },
  {
    type: 'tool_use',
    seq: 13,
    runId,
    at: 8,
    toolUseId: 'tu_2',
    toolName: 'restart_vm',
    toolInput: { vmid: 123 },
    tier: 'red',
  },
  {
    type: 'tool_result',
    seq: 15,
    runId,
    at: 9,
    toolUseId: 'tu_2',
    result: 'OK',
    isError: false,
    summary: 'seen running',
    durationMs: 52_000,
  },
  { type: 'done', seq: 19, runId, at: 10, usage, stopReason: 'end_turn' },
] satisfies Entry[]

const queuedMessage = { messageId: 'm2', text: 'And then?', by: 'operator', at: 6 }
const base = { sessionId, runId }
const transient: ChatEvent[] = [
  { ...base, name: 'chat:thinking', seq: 1, text: 'Hm.' },
  { ...base, name: 'chat:token', seq: 2, text: 'One ' },
  { ...base, name: 'chat:token', seq: 3, text: 'moment.' },
  { ...base, name: 'chat:tool_progress', seq: 6, toolUseId: 'tu_1', message: 'asking pve' },
  { ...base, name: 'chat:queued', seq: 10, queued: [queuedMessage] },
  { ...base, name: 'chat:title', seq: 11, title: 'Restart 123' },
  { ...base, name: 'chat:tool_progress', seq: 14, toolUseId: 'tu_2', message: 'waiting for 123' },
  { ...base, name: 'chat:notice', seq: 16, message: 'Trying again', retryInMs: 500 },
  { ...base, name: 'chat:token', seq: 17, text: 'It runs.' },
  { ...base, name: 'chat:queued', seq: 18, queued: [] },
]
const asEvent = ({ type, ...rest }: Entry) => ({ name: `chat:${type}`, sessionId, ...rest }) as ChatEvent
const events = [...entries.map(asEvent), ...transient].sort((a, b) => a.seq - b.seq)

const now = 10_000
const foldAll = (view: SessionView, list: readonly ChatEvent[]) =>
  list.reduce((v, event) => reduce(v, event, now), view)

/** A server's answer to an attach after `count` events, made without the reducer. */
function snapshotAfter(count: number): Snapshot {
  const past = events.slice(0, count)
  const names = new Set(past.map((event) => event.seq))
  const shown = entries.filter((entry) => names.has(entry.seq))
  const lastEntry = shown.findLast((entry) => ['user', 'assistant', 'done'].includes(entry.type))?.seq ?? -1
  const stream = (name: 'chat:token' | 'chat:thinking') =>
    past.flatMap((event) => (event.name === name && event.seq > lastEntry ? [event.text] : [])).join('')
  const settled = new Set(shown.flatMap((entry) => (entry.type === 'tool_result' ? [entry.toolUseId] : [])))
  const resolved = new Set(shown.flatMap((entry) => (entry.type === 'confirm_resolved' ? [entry.toolUseId] : [])))
  const isOver = shown.at(-1)?.type === 'done'
  const notice = past.at(-1)
  return {
    ...empty,
    title: names.has(11) ? 'Restart 123' : 'New chat',
    seq: past.at(-1)?.seq ?? -1,
    ...(past.length > 0 && !isOver && { runId }),
    entries: shown,
    partial: { text: stream('chat:token'), thinking: stream('chat:thinking') },
    pending: names.has(9) && !resolved.has('tu_2') ? [card] : [],
    queued: names.has(10) && !names.has(18) ? [queuedMessage] : [],
    progress: Object.fromEntries(
      past.flatMap((event) =>
        event.name === 'chat:tool_progress' && !settled.has(event.toolUseId) ? [[event.toolUseId, event.message]] : [],
      ),
    ),
    ...(notice?.name === 'chat:notice' && { notice: { message: notice.message, retryAt: now + 500 } }),
  }
}

test('text that is taken back was thinking', () => {
  const streamed = foldAll(fromSnapshot(empty), [
    { ...base, name: 'chat:thinking', seq: 0, text: 'Hm. ' },
    { ...base, name: 'chat:token', seq: 1, text: 'So.' },
    { ...base, name: 'chat:taken_back', seq: 2 },
    { ...base, name: 'chat:token', seq: 3, text: 'Yes.' },
  ])
  expect(streamed.partial).toEqual({ thinking: 'Hm. So.', text: 'Yes.' })
})

test('seqs of the story have no gap', () => {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, at) => at))
})

test.each(events.map((event, at) => [at, event.name] as const))(
  'a snapshot before event %i (%s) and the rest gives the same view as all events',
  (at) => {
    expect(fromSnapshot(snapshotAfter(at))).toEqual(foldAll(fromSnapshot(empty), events.slice(0, at)))
    expect(foldAll(fromSnapshot(snapshotAfter(at)), events)).toEqual(foldAll(fromSnapshot(empty), events))
  },
)

test('replayed events change nothing', () => {
  const view = foldAll(fromSnapshot(empty), events)
  expect(foldAll(view, events)).toBe(view)
})

test('a card waits from confirm_needed until it is resolved', () => {
  expect(foldAll(fromSnapshot(empty), events.slice(0, 10)).pending).toEqual([card])
  expect(foldAll(fromSnapshot(empty), events.slice(0, 13)).pending).toEqual([])
})

test('an error ends the run and keeps what came', () => {
  const view = foldAll(fromSnapshot(empty), events.slice(0, 3))
  const failed = reduce(
    view,
    { ...base, name: 'chat:error', seq: 3, at: 9, error: 'No answer.', code: 'internal' },
    now,
  )
  expect(failed.runId).toBeUndefined()
  expect(failed.entries.at(-1)).toEqual({ type: 'error', seq: 3, runId, at: 9, error: 'No answer.', code: 'internal' })
})

test('what comes of a run that has ended does not make it go on', () => {
  const end = { at: 3, runId, sessionId }
  const ended = [
    { name: 'chat:done', ...end, seq: 0, usage, stopReason: 'end_turn' },
    { name: 'chat:assistant', ...end, seq: 1, model: 'demo', content: [], usage, stopReason: 'end_turn' },
  ] as unknown as ChatEvent[]
  const view = ended.reduce(reduce, fromSnapshot({ ...empty, runId }))
  expect(view.runId).toBeUndefined()
  expect(view.entries).toHaveLength(2)
})

test('the list is the one that its own model wrote last; a helper keeps a list of its own, and its end ends no run', () => {
  const list = (seq: number, run: string, text: string) =>
    asEvent({ type: 'plan', seq, runId: run, at: seq, toolUseId: `tu_${seq}`, items: [{ text, state: 'open' }] })
  const told = [
    list(0, runId, 'Look'),
    asEvent({
      type: 'subrun',
      seq: 1,
      runId: 'run_child',
      at: 1,
      change: 'begin',
      toolUseId: 'tu_d',
      agent: 'coder',
      for: 'main',
      task: 'Look.',
    }),
    list(2, 'run_child', 'Read tables'),
    list(3, runId, 'Fix'),
    asEvent({ type: 'done', seq: 4, runId: 'run_child', at: 4, usage, stopReason: 'end_turn' }),
  ]
  const view = foldAll(fromSnapshot({ ...empty, runId }), told)
  expect(view.todo).toEqual([{ text: 'Fix', state: 'open' }])
  expect(view.runId).toBe(runId)
  expect(foldAll(view, [list(5, runId, 'Done')]).entries).toHaveLength(6)
})

test('a question waits until it is resolved, and whatever comes next is folded', () => {
  const question = {
    questionId: 'q_1',
    toolUseId: 'tu_q',
    items: [],
    createdAt: 0,
    expiresAt: 9,
    requestedBy: { kind: 'chat' as const, name: 'demo' },
  }
  const asked = foldAll(fromSnapshot({ ...empty, agent: 'coder' }), [
    asEvent({ type: 'question', seq: 0, runId, at: 0, ...question }),
  ])
  expect(asked.questions).toEqual([question])
  expect(asked.agent).toBe('coder')
  const ended = { type: 'question_resolved', seq: 1, runId, at: 1, questionId: 'q_1', toolUseId: 'tu_q' } as const
  expect(foldAll(asked, [asEvent({ ...ended, end: 'answered', by: 'mira' })]).questions).toEqual([])
})

test('a jump in seq asks for a new snapshot', () => {
  const view = fromSnapshot(snapshotAfter(4))
  expect(skips(view, { ...base, name: 'chat:token', seq: 4, text: 'x' })).toBe(false)
  expect(skips(view, { ...base, name: 'chat:token', seq: 5, text: 'x' })).toBe(true)
})

test('earlier entries go before the known ones, each once', () => {
  const view = { ...fromSnapshot(empty), entries: entries.slice(2), hasEarlier: true }
  const whole = withEarlier(view, entries.slice(0, 3), false)
  expect(whole.entries).toEqual(entries)
  expect(whole.hasEarlier).toBe(false)
})
