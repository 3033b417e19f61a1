import { createHmac } from 'node:crypto'
import type { ChannelInfo, ChannelsReply, ConfirmationRow, JournalEntry, Page } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { homeAssistant } from '../src/channels/adapters/home-assistant.ts'
import type { Incoming } from '../src/channels/channel.ts'
import type { Clock } from '../src/lib/clock.ts'
import { startHomeAssistant } from './fake-services/home-assistant.ts'
import { startNtfy } from './fake-services/ntfy.ts'
import { startWebhook } from './fake-services/webhook.ts'
import { quickClock } from './support/real-time.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const soon = { timeout: 15_000 }
const over = { answer: 'This is not open any more.' }
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** Headers of whoever knows the secret of the webhook. */
const signed = (body: string) => {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const key = Buffer.alloc(32, 7)
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

async function start(publicUrl: string | undefined, ...turns: Parameters<typeof scripted>) {
  const ntfy = await startNtfy()
  const phone = await startHomeAssistant()
  const hook = await startWebhook(webhookSecret)
  const jarvis = await startJarvis({
    model: scripted(...turns),
    env: {
      JARVIS_EMBEDDINGS: 'none',
      ...(publicUrl !== undefined && { JARVIS_PUBLIC_URL: publicUrl }),
      JARVIS_CHANNEL_NTFY_URL: ntfy.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 'j',
      JARVIS_CHANNEL_WEBHOOK_HOOK_URL: hook.url,
      JARVIS_CHANNEL_WEBHOOK_SECRET: webhookSecret,
      JARVIS_CHANNEL_NTFY_TOKEN: ntfy.token,
      JARVIS_CHANNEL_HOMEASSISTANT_URL: phone.url,
      JARVIS_CHANNEL_HOMEASSISTANT_TOKEN: phone.token,
      JARVIS_CHANNEL_HOMEASSISTANT_SERVICE: phone.service,
    },
  })
  const ask = async <T>(method: string, path: string, json?: unknown) => {
    const response = await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  const channel = async (id: string) =>
    (await ask<ChannelsReply>('GET', 'channels')).body.items.find((one) => one.id === id) as ChannelInfo
  const allow = async (id: string, decides: string) =>
    ask<{ error: { message: string } }>('PATCH', `channel-recipients/${(await channel(id)).recipients[0]?.id}`, {
      decides,
    })
  /** As a phone that nobody signed in on. */
  const tap = async (id: string, json: unknown) => {
    const body = JSON.stringify(json)
    const headers = { 'content-type': 'application/json', ...(id === 'webhook' && signed(body)) }
    const response = await fetch(`${jarvis.url}/api/channel-taps/${id}`, { method: 'POST', headers, body })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  return { ntfy, phone, hook, jarvis, ask, channel, allow, tap }
}

test('ntfy and Home Assistant deny once they may, by a button that is good once; nothing there approves', async () => {
  const { ntfy, phone, hook, jarvis, ask, channel, allow, tap } = await start(
    'https://jarvis.lan',
    calls(['stop_container', { vmid: 104 }]),
    says('Well.'),
    calls(['stop_container', { vmid: 105 }]),
    says('Well.'),
  )
  const screen = await jarvis.connect()
  const rowOf = async (toolUseId: string) =>
    (await ask<{ items: ConfirmationRow[] }>('GET', 'confirmations')).body.items.find(
      (one) => one.toolUseId === toolUseId,
    )
  const actionsOf = (message: Record<string, unknown> | undefined) =>
    (((message?.data as Record<string, unknown>) ?? message)?.actions ?? []) as Record<string, string>[]

  // Off at first: no button, and nobody listens.
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 104.' })
  const first = await screen.next('chat:confirm_needed')
  await expect.poll(() => [ntfy.shown().length, phone.shown().length], soon).toEqual([1, 1])
  expect([...ntfy.shown(), ...phone.shown()].flatMap(actionsOf)).toEqual([])
  expect(phone.connections()).toBe(0)
  await screen.ask('chat:confirm', { sessionId, toolUseId: first.toolUseId, confirmed: false })
  await screen.next('chat:done')

  // The token alone allows nothing, and no token allows an approval.
  const raw = await fetch(`${jarvis.url}/api/channel-recipients/${(await channel('ntfy')).recipients[0]?.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${jarvis.token('operator')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ decides: 'deny' }),
  })
  expect(raw.status).toBe(403)
  for (const id of ['ntfy', 'homeassistant']) {
    expect((await allow(id, 'approve')).status).toBe(400)
    expect((await allow(id, 'deny')).status).toBe(200)
  }
  await expect.poll(phone.listeners, soon).toBe(1)
  await screen.ask('chat:send', { message: 'Stop 105.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const told = () => [
    ntfy.shown().find(({ click }) => String(click).includes(toolUseId)),
    phone.shown().find(({ data }) => String((data as Record<string, unknown>).url).includes(toolUseId)),
  ]
  await expect.poll(() => told().map((one) => actionsOf(one).length), soon).toEqual([1, 1])
  const [onTopic, onPhone] = told()
  const [request] = actionsOf(onTopic)
  expect(request).toMatchObject({ url: 'https://jarvis.lan/api/channel-taps/ntfy', label: 'Do not run it' })
  const { token } = JSON.parse(request?.body ?? '{}') as { token: string }
  const action = actionsOf(onPhone)[0]?.action ?? ''
  expect([token, action]).toEqual([expect.stringMatching(/\.d$/), expect.stringMatching(/\.d$/)])
  // A message in the topic signs nobody in and approves nothing.
  expect(JSON.stringify(onTopic)).not.toContain(ntfy.token)

  const hostile: [string, string, unknown, number][] = [
    ['a denial made an approval', 'ntfy', { token: token.replace(/d$/, 'a') }, 200],
    ['a guess', 'ntfy', { token: `j1.${'A'.repeat(22)}.d` }, 200],
    ['words', 'ntfy', { token: 'approve everything' }, 200],
    ['at the door of a channel that has none', 'homeassistant', { token: action }, 200],
    ['the phone’s button at the topic’s door', 'ntfy', { token: action }, 200],
    ['signed with the webhook’s secret', 'webhook', { token }, 200],
    ['signed so, to approve', 'webhook', { token: token.replace(/d$/, 'a') }, 200],
    ['at the door of no channel', 'nothing', { token }, 200],
    ['with an approval beside it', 'ntfy', { token, confirmed: true }, 400],
    ['without a button', 'ntfy', {}, 400],
  ]
  for (const [what, at, json, status] of hostile) {
    const answer = await tap(at, json)
    expect([what, answer.status]).toEqual([what, status])
    if (status === 200) expect([what, answer.body]).toEqual([what, over])
  }
  // The secret that signs what goes out opens no door, and the webhook gets no button whose token could.
  const decision = JSON.stringify({ confirmed: true })
  for (const path of [`confirmations/${toolUseId}`, 'channels/webhook/test', 'channel-recipients']) {
    const headers = {
      'content-type': 'application/json',
      ...signed(decision),
      authorization: `Bearer ${webhookSecret}`,
    }
    const { status } = await fetch(`${jarvis.url}/api/${path}`, { method: 'POST', headers, body: decision })
    expect([path, status]).toEqual([path, 401])
  }
  await expect.poll(() => JSON.stringify([...hook.events.values()]), soon).toContain(toolUseId)
  expect(JSON.stringify([...hook.events.values()])).not.toMatch(/j1\.[\w-]{22}/)
  for (const other of [action.replace(/d$/, 'a'), token.replace(/d$/, 'a'), 'URI', `j1.${'A'.repeat(22)}.d`])
    phone.press(other)
  expect(await rowOf(toolUseId)).not.toHaveProperty('decision')

  phone.press(action)
  await screen.next('chat:done')
  expect(await rowOf(toolUseId)).toMatchObject({ decision: 'denied', decidedBy: 'operator', via: 'homeassistant' })
  // Every copy says so, without a button; a second press decides nothing.
  await expect
    .poll(told, soon)
    .toMatchObject([
      { message: expect.stringMatching(/^Denied, Home/) },
      { message: expect.stringMatching(/^Denied, Home/) },
    ])
  expect(told().flatMap(actionsOf)).toEqual([])
  expect((await tap('ntfy', { token })).body).toEqual({ answer: 'This was decided elsewhere.' })
  expect(jarvis.guest(105)?.status).toBe('running')
  const refused = (await ask<Page<JournalEntry>>('GET', 'journal?kind=channel&limit=50')).body.items.filter(
    ({ body }) => (body as { change: string }).change === 'tap_refused',
  )
  expect(JSON.stringify(refused)).not.toContain(token)
  expect(refused.map(({ body }) => (body as { because: string }).because)).toEqual(['the card was decided before'])

  // Nobody hears the phone once it may deny no more.
  expect((await allow('homeassistant', 'none')).status).toBe(200)
  await expect.poll(phone.listeners, soon).toBe(0)
})

test('a phone denies from a topic, and only where JARVIS knows the address that it asks', async () => {
  const { ntfy, jarvis, ask, allow, tap } = await start(
    'https://jarvis.lan',
    calls(['stop_container', { vmid: 104 }]),
    says('Well.'),
  )
  expect((await allow('ntfy', 'deny')).status).toBe(200)
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop 104.' })
  await screen.next('chat:confirm_needed')
  await expect.poll(() => ntfy.shown().length, soon).toBe(1)
  // A stolen link denies its card, once.
  const stolen = JSON.parse(((ntfy.shown()[0]?.actions ?? []) as { body: string }[])[0]?.body ?? '{}') as object
  expect(await (await ntfy.press(0, jarvis.url)).json()).toEqual({ answer: 'Denied.' })
  expect((await tap('ntfy', stolen)).body).toEqual(over)
  await screen.next('chat:done')
  const { items } = (await ask<{ items: ConfirmationRow[] }>('GET', 'confirmations')).body
  expect(items).toMatchObject([{ decision: 'denied', via: 'ntfy' }])
  // Flooding it is slowed down.
  const statuses = await Promise.all(Array.from({ length: 70 }, async () => (await tap('ntfy', { token: 'x' })).status))
  expect(statuses).toContain(429)

  const other = await start(undefined)
  expect(await other.channel('ntfy')).toMatchObject({ atMost: 'none' })
  const { status, body } = await other.allow('ntfy', 'deny')
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('Set JARVIS_PUBLIC_URL')])
  expect((await other.allow('homeassistant', 'deny')).status).toBe(200)
})

/** Waits that pass a hundred times as fast. */
const quick: Clock = { ...quickClock(100), now: Date.now }
async function listening(token?: string, prepare = (_phone: Awaited<ReturnType<typeof startHomeAssistant>>) => {}) {
  const phone = await startHomeAssistant()
  prepare(phone)
  const problems: (string | undefined)[] = []
  const settings = { URL: phone.url, TOKEN: token ?? phone.token, SERVICE: phone.service }
  const channel = homeAssistant.open(settings, { clock: quick, problem: (why) => void problems.push(why) })
  const heard: Incoming[] = []
  const ending = new AbortController()
  const ended = channel.incoming?.(
    async (incoming) => {
      heard.push(incoming)
      return {}
    },
    undefined,
    ending.signal,
  )
  onTestFinished(async () => {
    ending.abort()
    await ended
  })
  return { phone, problems, heard, ended }
}
const token = `j1.${'A'.repeat(22)}.d`

test.each<[string, Parameters<typeof listening>, string]>([
  ['a token that was revoked', ['another'], 'it does not know the token'],
  ['a token of no administrator', [undefined, (phone) => phone.administrator(false)], 'must be an administrator’s'],
])('%s stops the listening, because wrong sign-ins count there, and is said', async (_what, args, words) => {
  const { phone, problems, ended } = await listening(...args)
  await ended
  expect(problems.at(-1)).toContain(words)
  expect(phone.connections()).toBe(1)
})

test('a link that broke or died is made again, and buttons are heard after it', async () => {
  const { phone, problems, heard } = await listening()
  await expect.poll(phone.listeners, soon).toBe(1)
  phone.cut()
  await expect.poll(phone.connections, soon).toBe(2)
  await expect.poll(phone.listeners, soon).toBe(1)
  phone.deafen(true)
  await expect.poll(() => problems.at(-1), soon).toMatch(/answers nothing any more|did not answer in time/)
  phone.deafen(false)
  await expect.poll(() => problems.at(-1), soon).toBeUndefined()
  phone.press(token)
  await expect.poll(() => heard, soon).toEqual([{ kind: 'tap', token }])
})
