import { expect, test } from 'vitest'
import type {
  Nonce,
  NonceStore,
  OutboxItem,
  OutboxStore,
  Pairing,
  PairingStore,
  Recipient,
  RecipientStore,
} from '../../src/channels/ports.ts'
import { createSpeech } from '../../src/channels/spoken.ts'
import type { ChatStore, ChoiceStore, HeardStore, StoredChoice } from '../../src/channels/talk/ports.ts'
import type { SubscriptionStore } from '../../src/channels/web-push/ports.ts'

/** Sayings that need no redaction. */
const say = createSpeech((text) => text)

const item = (id: string, more: Partial<OutboxItem> = {}): Parameters<OutboxStore['add']>[0] => ({
  id,
  recipient: 'rec_1',
  channel: 'ntfy',
  act: 'deliver',
  key: `notice:${id}`,
  content: { kind: 'notice', level: 'info', title: say('Title'), lines: [say('Line')], path: '/' },
  createdAt: 10,
  notBefore: 10,
  expiresAt: 100,
  ...more,
})
const card = (id: string, more: Partial<OutboxItem> = {}) => {
  const of = { toolUseId: `tu_${id}`, bindingHash: 'h', deny: say('Do not') }
  const content = { kind: 'card', level: 'card', title: say('Stop?'), lines: [], path: '/waiting', card: of } as const
  return item(id, { key: `card:tu_${id}`, content, ...more })
}
const ids = (items: readonly OutboxItem[]) => items.map(({ id }) => id)

