import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ask } from './ask.ts'
import type { ChatSocket } from './sockets.ts'

/** A socket that keeps what is sent until the test answers it. */
function fakeSocket() {
  const listeners = new Map<string, Set<() => void>>()
  const sent: { payload: unknown; ack: (reply: unknown) => void }[] = []
  const socket = {
    connected: true,
    on: (name: string, listener: () => void) => listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
    off: (name: string, listener: () => void) => listeners.get(name)?.delete(listener),
    emit: (_name: string, payload: unknown, ack: (reply: unknown) => void) => sent.push({ payload, ack }),
  }
  return {
    socket: socket as unknown as ChatSocket,
    sent,
    go(isUp: boolean) {
      socket.connected = isUp
      for (const listener of [...(listeners.get(isUp ? 'connect' : 'disconnect') ?? [])]) listener()
    },
    listenerCount: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  }
}

const stays = new AbortController().signal
const message = { message: 'hi', requestId: 'r1' }
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an acknowledgement is passed on', async () => {
  const { socket, sent, listenerCount } = fakeSocket()
  const reply = ask(socket, { name: 'chat:send', payload: message }, stays)
  sent[0]?.ack({ ok: false, error: { code: 'forbidden', message: 'No.' } })
  expect(await reply).toEqual({ ok: false, error: { code: 'forbidden', message: 'No.' } })
  expect(listenerCount()).toBe(0)
})

test('a lost acknowledgement sends the same request again', async () => {
  const { socket, sent } = fakeSocket()
  const reply = ask(socket, { name: 'chat:send', payload: message }, stays)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(sent.map(({ payload }) => payload)).toEqual([message, message])
  sent[1]?.ack({ ok: true })
  expect(await reply).toEqual({ ok: true })
})

test('a dropped link sends it again once it is back, not before', async () => {
  const { socket, sent, go } = fakeSocket()
  const reply = ask(socket, { name: 'chat:send', payload: message }, stays)
  go(false)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(sent).toHaveLength(1)
  go(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toHaveLength(2)
  sent[1]?.ack({ ok: true })
  expect(await reply).toEqual({ ok: true })
})

test('after a minute without a link it gives up and says that nothing was changed', async () => {
  const { socket, sent, go } = fakeSocket()
  go(false)
  const reply = ask(socket, { name: 'chat:send', payload: message }, stays)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await reply).toMatchObject({
    ok: false,
    error: { code: 'undelivered', message: expect.stringContaining('Nothing was changed') },
  })
  expect(sent).toHaveLength(0)
})

test('after a minute without an answer to what was sent, it says that the outcome is not known', async () => {
  const { socket, go } = fakeSocket()
  const reply = ask(socket, { name: 'chat:send', payload: message }, stays)
  go(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await reply).toMatchObject({
    ok: false,
    error: { code: 'undelivered', message: expect.stringContaining('not known') },
  })
})

test('after signing out nothing is sent any more, and the asker is told at once', async () => {
  const { socket, sent, go } = fakeSocket()
  const leaving = new AbortController()
  go(false)
  const reply = ask(socket, { name: 'chat:send', payload: message }, leaving.signal)
  leaving.abort()
  expect(await reply).toMatchObject({ ok: false, error: { code: 'unauthorized' } })
  go(true)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sent).toHaveLength(0)
})
