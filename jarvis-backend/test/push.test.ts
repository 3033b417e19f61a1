import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { ChannelDelivery, ChannelsReply, DoctorReply, PushDevice, PushMessage, PushReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { Delivery } from '../src/channels/channel.ts'
import type { PushSender } from '../src/channels/web-push/ports.ts'
import { makeVapidKeys, WebPushSender } from '../src/channels/web-push/sender.ts'
import type { Clock } from '../src/lib/clock.ts'
import { migrations } from '../src/store/sqlite/migrations/index.ts'
import { startNtfy } from './fake-services/ntfy.ts'
import { fakeBrowser } from './fake-services/web-push.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { startJarvis } from './support/start-jarvis.ts'

const browser = (name: string) => fakeBrowser(`https://push.example.org/${name}`).body
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Messages that are taken, and what becomes of each: sent, unless the test says otherwise. */
function fakeSender() {
  const sent: { to: string; ttlS: number; urgency: string; message: PushMessage }[] = []
  const wake: (() => void)[] = []
  let become: () => Promise<Delivery> = async () => ({ kind: 'sent' })
  const sender: PushSender = {
    publicKey: 'the-public-key',
    send({ endpoint }, { payload, ttlS, urgency }) {
      const message = JSON.parse(payload) as PushMessage
      // The demo cluster has alerts of its own, which are told beside the cards.
      if (message.tag.startsWith('alert-')) return Promise.resolve({ kind: 'sent' })
      sent.push({ to: endpoint.split('/').at(-1) ?? '', ttlS, urgency, message })
      for (const run of wake.splice(0)) run()
      return become()
    },
  }
  return {
    sender,
    sent,
    /** `a: text`, of those from a place on, sorted. */
    lines: (from = 0, of = ({ title }: PushMessage) => title) =>
      sent
        .slice(from)
        .map(({ to, message }) => `${to}: ${of(message)}`)
        .sort(),
    become(next: typeof become) {
      become = next
    },
    async next(count: number) {
      while (sent.length < count) await new Promise<void>((resolve) => wake.push(resolve))
      return sent[count - 1]
    },
  }
}

const twoCards = () =>
  scripted(
    calls(['stop_vm', { vmid: 103 }], ['execute_ssh', { node: 'pve', command: 'systemctl restart nginx' }]),
    says('Well.'),
  )
type Started = Partial<Parameters<typeof startJarvis>[0]> & { env?: Record<string, string>; clock?: Clock }
async function start({ env, ...more }: Started = {}) {
  const push = fakeSender()
  const jarvis = await startJarvis({
    model: twoCards(),
    push: push.sender,
    ...more,
    env: { JARVIS_EMBEDDINGS: 'none', ...env },
  })
  const call = async <T = PushReply>(
    method: string,
    path = '',
    json?: unknown,
    role: 'operator' | 'viewer' = 'operator',
  ) => {
    const response = await jarvis.rest(`/api/push${path}`, { method, role, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, text, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  const read = async <T>(path: string) => (await (await jarvis.rest(`/api/${path}`)).json()) as T
  const deliveries = async () =>
    (await read<{ items: ChannelDelivery[] }>('channel-deliveries')).items.filter(
      ({ channel }) => channel === 'webpush',
    )
  return { jarvis, push, call, read, deliveries }
}
test('devices of an installation before the channels go on, each with what it chose', async () => {
  const dataDir = newDir()
  const old = new Sqlite(join(dataDir, 'jarvis.db'))
  const before = migrations.findIndex((sql) => sql.includes('CREATE TABLE push_subscriptions'))
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  const add = old.prepare(
    `INSERT INTO push_devices (id, sub, endpoint, p256dh, auth, label, hides_names, created_at, last_sent_at, problem)
     VALUES (?, ?, 'https://push.example.org/' || ?, 'key', 'secret', ?, ?, 3, 4, ?)`,
  )
  add.run('psh_a', 'operator', 'a', 'Phone', 0, null)
  add.run('psh_b', 'operator', 'b', 'Desk', 1, 'it answered 503')
  add.run('psh_c', 'a-token-of-old', 'c', 'Old', 0, null)
  add.run('psh_d', 'per_gone', 'd', 'Of nobody', 0, null)
  old.exec(`INSERT INTO signer_keys VALUES ('psh_a', 'device', 'operator', 'Phone', 'a2V5', 3, NULL);
    PRAGMA user_version = ${before}`)
  old.close()
  const { jarvis, push, call } = await start({ dataDir })
  const { body } = await call('GET')
  const shared = { createdAt: 3, lastSentAt: 4, lastSeenAt: expect.any(Number) }
  expect(body.items).toEqual([
    { ...shared, id: 'psh_a', label: 'Phone', hidesNames: false, decides: true },
    { ...shared, id: 'psh_b', label: 'Desk', hidesNames: true, decides: false, problem: 'it answered 503' },
    { ...shared, id: 'psh_c', label: 'Old', hidesNames: false, decides: false },
  ])
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop 103.' })
  await push.next(6)
  expect(push.lines()).toEqual([
    'a: Run execute_ssh on pve?',
    'a: Stop VM 103 truenas on pve?',
    ...['b: A call waits for you.', 'b: A call waits for you.'],
    ...['c: Run execute_ssh on pve?', 'c: Stop VM 103 truenas on pve?'],
  ])
  await expect.poll(async () => (await call('GET')).body.items.some(({ problem }) => problem)).toBe(false)
})

const planted = 'The password of 10.99.88.77 is hunter2-planted-secret.'

test('each card is announced once to each device by its settings, and not to removed devices; routes count', async () => {
  const model = scripted(
    ...[calls(['stop_vm', { vmid: 103 }], ['execute_ssh', { node: 'pve', command: 'systemctl restart nginx' }])],
    ...[says('Well.'), calls(['stop_vm', { vmid: 101 }]), says('Well.')],
  )
  const { jarvis, push, call, read, deliveries } = await start({
    model,
    env: { JARVIS_PUBLIC_URL: 'https://jarvis.lan' },
  })
  await call('POST', '', browser('a'))
  await call('POST', '', { ...browser('b'), label: 'laptop', hidesNames: true })
  const { body: added } = await call<PushDevice>('POST', '', browser('c'))
  expect((await call('DELETE', `/${added.id}`)).status).toBe(204)
  const listed = await call('GET')
  expect(listed.body).toMatchObject({ publicKey: 'the-public-key', items: [{ label: 'phone' }, { label: 'laptop' }] })
  const shown = await jarvis.rest('/api/channels')
  const all = await shown.text()
  for (const text of [listed.text, all]) expect(text).not.toContain('push.example.org')
  const channel = (JSON.parse(all) as ChannelsReply).items.find(({ id }) => id === 'webpush')
  expect(channel).toMatchObject({ state: 'on', subscribes: true, pairs: false, atMost: 'approve', settings: [] })
  expect(channel?.recipients.map(({ name, decides }) => `${name} ${decides}`)).toEqual(['phone none', 'laptop none'])
  // It has no settings, and a right is raised on the device alone.
  const [first] = channel?.recipients ?? []
  for (const [method, path, json] of [
    ['PUT', 'channels/webpush', { settings: {} }],
    ['DELETE', 'channels/webpush', undefined],
    ['POST', 'channel-pairings/webpush', undefined],
    ['PATCH', `channel-recipients/${first?.id}`, { decides: 'deny' }],
  ] as const) {
    const { status } = await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })
    expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => [400, 404, 409].includes(code))])
  }

  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: `Stop 103. ${planted}` })
  const cards = [await screen.next('chat:confirm_needed'), await screen.next('chat:confirm_needed')]
  await push.next(4)
  expect(push.lines()).toEqual([
    ...['a: Run execute_ssh on pve?', 'a: Stop VM 103 truenas on pve?'],
    ...['b: A call waits for you.', 'b: A call waits for you.'],
  ])
  expect(push.sent[0]).toMatchObject({
    ttlS: expect.any(Number),
    urgency: 'high',
    message: {
      tag: cards[0]?.toolUseId,
      path: `/waiting?card=${cards[0]?.toolUseId}`,
      web_push: 8030,
      notification: { navigate: `https://jarvis.lan/waiting?card=${cards[0]?.toolUseId}` },
    },
  })
  const rules = { routes: [{ channel: 'webpush', kinds: ['alert'], least: 'info' }], escalation: {} }
  await jarvis.rest('/api/channel-rules', { method: 'PUT', json: rules })
  for (const { toolUseId } of cards)
    await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false, note: planted })
  await screen.next('chat:done')
  // Each device takes the notification of each decided card back.
  await push.next(8)
  expect(push.lines(4, ({ tag, withdraws }) => `${tag} ${withdraws}`)).toEqual(
    ['a', 'b'].flatMap((to) => cards.map((card) => `${to}: ${card.toolUseId} true`)).sort(),
  )
  expect(push.sent[4]?.message.body).toMatch(/^Denied(?: by operator)?, dashboard, \d\d:\d\d \S+\.$/)
  await expect.poll(async () => (await deliveries()).filter(({ state }) => state === 'sent').length).toBe(8)
  const { items } = await read<{ items: { body: Record<string, unknown> }[] }>('journal?kind=setup')
  expect(items.map(({ body }) => body.change)).toEqual(expect.arrayContaining(['push_on', 'push_off']))

  // Words said, typed and noted around a card do not leave.
  for (const never of ['hunter2', '10.99.88.77', 'systemctl', 'nginx'])
    expect(JSON.stringify(push.sent)).not.toContain(never)

  // No route leads to browsers any more but that of alerts.
  await screen.ask('chat:send', { sessionId, message: 'Stop 101.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await screen.next('chat:done')
  expect(push.sent).toHaveLength(8)
})