export function outboxStoreContract(open: () => OutboxStore) {
  test('each recipient’s messages come in the order they were added, and none twice', () => {
    const store = open()
    expect([
      store.add(item('a')),
      store.add(item('b')),
      store.add(item('c', { key: 'notice:a' })),
      store.add(item('d', { key: 'notice:a', act: 'revise' })),
      store.add(item('e', { key: 'notice:a', recipient: 'rec_2' })),
    ]).toEqual([true, true, false, true, true])
    expect(store.recipients()).toEqual(['rec_1', 'rec_2'])
    expect(store.head('rec_1', 10)).toMatchObject({ ...item('a'), attempts: 0, isOpen: false })
    expect([store.waiting(), store.waiting('rec_1'), store.waiting('rec_3')]).toEqual([4, 3, 0])
    store.end('a', { end: 'sent', at: 20, ref: '7' })
    expect(store.head('rec_1', 10)?.id).toBe('b')
    expect(store.head('rec_3', 10)).toBeUndefined()
  })

  test('an attempt is noted before it is made, and the first end counts', () => {
    const store = open()
    store.add(item('a'))
    store.begin('a')
    expect(store.get('a')).toMatchObject({ attempts: 1, isOpen: true })
    store.again('a', 50, 'it answered 503')
    expect(store.get('a')).toMatchObject({
      attempts: 1,
      isOpen: false,
      mayExist: false,
      notBefore: 50,
      why: 'it answered 503',
    })
    store.begin('a')
    expect([store.reopen('lost'), store.reopen('lost')]).toEqual([1, 0])
    expect(store.get('a')).toMatchObject({ attempts: 2, isOpen: false, mayExist: true, why: 'lost' })
    expect([
      store.end('a', { end: 'sent', at: 60, ref: '7' }),
      store.end('a', { end: 'failed', at: 61, why: 'x' }),
    ]).toEqual([true, false])
    expect(store.get('a')).toMatchObject({ end: 'sent', endedAt: 60, ref: '7' })
    expect(store.get('a')).not.toHaveProperty('why')
    expect([store.recipients(), store.get('b')]).toEqual([[], undefined])
  })

  test('what is to be sent later lets the rest pass, and what was tried keeps it waiting', () => {
    const store = open()
    store.add(item('later', { notBefore: 50 }))
    store.add(item('now'))
    expect([store.head('rec_1', 20)?.id, store.head('rec_1', 50)?.id, store.soonest('rec_1')]).toEqual([
      'now',
      'later',
      10,
    ])
    store.begin('now')
    store.again('now', 90, 'busy')
    store.add(item('last'))
    expect([store.head('rec_1', 20)?.id, store.head('rec_1', 60)?.id]).toEqual(['now', 'later'])
    store.end('now', { end: 'failed', at: 60, why: 'x' })
    store.end('last', { end: 'sent', at: 60 })
    expect([store.head('rec_1', 20), store.soonest('rec_1'), store.soonest('rec_2')]).toEqual([
      undefined,
      50,
      undefined,
    ])
  })

  test('what is held for a digest is found by when it came, and counts as no notice', () => {
    const store = open()
    store.add(item('a', { end: 'held', endedAt: 10, why: 'quiet hours' }))
    store.add(item('b', { createdAt: 20 }))
    store.add(item('c', { createdAt: 20, end: 'held', endedAt: 20, why: 'quiet hours' }))
    expect([ids(store.held('rec_1', 0)), ids(store.held('rec_1', 11)), store.held('rec_2', 0)]).toEqual([
      ['a', 'c'],
      ['c'],
      [],
    ])
    expect([store.noticesSince('rec_1', 0), store.noticesSince('rec_1', 21)]).toEqual([1, 0])
    expect([store.has('rec_1', 'notice:a'), store.has('rec_1', 'notice:x'), store.waiting()]).toEqual([true, false, 1])
  })

  test('what is stale, too much or for nobody is dropped, and says why', () => {
    const store = open()
    for (const id of ['a', 'b', 'c', 'd']) store.add(item(id, { expiresAt: id === 'b' ? 20 : 100 }))
    store.add(card('x'))
    store.add(item('other', { recipient: 'rec_2', expiresAt: 20 }))
    expect(store.dropStale('rec_1', 20, 'late')).toBe(1)
    store.begin('a')
    // Neither what is being sent nor a card makes room.
    expect(store.dropOldest('rec_1', 2, { at: 30, why: 'full' })).toBe(2)
    expect(store.log({ limit: 9 }).map(({ id, end, why }) => [id, end, why])).toEqual([
      ['other', undefined, undefined],
      ['x', undefined, undefined],
      ['d', 'dropped', 'full'],
      ['c', 'dropped', 'full'],
      ['b', 'dropped', 'late'],
      ['a', undefined, undefined],
    ])
    expect([store.dropAll('rec_1', 40, 'not paired'), store.waiting('rec_1'), store.waiting('rec_2')]).toEqual([
      2, 0, 1,
    ])
    expect(store.counts(0)).toEqual({ sent: 0, held: 0, dropped: 5, failed: 0 })
    expect(store.counts(31)).toEqual({ sent: 0, held: 0, dropped: 2, failed: 0 })
  })

  test('cards stay open until they are settled, also once they are sent and old', () => {
    const store = open()
    store.add(card('x', { createdAt: 10 }))
    store.add(card('y', { createdAt: 20 }))
    store.add(item('n'))
    store.add(card('x2', { key: 'card:tu_x', act: 'revise' }))
    store.end('x', { end: 'sent', at: 30, ref: '7' })
    store.prune(1_000, 0)
    expect(ids(store.openCards())).toEqual(['x', 'y'])
    expect([store.cardsSince('rec_1', 10), store.cardsSince('rec_1', 11), store.cardsSince('rec_2', 0)]).toEqual([
      2, 1, 0,
    ])
    store.settle('x')
    expect(ids(store.openCards())).toEqual(['y'])
  })

  test('what ended is told newest first, and forgotten by age and by number', () => {
    const store = open()
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      store.add(item(id))
      if (id !== 'd') store.end(id, { end: 'sent', at: 10 + at })
    }
    const [newest, next] = store.log({ limit: 2 })
    expect(ids(store.log({ limit: 2 }))).toEqual(['d', 'c'])
    expect(newest?.seq).toBeGreaterThan(next?.seq ?? 0)
    expect(ids(store.log({ limit: 9, before: next?.seq ?? 0 }))).toEqual(['b', 'a'])
    store.prune(11, 100)
    expect(ids(store.log({ limit: 9 }))).toEqual(['d', 'c', 'b'])
    store.prune(0, 1)
    expect(ids(store.log({ limit: 9 }))).toEqual(['d', 'c'])
  })
}

const recipient = (id: string, more: Partial<Recipient> = {}): Recipient => ({
  id,
  channel: 'telegram',
  account: 'acc',
  person: 'operator',
  user: id,
  chat: id,
  name: 'Mira',
  isGroup: false,
  decides: 'deny',
  hidesNames: false,
  talks: false,
  createdAt: 10,
  ...more,
})

