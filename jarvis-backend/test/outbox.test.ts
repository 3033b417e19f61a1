import { expect, onTestFinished, test } from 'vitest'
import { ntfy } from '../src/channels/adapters/ntfy.ts'
import type { Delivery, Outgoing } from '../src/channels/channel.ts'
import { Outbox } from '../src/channels/outbox.ts'
import type { OutboxItem } from '../src/channels/ports.ts'
import { createSpeech } from '../src/channels/spoken.ts'
import { SqliteOutboxStore } from '../src/store/sqlite/channels/outbox.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { startNtfy } from './fake-services/ntfy.ts'
import { createFakeClock, type FakeClock } from './support/fake-clock.ts'

const say = createSpeech((text) => text.replaceAll('hunter2', '[secret]'))
const dayMs = 24 * 60 * 60_000

function start(
  become: (item: OutboxItem, attempt: number) => Delivery | Promise<Delivery>,
  clock: FakeClock = createFakeClock(0),
) {
  const database = openDatabase(':memory:')
  onTestFinished(() => void database.close())
  const store = new SqliteOutboxStore(database)
  const tried: { id: string; at: number }[] = []
  const lines: string[] = []
  const outbox = new Outbox({
    store,
    clock,
    database,
    random: () => 0.5,
    sender: {
      isIdempotent: (channel) => channel === 'ntfy',
      async attempt(item) {
        tried.push({ id: item.id, at: clock.now() })
        return become(item, item.attempts)
      },
      ended() {},
    },
    notes: {
      announce: (text) => void lines.push(text),
      changed() {},
      report(error) {
        throw error
      },
    },
  })
  const add = (id: string, more: Partial<OutboxItem> = {}) =>
    outbox.add({
      id,
      recipient: 'rec_1',
      channel: 'ntfy',
      act: 'deliver',
      key: `notice:${id}`,
      createdAt: clock.now(),
      content: { kind: 'notice', level: 'info', title: say(id), lines: [], path: '/' },
      expiresAt: clock.now() + dayMs,
      ...more,
    })
  return { outbox, store, clock, tried, lines, add }
}

test('the pause doubles from 1 s to 5 min, and one that the service asks for is kept instead', async () => {
  const away: Delivery = { kind: 'again', why: 'it answered 503' }
  const { outbox, store, clock, tried, add } = start((_item, attempt) =>
    attempt === 11 ? { ...away, retryAfterMs: 700_000 } : attempt === 12 ? { kind: 'sent', ref: '7' } : away,
  )
  add('a')
  outbox.look()
  await clock.advance(60 * 60_000)
  const gaps = tried.map(({ at }, place) => at - (tried[place - 1]?.at ?? 0))
  expect(gaps.map((ms) => ms / 1_000)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 700])
  expect(store.get('a')).toMatchObject({ end: 'sent', ref: '7', attempts: 12 })
  expect(clock.pending()).toBe(0)
})

test('one recipient’s messages keep their order while the first is tried again, and wait for nobody else’s', async () => {
  const { outbox, clock, tried, add } = start(({ recipient }, attempt) =>
    recipient === 'rec_1' && attempt < 3 ? { kind: 'again', why: 'busy' } : { kind: 'sent' },
  )
  for (const id of ['a', 'b']) add(id)
  for (const id of ['x', 'y']) add(id, { recipient: 'rec_2' })
  expect([add('b2', { key: 'notice:b' }), add('z', { act: 'revise', key: 'notice:x', recipient: 'rec_2' })]).toEqual([
    false,
    true,
  ])
  outbox.look()
  await clock.advance(60_000)
  expect(tried.filter(({ id }) => 'ab'.includes(id)).map(({ id }) => id)).toEqual(['a', 'a', 'a', 'b', 'b', 'b'])
  expect(tried.filter(({ id }) => 'xyz'.includes(id))).toEqual(['x', 'y', 'z'].map((id) => ({ id, at: 0 })))
})

