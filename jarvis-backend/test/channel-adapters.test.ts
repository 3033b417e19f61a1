import { systemClock } from 'node-kit/clock'
import { describe, expect, test } from 'vitest'
import { webPush } from '../src/channels/adapters/web-push.ts'
import { webhook } from '../src/channels/adapters/webhook.ts'
import type { Outgoing } from '../src/channels/channel.ts'
import { settingsProblem } from '../src/channels/channel-settings.ts'
import { createSpeech } from '../src/channels/spoken.ts'
import { makeVapidKeys, WebPushSender } from '../src/channels/web-push/sender.ts'
import { plainServices, startedFor, webhookSecret } from './fake-services/channels.ts'
import { startPushService } from './fake-services/web-push.ts'
import { startWebhook } from './fake-services/webhook.ts'

const say = createSpeech((text) => text)
const nobody = { user: '', chat: '' }
const { signal } = new AbortController()
const message = (more: Partial<Outgoing> = {}): Outgoing => ({
  id: 'out_1',
  at: 1,
  tag: 't',
  path: '/',
  level: 'failed',
  title: say('pve is "away" <b>'),
  lines: [say('13 more are hidden by it.')],
  link: 'https://jarvis.lan/alerts',
  buttons: [],
  isOver: false,
  expiresAt: 10,
  ...more,
})

const secret = webhookSecret

describe.each(Object.entries(plainServices))('%s', (id, start) => {
  const open = async () => {
    const started = await startedFor(id, start)
    expect(settingsProblem(started.kind, started.settings)).toBeUndefined()
    return { ...started, channel: started.kind.open(started.settings, { clock: systemClock, problem() {} }) }
  }

  test('a message arrives with its words as they are, and the service is well', async () => {
    const { channel, shown, service, to, settings } = await open()
    expect(await channel.deliver(message(), to, signal)).toMatchObject({ kind: 'sent' })
    expect(JSON.stringify(shown())).toContain('13 more are hidden by it.')
    expect(shown()).toMatchObject([{ title: 'pve is "away" <b>' }])
    expect(await channel.health(signal)).toEqual({})
    if (Object.keys(settings).length > 0) expect(`http://${channel.place}`).toBe(service.url)
  })

  test('a message that is sent twice is shown once where the channel says so', async () => {
    const { channel, shown, kind, to } = await open()
    for (const _ of [1, 2]) await channel.deliver(message(), to, signal)
    expect(shown()).toHaveLength(kind.capabilities.isIdempotent ? 1 : 2)
  })

  test.each([
    [
      { status: 429, headers: { 'retry-after': '9' } },
      { kind: 'again', retryAfterMs: 9_000 },
    ],
    [
      { status: 502, text: '<html>' },
      { kind: 'again', why: 'it answered 502' },
    ],
    [
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      { kind: 'failed', why: 'it answered 307' },
    ],
    [{ status: 400, text: 'no' }, { kind: 'failed' }],
    ['reset' as const, { kind: 'again', why: expect.stringMatching(/^(it|the push service) could not be reached/) }],
  ])('an answer of %j is interpreted, and no secret is in the words', async (reply, expected) => {
    const { channel, service, settings, to } = await open()
    service.fail(1, reply)
    const delivery = await channel.deliver(message(), to, signal)
    expect(delivery).toMatchObject(expected)
    expect(service.taken).toHaveLength(1)
    for (const value of Object.values(settings).filter((one) => one.length > 3))
      expect(JSON.stringify(delivery)).not.toContain(value)
  })

  test('settings that cannot be are refused in words', async () => {
    const { kind, settings } = await open()
    for (const { name, isRequired } of kind.settings) {
      const { [name]: _, ...rest } = settings
      if (isRequired) expect(settingsProblem(kind, rest)).toBe(`${name} is missing`)
    }
    expect(settingsProblem(kind, { ...settings, OTHER: 'x' })).toBe('OTHER is no setting of it')
    const [address] = Object.keys(settings)
    if (address === undefined) return
    for (const wrong of ['ntfy.lan', 'file:///etc/passwd', 'ftp://x.lan'])
      expect(settingsProblem(kind, { ...settings, [address]: wrong })).toContain(`${address} must`)
  })
})

test('a webhook’s id stays over attempts, its signature is of its time, and the end is an event of its own', async () => {
  let nowMs = 1_800_000_000_000
  const service = await startWebhook(secret, () => nowMs / 1_000)
  const channel = webhook.open(
    { HOOK_URL: service.url, SECRET: secret },
    { clock: { ...systemClock, now: () => nowMs }, problem() {} },
  )
  service.fail(1, { status: 500 })
  await channel.deliver(message(), nobody, signal)
  nowMs += 3_600_000
  expect(await channel.deliver(message(), nobody, signal)).toEqual({ kind: 'sent' })
  await channel.revise?.(message({ isOver: true }), { to: nobody, ref: undefined }, signal)
  expect([...service.events].map(([id, { type }]) => [id, type])).toEqual([
    ['out_1', 'jarvis.failed'],
    ['out_1.over', 'jarvis.over'],
  ])
  // The body tells when it came about, whatever attempt brings it.
  expect([...service.events.values()][0]).toMatchObject({ timestamp: '1970-01-01T00:00:00.001Z' })
  const other = webhook.open(
    { HOOK_URL: service.url, SECRET: `whsec_${Buffer.alloc(32, 8).toString('base64')}` },
    { clock: { ...systemClock, now: () => nowMs }, problem() {} },
  )
  expect(await other.deliver(message({ id: 'out_2' }), nobody, signal)).toEqual({
    kind: 'failed',
    why: 'it answered 401',
  })
  service.fail(1, { status: 410 })
  expect(await channel.deliver(message(), nobody, signal)).toMatchObject({ kind: 'gone' })
})