test('a card that a busy push service refused is announced later, and at a start only what nobody was told of', async () => {
  const dataDir = newDir()
  const clock = createFakeClock(noon())
  const first = await start({ dataDir, clock })
  await first.call('POST', '', browser('a'))
  first.push.become(async () => ({ kind: 'again', why: 'it answered 503', retryAfterMs: 60_000 }))
  const screen = await first.jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const cards = [await screen.next('chat:confirm_needed'), await screen.next('chat:confirm_needed')]
  await first.push.next(1)
  await expect.poll(async () => (await first.call('GET')).body.items[0]?.problem).toBe('it answered 503')
  const doctor = await first.read<DoctorReply>('doctor')
  expect(doctor.checks.map(({ text }) => text)).toContain('Web push: it answered 503.')
  await clock.advance(30_000)
  expect(first.push.sent).toHaveLength(1)
  first.push.become(async () => ({ kind: 'sent' }))
  // The first card is over, so the second need not wait for it.
  await screen.ask('chat:confirm', { sessionId, toolUseId: cards[0]?.toolUseId as string, confirmed: false })
  await first.push.next(2)
  expect(first.push.sent.slice(1)).toMatchObject([{ message: { tag: cards[1]?.toolUseId } }])
  await expect.poll(async () => (await first.call('GET')).body.items[0]).not.toHaveProperty('problem')
  await first.jarvis.stop()

  const second = await start({ dataDir, clock: createFakeClock(clock.now()) })
  const again = await second.jarvis.connect()
  const deny = { sessionId, toolUseId: cards[1]?.toolUseId as string, confirmed: false }
  await again.ask('chat:confirm', deny)
  // Nothing but the end of the card.
  expect(await second.push.next(1)).toMatchObject({ message: { tag: cards[1]?.toolUseId, withdraws: true } })
  await second.jarvis.stop()
})

