import { createECDH, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Clock } from '../src/lib/clock.ts'
import type { PushMessage, PushReply } from '../src/protocol/index.ts'
import type { Delivery, PushSender, Subscription } from '../src/push/ports.ts'
import { createWebPushSender, makeVapidKeys } from '../src/push/web-push-sender.ts'
import { authorityCertificate, borrowCertificate, returnCertificate } from './fake-proxmox/certificates.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** A browser, as far as a push service and its sender know one. */
function fakeBrowser(endpoint = 'https://push.example.org/send/secret-address') {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys('base64url')
  const authSecret = randomBytes(16)
  const auth = authSecret.toString('base64url')
  const body = { endpoint, keys: { p256dh, auth }, label: 'phone' }
  return { pair, authSecret, body, to: { endpoint, p256dh, auth } satisfies Subscription }
}

/** Messages that are taken, and what becomes of each: sent, unless the test says otherwise. */
function fakeSender() {
  const sent: { to: string; ttlS: number; message: PushMessage }[] = []
  const wake: (() => void)[] = []
  let become: () => Promise<Delivery> = async () => ({ kind: 'sent' })
  const sender: PushSender = {
    publicKey: 'the-public-key',
    send({ endpoint }, { payload, ttlS }) {
      const message = JSON.parse(payload) as PushMessage
      // The demo cluster has alerts of its own, which are told beside the cards.
      if (message.tag.startsWith('alert-')) return Promise.resolve({ kind: 'sent' })
      sent.push({ to: endpoint, ttlS, message })
      for (const run of wake.splice(0)) run()
      return become()
    },
  }
  return {
    sender,
    sent,
    become(next: typeof become) {
      become = next
    },
    async next(count: number) {
      while (sent.length < count) await new Promise<void>((resolve) => wake.push(resolve))
      return sent[count - 1]
    },
  }
}

