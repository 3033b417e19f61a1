import type { Snapshot } from 'protocol'
import { expect, test } from 'vitest'
import { SessionStore } from './store.ts'

const snapshot: Snapshot = {
  sessionId: 's',
  title: 't',
  isRehearsal: false,
  seq: 0,
  entries: [],
  hasEarlier: false,
  partial: { text: '', thinking: '' },
  pending: [],
  queued: [],
  progress: {},
}
const token = (seq: number, text: string) => ({ name: 'chat:token' as const, sessionId: 's', runId: 'r', seq, text })

function makeStore() {
  const frames: (() => void)[] = []
  const gaps: number[] = []
  const store = new SessionStore(
    (work) => frames.push(work),
    () => gaps.push(1),
    () => 0,
  )
  return {
    store,
    gaps,
    frames,
    frame: () =>
      frames.splice(0).forEach((work) => {
        work()
      }),
  }
}

test('tokens reach the screen once a frame', () => {
  const { store, frame, frames } = makeStore()
  store.take(snapshot)
  let told = 0
  store.state.subscribe(() => told++)
  store.receive(token(1, 'a'))
  store.receive(token(2, 'b'))
  expect(frames).toHaveLength(1)
  expect(told).toBe(0)
  frame()
  expect(told).toBe(1)
  expect(store.state.get().view?.partial.text).toBe('ab')
})

test('an entry takes the tokens before it along, at once', () => {
  const { store } = makeStore()
  store.take(snapshot)
  store.receive(token(1, 'a'))
  store.receive({ name: 'chat:title', sessionId: 's', runId: 'r', seq: 2, title: 'new' })
  expect(store.state.get().view).toMatchObject({ title: 'new', partial: { text: 'a' } })
})

test('events that come before the snapshot wait for it, and those it holds are dropped', () => {
  const { store, frame } = makeStore()
  store.receive(token(1, 'a'))
  store.receive(token(2, 'b'))
  store.take({ ...snapshot, seq: 1, partial: { text: 'a', thinking: '' } })
  frame()
  expect(store.state.get().view?.partial.text).toBe('ab')
})

test('a missing event asks for a snapshot once and shows nothing out of order', () => {
  const { store, gaps, frame } = makeStore()
  store.take(snapshot)
  store.receive(token(2, 'b'))
  store.receive(token(3, 'c'))
  frame()
  expect(gaps).toHaveLength(1)
  expect(store.state.get().view?.partial.text).toBe('')
  store.take({ ...snapshot, seq: 2, partial: { text: 'ab', thinking: '' } })
  frame()
  expect(store.state.get().view?.partial.text).toBe('abc')
})

test('a lost link shows what came before it and forgets what a snapshot will hold', () => {
  const { store, gaps } = makeStore()
  store.take(snapshot)
  store.receive(token(1, 'a'))
  store.lose()
  expect(store.state.get().view?.partial.text).toBe('a')
  // The event is held for a snapshot that never comes, and the restarted server counts on from a lower number.
  store.receive(token(9, 'x'))
  store.lose()
  store.take({ ...snapshot, seq: 0 })
  expect(gaps).toEqual([])
})

const said = (seq: number) => ({
  type: 'user' as const,
  seq,
  runId: 'r',
  at: 0,
  messageId: `m${seq}`,
  text: 'Hello',
  by: 'operator',
})

test('a snapshot of what was missed alone leaves what is known as it was', () => {
  const { store } = makeStore()
  store.take({ ...snapshot, seq: 3, entries: [said(2)], hasEarlier: true })
  const known = store.state.get().view?.entries[0]
  store.lose()
  store.take({ ...snapshot, seq: 7, since: 2, entries: [said(6)], hasEarlier: true })
  expect(store.state.get().view).toMatchObject({ lastSeq: 7, hasEarlier: true, entries: [{ seq: 2 }, { seq: 6 }] })
  expect(store.state.get().view?.entries[0]).toBe(known)
  store.take({ ...snapshot, seq: 7, since: 6, entries: [] })
  expect(store.state.get().view?.entries).toHaveLength(2)
})

test('a message that came after it was sent is no longer on its way; an older one of the same words does not count', () => {
  const { store } = makeStore()
  store.addOutgoing({ requestId: 'q', text: 'Hello', afterSeq: 4 })
  store.take({ ...snapshot, seq: 4, entries: [said(4)] })
  expect(store.state.get().outgoing).toHaveLength(1)
  store.take({ ...snapshot, seq: 5, entries: [said(4), said(5)] })
  expect(store.state.get().outgoing).toEqual([])
})

test('a message that comes back as an entry before it was acknowledged is shown once', () => {
  const { store } = makeStore()
  store.take(snapshot)
  store.addOutgoing({ requestId: 'q', text: 'Hello', afterSeq: 0 })
  store.receive({
    name: 'chat:user',
    sessionId: 's',
    runId: 'r',
    seq: 1,
    at: 0,
    messageId: 'm',
    text: 'Hello',
    by: 'o',
  })
  expect(store.state.get().outgoing).toEqual([])
})