test('a question is told without the model’s words, and taken back once it is answered; a change until it is kept', async () => {
  const clock = createFakeClock(noon())
  const level: Level = { value: 5, changes: [] }
  const model = scripted(
    calls(['ask_operator', { questions: [{ question: 'Where should the backups go?' }] }]),
    calls(['set_level', { vmid: 104, to: 9 }]),
    says('Done.'),
  )
  const { jarvis, push, call } = await start({ model, clock, tools: [setLevel(level)] })
  await call('POST', '', browser('a'))
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Ask me.' })
  const { questionId } = await screen.next('chat:question')
  const of = { tag: `question-${questionId}`, path: `/waiting?question=${questionId}` }
  const body = 'A question waits for you. An answer allows nothing.'
  expect(await push.next(1)).toMatchObject({
    urgency: 'normal',
    message: { title: 'A question for you', body, ...of },
  })
  await screen.ask('chat:answer', { sessionId, questionId, said: 'As always.' })
  expect(await push.next(2)).toMatchObject({ message: { ...of, withdraws: true } })

  const { toolUseId } = await screen.next('chat:confirm_needed')
  await push.next(3)
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, goesBackAfterMin: 10 })
  await screen.next('chat:done')
  await push.next(4)
  await clock.advance(7 * 60_000)
  expect(push.sent).toHaveLength(4)
  await clock.advance(70_000)
  expect(await push.next(5)).toMatchObject({
    ttlS: expect.toSatisfy((ttlS: number) => ttlS > 60 && ttlS <= 120),
    urgency: 'high',
    message: {
      title: 'JARVIS takes a change back soon',
      tag: `goes-back-${toolUseId}`,
      path: '/waiting',
      body: 'A change goes back within two minutes unless you keep it.',
    },
  })
  await jarvis.rest(`/api/changes/${toolUseId}/keep`, { method: 'POST', json: {} })
  expect(await push.next(6)).toMatchObject({ message: { tag: `goes-back-${toolUseId}`, withdraws: true } })
  await clock.advance(5 * 60_000)
  expect({ sent: push.sent.length, changes: level.changes }).toEqual({ sent: 6, changes: [9] })
  for (const never of ['backups', 'The level of']) expect(JSON.stringify(push.sent)).not.toContain(never)
})