async function start(more: { env?: Record<string, string>; dataDir?: string; clock?: Clock } = {}) {
  const push = fakeSender()
  const model = scripted(
    calls(['stop_vm', { vmid: 103 }], ['execute_ssh', { node: 'pve', command: 'systemctl restart nginx' }]),
    says('Well.'),
  )
  const jarvis = await startJarvis({
    model,
    push: push.sender,
    ...more,
    env: { JARVIS_EMBEDDINGS: 'none', ...more.env },
  })
  const call = async (method: string, path = '', json?: unknown, role: 'operator' | 'viewer' = 'operator') => {
    const response = await jarvis.rest(`/api/push${path}`, { method, role, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, text, body: text === '' ? undefined : (JSON.parse(text) as PushReply) }
  }
  return { jarvis, push, call }
}

test('a question is told under its own heading and tag, without names where a device hides them, and taken back', async () => {
  const push = fakeSender()
  const asks = calls(['ask_operator', { questions: [{ question: 'Where should the backups go?' }] }])
  const model = scripted(asks, says('Well.'))
  const jarvis = await startJarvis({ model, push: push.sender, env: { JARVIS_EMBEDDINGS: 'none' } })
  for (const [at, hidesNames] of [false, true].entries()) {
    const { body } = fakeBrowser(`https://push.example.org/${at}`)
    await jarvis.rest('/api/push', { method: 'POST', json: { ...body, hidesNames } })
  }
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Ask me.' })
  const { sessionId, questionId } = await operator.next('chat:question')
  await push.next(2)
  expect(push.sent.map(({ message }) => message)).toEqual([
    {
      title: 'A question for you',
      body: 'The model asks: "Where should the backups go?"',
      tag: `question-${questionId}`,
      path: `/waiting?question=${questionId}`,
    },
    expect.objectContaining({ body: 'A question waits for you. An answer allows nothing.' }),
  ])
  await operator.ask('chat:answer', { sessionId, questionId, said: 'As always.' })
  await push.next(4)
  expect(push.sent.slice(2).map(({ message }) => message)).toEqual(
    [1, 2].map(() => expect.objectContaining({ withdraws: true, tag: `question-${questionId}` })),
  )
  await operator.next('chat:done')
})

test('each card is announced once to each device by its settings, and not to removed devices', async () => {
  const { jarvis, push, call } = await start()
  const [phone, laptop, old] = ['a', 'b', 'c'].map((name) => fakeBrowser(`https://push.example.org/${name}`).body)
  await call('POST', '', phone)
  await call('POST', '', { ...laptop, label: 'laptop', hidesNames: true })
  const { body: added } = await call('POST', '', old)
  expect((await call('DELETE', `/${(added as unknown as { id: string }).id}`)).status).toBe(204)
  const listed = await call('GET')
  expect(listed.body).toMatchObject({ publicKey: 'the-public-key', items: [{ label: 'phone' }, { label: 'laptop' }] })
  expect(listed.text).not.toContain('push.example.org')

  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const cards = [await screen.next('chat:confirm_needed'), await screen.next('chat:confirm_needed')]
  await push.next(4)
  const said = (to: string) => push.sent.filter((item) => item.to.endsWith(to)).map(({ message }) => message.body)
  expect(said('/a').sort()).toEqual(['run execute_ssh on pve?', 'stop VM 103 truenas on pve?'])
  expect(said('/b')).toEqual(['A call waits for you.', 'A call waits for you.'])
  expect(push.sent[0]).toMatchObject({
    ttlS: expect.any(Number),
    message: { title: 'JARVIS asks', tag: cards[0]?.toolUseId, path: `/waiting?card=${cards[0]?.toolUseId}` },
  })
  for (const { toolUseId } of cards) await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await screen.next('chat:done')
  // Each device takes the notification of each decided card back.
  await push.next(8)
  const withdrawn = push.sent.slice(4).map(({ to, message }) => `${to.at(-1)} ${message.tag} ${message.withdraws}`)
  expect(withdrawn.sort()).toEqual(
    ['a', 'b'].flatMap((to) => cards.map((card) => `${to} ${card.toolUseId} true`)).sort(),
  )
})

test('a card that a busy push service refused is announced later, also after a restart, and not once it is decided', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  const clock = createFakeClock(Date.now())
  const first = await start({ dataDir, clock })
  await first.call('POST', '', fakeBrowser().body)
  let busy = true
  first.push.become(async () => (busy ? { kind: 'busy', why: 'the push service answered 503' } : { kind: 'sent' }))
  const screen = await first.jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const cards = [await screen.next('chat:confirm_needed'), await screen.next('chat:confirm_needed')]
  await first.push.next(2)
  await expect.poll(async () => (await first.call('GET')).body?.items[0]?.problem).toBe('the push service answered 503')
  await screen.ask('chat:confirm', { sessionId, toolUseId: cards[0]?.toolUseId as string, confirmed: false })
  busy = false
  await clock.advance(2_000)
  await first.push.next(3)
  expect(first.push.sent.slice(2)).toMatchObject([{ message: { tag: cards[1]?.toolUseId, title: 'JARVIS asks' } }])
  expect((await first.call('GET')).body?.items[0]).not.toHaveProperty('problem')
  await first.jarvis.stop()
  expect(clock.pending()).toBe(0)

  const second = await start({ dataDir })
  expect(await second.push.next(1)).toMatchObject({ message: { tag: cards[1]?.toolUseId } })
  await second.jarvis.stop()
  rmSync(dataDir, { recursive: true })
})

test('two minutes before a change goes back each device is told, and the message is withdrawn once it is kept', async () => {
  const clock = createFakeClock(Date.now())
  const level: Level = { value: 5, changes: [] }
  const push = fakeSender()
  const model = scripted(calls(['set_level', { vmid: 104, to: 9 }]), says('Done.'))
  const env = { JARVIS_EMBEDDINGS: 'none' }
  const jarvis = await startJarvis({ model, push: push.sender, clock, tools: [setLevel(level)], env })
  for (const [name, hidesNames] of [
    ['a', false],
    ['b', true],
  ] as const) {
    const json = { ...fakeBrowser(`https://push.example.org/${name}`).body, hidesNames }
    await jarvis.rest('/api/push', { method: 'POST', json })
  }
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Set it.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, goesBackAfterMin: 10 })
  await screen.next('chat:done')
  // The card's own messages, and their withdrawals.
  await push.next(4)
  await clock.advance(7 * 60_000)
  expect(push.sent).toHaveLength(4)
  await clock.advance(70_000)
  await push.next(6)
  expect(Object.fromEntries(push.sent.slice(4).map(({ to, message }) => [to.at(-1), message.body]))).toEqual({
    a: 'The level of 104 is 9. This goes back within two minutes unless you keep it.',
    b: 'A change goes back within two minutes unless you keep it.',
  })
  expect(push.sent[4]).toMatchObject({ message: { tag: `goes-back-${toolUseId}`, path: '/waiting' } })
  await jarvis.rest(`/api/changes/${toolUseId}/keep`, { method: 'POST', json: {} })
  await push.next(8)
  expect(push.sent.slice(6)).toMatchObject([{ message: { withdraws: true } }, { message: { withdraws: true } }])
  await clock.advance(5 * 60_000)
  expect({ sent: push.sent.length, changes: level.changes }).toEqual({ sent: 8, changes: [9] })
})