test('a channel that is down for a day: 10,000 notices wait on disk alone, in order, and what is stale is dropped with a line', async () => {
  let isDown = true
  const { outbox, store, clock, tried, lines, add } = start(() =>
    isDown ? { kind: 'again', why: 'it could not be reached (ECONNREFUSED)' } : { kind: 'sent' },
  )
  for (let number = 0; number < 6_000; number += 1) add(`old${number}`)
  outbox.look()
  await clock.advance(dayMs / 2)
  for (let number = 0; number < 4_500; number += 1) add(`new${number}`)
  expect(store.waiting()).toBe(10_000)
  await clock.advance(dayMs / 2)
  expect(lines.slice(0, -1)).toEqual(Array(5).fill('100 messages were not sent: more than 10000 waited.'))
  expect(lines.at(-1)).toBe('5500 messages were not sent: its time was over before it could be sent.')
  // One message was tried again and again, and no other.
  expect(new Set(tried.map(({ id }) => id)).size).toBeLessThan(4)
  isDown = false
  tried.length = 0
  await clock.advance(6 * 60_000)
  await expect.poll(() => tried.length).toBe(4_500)
  expect(tried.map(({ id }) => id)).toEqual(Array.from({ length: 4_500 }, (_, number) => `new${number}`))
  expect([store.waiting(), clock.pending()]).toEqual([0, 0])
}, 60_000)

test('what the last process was sending is sent again, and says so', async () => {
  const { outbox, store, clock, tried, add } = start(() => ({ kind: 'sent' }))
  for (const id of ['a', 'b', 'c']) add(id, { channel: id === 'c' ? 'gotify' : 'ntfy' })
  for (const id of ['a', 'c']) store.begin(id)
  outbox.resume()
  await clock.advance(0)
  expect(tried.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(store.get('a')).toMatchObject({ end: 'sent', attempts: 2 })
  // Where the service knows the second for the first, there is nothing to say.
  expect(store.get('a')).not.toHaveProperty('why')
  expect(store.get('c')?.why).toBe('JARVIS ended while it was being sent before, so it may be shown twice')
})

const message = (more: Partial<Outgoing> = {}): Outgoing => ({
  id: 'out_1',
  at: 1,
  tag: 't',
  path: '/',
  level: 'failed',
  title: say('pve is away'),
  lines: [say('13 more are hidden by it.')],
  link: 'https://jarvis.lan/alerts',
  buttons: [],
  isOver: false,
  expiresAt: 10,
  ...more,
})

test('ntfy takes a message, replaces it under its sequence and deletes it', async () => {
  const server = await startNtfy()
  const channel = ntfy.open(
    { URL: `${server.url}/`, TOPIC: 'jarvis-9f2c', TOKEN: server.token },
    { clock: createFakeClock(0), problem() {} },
  )
  const nobody = { user: '', chat: '' }
  const { signal } = new AbortController()
  const first = await channel.deliver(message(), nobody, signal)
  expect(first).toEqual({ kind: 'sent', ref: expect.stringMatching(/^[0-9a-f]{24}$/) })
  // Once more, as after a crash.
  expect(await channel.deliver(message(), nobody, signal)).toEqual(first)
  expect(server.shown()).toEqual([
    expect.objectContaining({
      topic: 'jarvis-9f2c',
      title: 'pve is away',
      message: '13 more are hidden by it.',
      priority: 5,
      click: 'https://jarvis.lan/alerts',
    }),
  ])
  await channel.revise?.(message({ title: say('pve is back'), isOver: true }), { to: nobody, ref: undefined }, signal)
  expect(server.shown()).toMatchObject([{ title: 'pve is back', priority: 1 }])
  await channel.withdraw?.(message(), { to: nobody, ref: undefined }, signal)
  expect(server.shown()).toEqual([])
  expect(await channel.health(signal)).toEqual({})
})

test('what is said is redacted, shows what would hide, and is cut', () => {
  expect(say('the word is hunter2\u202e\u0007')).toBe('the word is [secret]⟨U+202E⟩⟨U+0007⟩')
  expect([...say('🙂'.repeat(500))]).toHaveLength(400)
})