test('another password takes every device out', async () => {
  const { jarvis, call } = await start({ env: { JARVIS_PASSWORD: '' } })
  await call('POST', '', browser('a'))
  const json = { current: jarvis.newPassword, next: 'a-better-password' }
  const changed = await jarvis.rest('/api/auth/password', { method: 'POST', json })
  const { token, ended } = (await changed.json()) as { token: string; ended: { signIns: string[]; pairings: string[] } }
  expect(ended).toEqual({ signIns: [], pairings: [expect.stringMatching(/^webpush: /)] })
  const headers = { authorization: `Bearer ${token}` }
  expect(await (await jarvis.rest('/api/push', { headers })).json()).toMatchObject({ items: [] })
})

test('a push service that hangs or refuses delays no decision and no other channel, and a browser that is gone is forgotten', async () => {
  const ntfy = await startNtfy()
  const env = {
    JARVIS_CHANNEL_NTFY_URL: ntfy.url,
    JARVIS_CHANNEL_NTFY_TOPIC: 't',
    JARVIS_CHANNEL_NTFY_TOKEN: ntfy.token,
  }
  const { jarvis, push, call, read, deliveries } = await start({ env })
  await call('POST', '', browser('a'))
  const hung: ((delivery: Delivery) => void)[] = []
  push.become(() => new Promise((resolve) => hung.push(resolve)))
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const first = await screen.next('chat:confirm_needed')
  const second = await screen.next('chat:confirm_needed')
  await expect.poll(() => ntfy.shown().filter(({ title }) => title === 'A call waits for you.').length).toBe(2)
  await screen.ask('chat:confirm', { sessionId, toolUseId: first.toolUseId, confirmed: false })
  await screen.ask('chat:confirm', { sessionId, toolUseId: second.toolUseId, confirmed: false })
  await screen.next('chat:done')
  hung[0]?.({ kind: 'failed', why: 'it answered 403' })
  await expect.poll(async () => (await call('GET')).body.items[0]?.problem).toBe('it answered 403')
  expect(await deliveries()).toContainEqual(expect.objectContaining({ state: 'failed', why: 'it answered 403' }))
  const [device] = (await call('GET')).body.items
  const tested = await call<PushDevice>('POST', `/${device?.id}/test`)
  expect(tested.body).toMatchObject({ label: 'phone' })
  await push.next(2)
  hung[1]?.({ kind: 'gone', why: 'the browser ended its subscription' })
  await expect.poll(async () => (await call('GET')).body.items).toEqual([])
  const { items } = await read<{ items: { body: Record<string, unknown> }[] }>('journal?kind=channel')
  expect(items[0]?.body).toMatchObject({ change: 'unsubscribed', recipient: device?.id })
})