test('another password takes every device out', async () => {
  const { jarvis, call } = await start({ env: { JARVIS_PASSWORD: '' } })
  await call('POST', '', fakeBrowser().body)
  const json = { current: jarvis.newPassword, next: 'a-better-password' }
  const changed = await jarvis.rest('/api/auth/password', { method: 'POST', json })
  const { token } = (await changed.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  expect(await (await jarvis.rest('/api/push', { headers })).json()).toMatchObject({ items: [] })
})

test('a push service that hangs or fails delays no decision, and a browser that is gone is forgotten', async () => {
  const { jarvis, push, call } = await start()
  await call('POST', '', fakeBrowser().body)
  const hung: ((delivery: Delivery) => void)[] = []
  push.become(() => new Promise((resolve) => hung.push(resolve)))
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const first = await screen.next('chat:confirm_needed')
  const second = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId: first.toolUseId, confirmed: false })
  await screen.ask('chat:confirm', { sessionId, toolUseId: second.toolUseId, confirmed: false })
  await screen.next('chat:done')
  hung[0]?.({ kind: 'failed', why: 'the push service answered 500' })
  await expect.poll(async () => (await call('GET')).body?.items[0]?.problem).toBe('the push service answered 500')
  hung[1]?.({ kind: 'gone' })
  await expect.poll(async () => (await call('GET')).body?.items).toEqual([])
})

test('what cannot be a browser is refused, and a viewer is not told', async () => {
  const { jarvis, call } = await start()
  const { body } = fakeBrowser()
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
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
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
  rmSync(dataDir, { recursive: true })
})

const certificate = borrowCertificate()
const ca = authorityCertificate()
let service: Server
let answer = 201
let retryAfter: string | undefined
const taken: { headers: Record<string, unknown>; body: Buffer }[] = []
beforeAll(async () => {
  const { key, cert } = certificate
  service = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      taken.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(answer, {
        location: 'https://127.0.0.1/elsewhere',
        ...(retryAfter && { 'retry-after': retryAfter }),
      })
      response.end()
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  service.close()
  returnCertificate(certificate)
})

test('a push message is encrypted for the browser and signed, and each answer of a push service is interpreted', async () => {
  const endpoint = `https://localhost:${(service.address() as AddressInfo).port}/send/1`
  const browser = fakeBrowser(endpoint)
  const keys = makeVapidKeys()
  const sender = createWebPushSender({
    keys,
    subject: 'mailto:operator@example.org',
    ca,
    isAllowed: () => true,
    resolve: async () => ['127.0.0.1'],
  })
  const send = () => sender.send(browser.to, { payload: '{"body":"stop VM 103?"}', ttlS: 900, topic: 'abc' })
  expect(await send()).toEqual({ kind: 'sent' })
  const { headers, body } = taken.at(-1) ?? { headers: {}, body: Buffer.alloc(0) }
  expect(headers).toMatchObject({ ttl: '900', urgency: 'high', topic: 'abc', 'content-encoding': 'aes128gcm' })
  expect(headers.authorization).toContain(`k=${keys.publicKey}`)
  expect(body.includes('VM 103')).toBe(false)
  const { decrypt } = createRequire(import.meta.url)('http_ece') as {
    decrypt(body: Buffer, how: object): Buffer
  }
  const how = { version: 'aes128gcm', privateKey: browser.pair, authSecret: browser.to.auth }
  expect(decrypt(body, how).toString()).toBe('{"body":"stop VM 103?"}')
  for (const [status, kind] of [
    [410, 'gone'],
    [404, 'gone'],
    [307, 'failed'],
    [403, 'failed'],
    [429, 'busy'],
    [503, 'busy'],
  ] as const) {
    answer = status
    expect((await send()).kind, String(status)).toBe(kind)
  }
  retryAfter = '120'
  expect(await send()).toMatchObject({ kind: 'busy', retryAfterMs: 120_000 })
  // No redirect was followed.
  expect(taken).toHaveLength(8)
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
  const sender = createWebPushSender({
    keys: makeVapidKeys(),
    subject: 'mailto:a@example.org',
    resolve: async () => addresses,
  })
  const delivery = await sender.send(fakeBrowser(endpoint).to, { payload: '{}', ttlS: 1, topic: 'a' })
  expect(delivery).toMatchObject({ kind: 'failed', why: expect.stringContaining('is not a public address') })
})