export function recipientStoreContract(open: () => RecipientStore) {
  test('a user of a channel is one recipient, whose rights change until they are removed', () => {
    const store = open()
    expect([
      store.add(recipient('1')),
      store.add(recipient('2', { user: '1' })),
      store.add(recipient('3', { user: '1', channel: 'discord', createdAt: 5 })),
    ]).toEqual([true, false, true])
    expect(store.list().map(({ id }) => id)).toEqual(['3', '1'])
    expect(store.list('telegram')).toEqual([recipient('1')])
    expect([store.set('1', { decides: 'approve' }), store.set('2', { hidesNames: true })]).toEqual([true, false])
    store.set('1', { hidesNames: true, talks: true, agent: 'media' })
    store.trouble('1', 'blocked')
    store.set('1', { decides: 'approve' })
    const changed = { decides: 'approve', hidesNames: true, talks: true } as const
    expect(store.get('1')).toEqual(recipient('1', { ...changed, agent: 'media', problem: 'blocked' }))
    store.set('1', { agent: null })
    expect(store.get('1')).toEqual(recipient('1', { ...changed, problem: 'blocked' }))
    store.trouble('1', undefined)
    expect(store.get('1')).not.toHaveProperty('problem')
    expect([store.remove('1'), store.remove('1'), store.get('1')]).toEqual([true, false, undefined])
  })

  test('a group is moved to another id, unless that one is told already; a person never is', () => {
    const store = open()
    for (const id of ['-1', '-2']) store.add(recipient(id, { isGroup: true }))
    store.add(recipient('7'))
    expect([store.move('-1', '-2'), store.move('7', '8'), store.move('-1', '-3'), store.move('-9', '-4')]).toEqual([
      false,
      false,
      true,
      false,
    ])
    expect(store.get('-1')).toEqual(recipient('-1', { isGroup: true, user: '-3', chat: '-3' }))
  })
}

const pairing = (id: string, more: Partial<Pairing> = {}): Pairing => ({
  id,
  hash: `h${id}`,
  channel: 'telegram',
  account: 'acc',
  person: 'operator',
  createdAt: 10,
  expiresAt: 100,
  ...more,
})

export function pairingStoreContract(open: () => PairingStore) {
  test('a code is opened once, and a pairing lasts until its time or its end', () => {
    const store = open()
    store.add(pairing('a'))
    store.add(pairing('b', { expiresAt: 50, channel: 'discord' }))
    expect([store.byHash('ha'), store.byHash('none')]).toEqual([pairing('a'), undefined])
    const opened = { user: '7', chat: '7', name: 'Mira', at: 20 }
    expect([store.open('a', opened), store.open('a', { ...opened, user: '8' })]).toEqual([true, false])
    expect(store.get('a')).toEqual({ ...pairing('a'), opened })
    expect([store.list(40).map(({ id }) => id), store.list(50).map(({ id }) => id)]).toEqual([['a', 'b'], ['a']])
    store.prune(50)
    expect(store.get('b')).toBeUndefined()
    expect([store.removeOf('telegram'), store.remove('a')]).toEqual([1, false])
  })
}

const nonce = (hash: string, more: Partial<Nonce> = {}): Nonce => ({
  hash,
  recipient: 'rec_1',
  item: 'out_1',
  toolUseId: 'tu_1',
  bindingHash: 'b',
  decision: 'deny',
  expiresAt: 100,
  ...more,
})

export function nonceStoreContract(open: () => NonceStore) {
  test('a button is used once, and its message is learned once', () => {
    const store = open()
    store.add(nonce('h1'))
    store.add(nonce('h2', { ref: '8', decision: 'approve' }))
    store.add(nonce('h3', { item: 'out_2' }))
    expect([store.get('h1'), store.get('none')]).toEqual([nonce('h1'), undefined])
    store.bind('out_1', '9')
    expect([store.get('h1')?.ref, store.get('h2')?.ref, store.get('h3')?.ref]).toEqual(['9', '8', undefined])
    expect([store.use('h1', 20), store.use('h1', 21), store.use('none', 21)]).toEqual([true, false, false])
    expect(store.get('h1')?.usedAt).toBe(20)
  })

  test('buttons end with their recipient and their time', () => {
    const store = open()
    store.add(nonce('h1'))
    store.add(nonce('h2', { recipient: 'rec_2', expiresAt: 50 }))
    store.add(nonce('h3', { recipient: 'rec_2' }))
    store.removeOf('rec_1')
    store.prune(50)
    expect([store.get('h1'), store.get('h2'), store.get('h3')?.hash]).toEqual([undefined, undefined, 'h3'])
  })
}