test('what cannot be a browser is refused, and a viewer is not told', async () => {
  const { jarvis, call } = await start()
  const body = browser('a')
  for (const wrong of [
    { endpoint: 'http://push.example.org/x' },
    { endpoint: 'file:///etc/passwd' },
    { keys: { p256dh: 'short', auth: body.keys.auth } },
    { label: '' },
    { more: 1 },
  ]) {
    expect((await call('POST', '', { ...body, ...wrong })).status, JSON.stringify(wrong)).toBe(400)
  }
  for (const method of ['GET', 'POST'])
    expect((await call(method, '', method === 'POST' ? body : undefined, 'viewer')).status).toBe(403)
  expect((await call('POST', '/psh_0/test')).status).toBe(404)
  const { body: first } = await call('POST', '', body)
  const { body: again } = await call('POST', '', { ...body, hidesNames: true })
  expect((again as unknown as { id: string }).id).toBe((first as unknown as { id: string }).id)
  expect((await call('GET')).body?.items).toMatchObject([{ hidesNames: true }])
  expect(await (await jarvis.rest('/api/journal?kind=setup')).text()).toContain('push_on')
})

test('the keys are made on first use, for their owner alone, and outlive a restart', async () => {
  const dataDir = newDir()
  const keyOf = async () => {
    const jarvis = await startJarvis({ dataDir, env: { JARVIS_EMBEDDINGS: 'none' } })
    const { publicKey } = (await (await jarvis.rest('/api/push')).json()) as PushReply
    await jarvis.stop()
    return publicKey
  }
  const made = await keyOf()
  expect(Buffer.from(made, 'base64url')).toHaveLength(65)
  expect(statSync(join(dataDir, 'vapid-keys')).mode & 0o777).toBe(0o600)
  expect(await keyOf()).toBe(made)
})

test.each([
  ['https://127.0.0.1/x', []],
  ['https://[::1]/x', []],
  ['https://[::ffff:10.0.0.1]/x', []],
  ['https://2130706433/x', []],
  ['https://169.254.169.254/latest', []],
  ['https://push.example.org/x', ['10.0.0.5']],
  ['https://push.example.org/x', ['93.184.216.34', '127.0.0.1']],
])('nothing is sent to %s, which is %j', async (endpoint, addresses) => {
  const sender = new WebPushSender({
    keys: makeVapidKeys(),
    subject: 'mailto:a@example.org',
    resolve: async () => addresses,
  })
  const delivery = await sender.send(fakeBrowser(endpoint).to, {
    payload: '{}',
    ttlS: 1,
    topic: 'a',
    urgency: 'low',
  })
  expect(delivery).toMatchObject({ kind: 'failed', why: expect.stringContaining('is not a public address') })
})