test.each([6, -6])(
  'a webhook whose clock is %i minutes off refuses the signature, and the reason says so',
  async (minutes) => {
    const nowMs = 1_800_000_000_000
    const at = (off: number) => nowMs + off * 60_000
    const service = await startWebhook(secret, () => at(minutes) / 1_000)
    const channel = webhook.open(
      { HOOK_URL: service.url, SECRET: secret },
      { clock: { ...systemClock, now: () => nowMs }, problem() {} },
    )
    expect(await channel.deliver(message(), nobody, signal)).toEqual({
      kind: 'failed',
      why: 'it answered 400, and its clock is 6 min away from ours: a signature is good for 5',
    })
    service.fail(1, { status: 400, headers: { date: new Date(at(4)).toUTCString() } })
    expect(await channel.deliver(message(), nobody, signal)).toEqual({ kind: 'failed', why: 'it answered 400' })
    expect(service.events.size).toBe(0)
  },
)

test('a push service’s answers end a subscription, are tried again or are final, and headers say how soon and for how long', async () => {
  const service = await startPushService()
  const sender = new WebPushSender({
    keys: makeVapidKeys(),
    subject: 'https://jarvis.lan',
    ca: service.ca,
    isAllowed: () => true,
  })
  const told: (string | undefined)[] = []
  const kind = webPush({
    sender: () => sender,
    subscription: (id) => (id === 'psh_1' ? { id, ...service.browser.to } : undefined),
    sign: (toolUseId, device) =>
      toolUseId === 'tu_1' ? { device, challenge: 'c', before: '{', after: '}' } : undefined,
    sent: (_id, problem) => told.push(problem),
  })
  const at = 1_800_000_000_000
  const channel = kind.open({}, { clock: { ...systemClock, now: () => at }, problem() {} })
  const to = { user: 'psh_1', chat: '' }
  const deliver = (more: Partial<Outgoing> = {}) =>
    channel.deliver(message({ expiresAt: at + 90_000, ...more }), to, signal)
  const headers = () => {
    const { ttl, urgency, topic } = service.taken.at(-1)?.headers ?? {}
    return { ttl, urgency, topic }
  }
  const labels = [{ does: 'deny' as const, label: say('Do not stop 101') }]
  await deliver({ tag: 'tu_1', level: 'card', buttons: labels.map((one) => ({ ...one, token: '' })) })
  const { topic } = headers()
  expect(headers()).toMatchObject({ ttl: '90', urgency: 'high' })
  expect(service.shown()).toEqual([
    {
      title: 'pve is "away" <b>',
      body: '13 more are hidden by it.',
      tag: 'tu_1',
      path: '/',
      buttons: { device: 'psh_1', challenge: 'c', before: '{', after: '}', labels },
    },
  ])
  // A decision made elsewhere closes the message, and replaces the text that the service still keeps.
  expect(await channel.revise?.(message({ tag: 'tu_1', isOver: true }), { to, ref: undefined }, signal)).toEqual({
    kind: 'sent',
  })
  expect([service.shown(), headers()]).toEqual([[], { ttl: '1', urgency: 'normal', topic }])

  // Some browsers show a message without its worker: the same words, and the page's whole address.
  await deliver({ tag: 'n', level: 'info', link: 'https://jarvis.lan/alerts', expiresAt: at + 1e12 })
  expect(headers()).toMatchObject({ ttl: String(28 * 24 * 60 * 60), urgency: 'low' })
  const [{ title, body, web_push, notification } = {} as never] = service.shown()
  expect({ web_push, notification }).toEqual({
    web_push: 8030,
    notification: { title, body, tag: 'n', navigate: 'https://jarvis.lan/alerts' },
  })
  // Eight lines of wide characters still fit into what a push service takes.
  expect(await deliver({ lines: Array.from({ length: 8 }, () => say('€'.repeat(400))) })).toEqual({ kind: 'sent' })

  service.fail(1, { status: 413 })
  expect(await deliver()).toEqual({ kind: 'failed', why: 'it answered 413: the message is too long for it' })
  service.fail(1, { status: 404 })
  expect(await deliver()).toMatchObject({ kind: 'gone' })
  service.end()
  expect(await deliver()).toEqual({ kind: 'gone', why: 'the browser ended its subscription' })
  expect(await channel.deliver(message(), { user: 'psh_2', chat: '' }, signal)).toMatchObject({ kind: 'gone' })
  expect(told.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined])
  expect(told.slice(4).join()).not.toContain('secret')
})