export function chatStoreContract(open: () => ChatStore) {
  const here = { recipient: 'rec_1', thread: '' }
  const enter = (store: ChatStore, sessionId: string, at: number, more = {}) =>
    store.enter({ ...here, sessionId, told: -1, at, ...more })

  test('a chat has one current session, and comes back to an earlier one where it was', () => {
    const store = open()
    expect(store.current('rec_1', '')).toBeUndefined()
    enter(store, 'ses_a', 10)
    store.tell({ ...here, sessionId: 'ses_a' }, 7)
    store.tell({ ...here, sessionId: 'ses_a' }, 5)
    enter(store, 'ses_b', 20)
    enter(store, 'ses_c', 30, { thread: '4' })
    enter(store, 'ses_d', 40, { recipient: 'rec_2' })
    expect(store.current('rec_1', '')).toEqual({ ...here, sessionId: 'ses_b', told: -1, isCurrent: true, at: 20 })
    expect(store.list(here).map(({ sessionId, isCurrent }) => [sessionId, isCurrent])).toEqual([
      ['ses_b', true],
      ['ses_a', false],
    ])
    enter(store, 'ses_a', 50)
    expect(store.current('rec_1', '')).toMatchObject({ sessionId: 'ses_a', told: 7 })
    store.leave('rec_1', '')
    expect([store.current('rec_1', ''), store.current('rec_1', '4')?.sessionId]).toEqual([undefined, 'ses_c'])
    store.removeOf('rec_1')
    expect(store.list().map(({ sessionId }) => sessionId)).toEqual(['ses_d'])
  })

  test('the message that shows an answer is kept until it is finished', () => {
    const store = open()
    enter(store, 'ses_a', 10)
    store.preview({ ...here, sessionId: 'ses_a' }, '12')
    expect(store.current('rec_1', '')?.preview).toBe('12')
    store.preview({ ...here, sessionId: 'ses_a' }, undefined)
    expect(store.current('rec_1', '')).not.toHaveProperty('preview')
  })
}

const choice = (hash: string, more: Partial<StoredChoice> = {}): StoredChoice => ({
  hash,
  recipient: 'rec_1',
  thread: '',
  item: 'out_1.1',
  expiresAt: 100,
  deed: { does: 'open', sessionId: hash },
  ...more,
})

export function choiceStoreContract(open: () => ChoiceStore) {
  test('one button of a message is used once, and ends the others', () => {
    const store = open()
    for (const one of [choice('a'), choice('b'), choice('c', { item: 'out_2.1' })]) store.add(one)
    store.bind('out_1.1', '9')
    store.bind('out_1.1', '10')
    expect([store.get('a'), store.get('c'), store.get('none')]).toEqual([
      choice('a', { ref: '9' }),
      choice('c', { item: 'out_2.1' }),
      undefined,
    ])
    expect([store.use('a', 20), store.use('b', 21), store.use('none', 21), store.use('c', 22)]).toEqual([
      ...[true, false, false, true],
    ])
    expect([store.get('b')?.usedAt, store.get('c')?.usedAt]).toEqual([20, 22])
  })

  test('buttons end with their recipient and their time', () => {
    const store = open()
    for (const one of [
      choice('a'),
      choice('b', { recipient: 'rec_2', expiresAt: 50 }),
      choice('c', { recipient: 'rec_2' }),
    ])
      store.add(one)
    store.removeOf('rec_1')
    store.prune(50)
    expect([store.get('a'), store.get('b'), store.get('c')?.hash]).toEqual([undefined, undefined, 'c'])
  })
}

export function heardStoreContract(open: () => HeardStore) {
  const note = (id: string, at: number) => ({ id, recipient: 'rec_1', thread: '', file: `f${id}`, at })
  test('a voice note is heard once and ended once', () => {
    const store = open()
    for (const id of ['a', 'b', 'c']) store.add(note(id, id === 'a' ? 20 : 10))
    expect(store.open().map(({ id }) => id)).toEqual(['b', 'c', 'a'])
    expect([
      store.hear('a', { text: 'stop 103' }),
      store.hear('a', { text: 'no' }),
      store.hear('b', { problem: 'x' }),
    ]).toEqual([true, false, true])
    expect([store.end('a', 'sent'), store.end('a', 'discarded')]).toEqual([true, false])
    expect([store.get('a'), store.get('b'), store.get('none')]).toEqual([
      { ...note('a', 20), text: 'stop 103', end: 'sent' },
      { ...note('b', 10), problem: 'x' },
      undefined,
    ])
    store.prune(20)
    expect([store.get('a')?.id, store.open()]).toEqual(['a', []])
    store.removeOf('rec_1')
    expect(store.get('a')).toBeUndefined()
  })
}

export function subscriptionStoreContract(open: () => SubscriptionStore) {
  const subscription = (id: string) => ({ id, endpoint: `https://push.example/${id}`, p256dh: 'key', auth: 'secret' })

  test('a subscription is known by its recipient and by its address, and keeps when it was told and seen last', () => {
    const store = open()
    store.add(subscription('psh_1'))
    store.sent('psh_1', 20)
    store.seen('psh_1', 30)
    expect(store.get('psh_1')).toEqual({ ...subscription('psh_1'), lastSentAt: 20, seenAt: 30 })
    const next = { ...subscription('psh_1'), endpoint: 'https://push.example/next' }
    store.add(next)
    expect([store.get('psh_1'), store.byEndpoint(next.endpoint)]).toEqual([next, next])
    expect([store.get('psh_2'), store.byEndpoint(subscription('psh_1').endpoint)]).toEqual([undefined, undefined])
  })
}
