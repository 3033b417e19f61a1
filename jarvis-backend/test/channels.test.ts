import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelDelivery, ChannelInfo, ChannelsReply, DoctorReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { startNtfy } from './fake-services/ntfy.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { terminal } from './support/shell.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const env = { JARVIS_EMBEDDINGS: 'none', JARVIS_PUBLIC_URL: 'https://jarvis.lan' }
type Jarvis = Awaited<ReturnType<typeof startJarvis>>

const door =
  (jarvis: Jarvis) =>
  async <T>(method: string, path: string, json?: unknown) => {
    const response = await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, text, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
const ntfyOf = ({ items }: ChannelsReply) => items.find(({ id }) => id === 'ntfy')
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('a channel is set up in the dashboard, its secrets are sealed, never shown, and a test goes out', async () => {
  const server = await startNtfy('tk_a_planted_secret')
  const dataDir = newDir()
  const jarvis = await startJarvis({ env, dataDir })
  const ask = door(jarvis)
  const empty = await ask<ChannelsReply>('GET', 'channels')
  expect(empty.body.items).toContainEqual(expect.objectContaining({ id: 'ntfy', state: 'off', recipients: [] }))
  const settings = { URL: server.url, TOPIC: 'jarvis-planted-topic', TOKEN: server.token }
  for (const [wrong, why] of [
    [{ URL: 'ntfy.lan' }, 'URL must be an address'],
    [{ ...settings, TOPIC: 'a b' }, 'TOPIC must have'],
    [{ URL: server.url }, 'TOPIC is missing'],
    [{ ...settings, MORE: 'x' }, 'MORE is no setting'],
  ] as const) {
    const refused = await ask<{ error: { message: string } }>('PUT', 'channels/ntfy', { settings: wrong })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(why)])
  }
  const saved = await ask<ChannelInfo>('PUT', 'channels/ntfy', { settings })
  expect(saved.body).toMatchObject({
    state: 'on',
    from: 'settings',
    atMost: 'deny',
    recipients: [{ decides: 'none', hidesNames: true }],
  })
  const all = await ask('GET', 'channels')
  const file = readFileSync(join(dataDir, 'settings.env'), 'utf8')
  for (const secret of ['planted']) for (const text of [saved.text, all.text, file]) expect(text).not.toContain(secret)
  expect(file).toContain('JARVIS_CHANNEL_NTFY_TOKEN=')

  const sent = await ask<ChannelDelivery>('POST', 'channels/ntfy/test', {})
  expect(sent).toMatchObject({ status: 202, body: { kind: 'test', title: 'This is a test.' } })
  await expect.poll(() => server.shown()).toMatchObject([{ topic: 'jarvis-planted-topic', title: 'This is a test.' }])
  await expect
    .poll(async () => (await ask<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).body.items[0])
    .toMatchObject({ state: 'sent', channel: 'ntfy', attempts: 1 })
  expect((await ask<ChannelInfo>('POST', 'channels/ntfy/check')).body).not.toHaveProperty('problem')
  for (const [args, said] of [
    [['channels'], /webpush\s+on[\s\S]*ntfy\s+on/],
    [['channels', 'test', 'ntfy'], /This is a test\./],
    [['channels', 'log'], /ntfy\s+operator\s+sent\s+This is a test\./],
  ] as const) {
    const look = terminal(jarvis, [...args])
    await look.shown('Password')
    look.type(`${password}\r`)
    expect(await look.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(said) })
  }
  await jarvis.stop()

  const again = await startJarvis({ env, dataDir })
  const askAgain = door(again)
  expect(ntfyOf((await askAgain<ChannelsReply>('GET', 'channels')).body)).toMatchObject({ state: 'on' })
  expect((await askAgain('DELETE', 'channels/ntfy')).status).toBe(204)
  const after = ntfyOf((await askAgain<ChannelsReply>('GET', 'channels')).body)
  expect(after).toMatchObject({ state: 'off', recipients: [] })
  expect(readFileSync(join(dataDir, 'settings.env'), 'utf8')).not.toContain('NTFY')
})

test('a card is told with its question, and the message is changed once it is decided', async () => {
  const server = await startNtfy()
  const jarvis = await startJarvis({
    model: scripted(calls(['stop_vm', { vmid: 103 }]), says('Well.')),
    env: {
      ...env,
      JARVIS_CHANNEL_NTFY_URL: server.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 't',
      JARVIS_CHANNEL_NTFY_TOKEN: server.token,
    },
  })
  const ask = door(jarvis)
  const channel = ntfyOf((await ask<ChannelsReply>('GET', 'channels')).body)
  expect(channel).toMatchObject({ state: 'on', from: 'environment' })
  expect((await ask('PUT', 'channels/ntfy', { settings: { TOPIC: 'x' } })).status).toBe(409)
  await ask('PATCH', `channel-recipients/${channel?.recipients[0]?.id}`, { hidesNames: false })
  server.fail(1, { status: 503 })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const cards = () => server.shown().filter(({ click }) => String(click).includes(toolUseId))
  await expect
    .poll(cards, { timeout: 10_000 })
    .toMatchObject([
      { title: 'Stop VM 103 truenas on pve?', priority: 4, click: `https://jarvis.lan/waiting?card=${toolUseId}` },
    ])
  expect(cards()[0]).not.toHaveProperty('actions')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await expect
    .poll(cards)
    .toMatchObject([
      { message: expect.stringMatching(/^Denied by operator, dashboard, \d\d:\d\d \S+\.$/), priority: 1 },
    ])
  await screen.next('chat:done')
})

test('in quiet hours a question is held, and one digest tells of it at their end', async () => {
  const server = await startNtfy()
  const clock = createSkippingClock()
  const asks = calls(['ask_operator', { questions: [{ question: 'planted words of the model' }] }])
  const jarvis = await startJarvis({
    model: scripted(asks, says('Well.')),
    clock,
    env: {
      ...env,
      JARVIS_CHANNEL_NTFY_URL: server.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 't',
      JARVIS_CHANNEL_NTFY_TOKEN: server.token,
    },
  })
  const ask = door(jarvis)
  const quiet = new Date().getHours() < 12 ? '23:00-22:00' : '11:00-10:00'
  await ask('PUT', 'channel-rules', { quiet, routes: [], escalation: {} })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Ask me.' })
  const { questionId } = await screen.next('chat:question')
  const log = async () => (await ask<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).body.items
  const question = async () => (await log()).find(({ title }) => title.startsWith('A question waits'))
  await expect
    .poll(question)
    .toMatchObject({ state: 'held', why: expect.stringMatching(/^quiet hours until \d\d:\d\d \S+$/) })
  expect((await log()).find(({ kind }) => kind === 'digest')).toMatchObject({ state: 'waiting' })
  expect(server.shown()).toEqual([])
  clock.skip(24 * 60 * 60_000)
  await ask('POST', 'channels/ntfy/test', {})
  const digest = () => server.shown().find(({ title }) => title === 'While it was quiet')
  await expect.poll(digest).toMatchObject({ message: expect.stringContaining('A question waits for you.') })
  expect(JSON.stringify(server.taken)).not.toContain('planted words')
  await screen.ask('chat:answer', { sessionId, questionId, said: 'Well.' }).catch(() => undefined)
})

test('a failed job and a sign-in on a new device are told of; a job that is done where a route asks for it', async () => {
  const server = await startNtfy()
  const jarvis = await startJarvis({
    env: {
      ...env,
      JARVIS_CHANNEL_NTFY_URL: server.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 't',
      JARVIS_CHANNEL_NTFY_TOKEN: server.token,
    },
  })
  const ask = door(jarvis)
  const { recipients = [] } = ntfyOf((await ask<ChannelsReply>('GET', 'channels')).body) ?? {}
  await ask('PATCH', `channel-recipients/${recipients[0]?.id}`, { hidesNames: false })
  const told = () => server.shown().map(({ message }) => message)
  async function run(name: string, toolName: string, toolInput: object) {
    const work = { kind: 'call', toolName, toolInput }
    const schedule = { kind: 'interval', minutes: 60 }
    const { body } = await ask<{ id: string }>('POST', 'jobs', { name, work, schedule })
    await ask('POST', `jobs/${body.id}/run`)
    const state = async () =>
      (await ask<{ items: { state: string }[] }>('GET', `jobs/${body.id}/slots`)).body.items[0]?.state
    await expect.poll(state).toMatch(/done|failed/)
  }
  const read = (name: string) => run(name, 'get_node_status', { node: 'pve' })
  await read('quiet look')
  await run('lost task', 'get_task_log', { upid: 'UPID:pve:0000C0DE:00000001:00000001:qmstart:999:root@pam:' })
  await expect.poll(told).toEqual(['The job "lost task" failed.'])

  const job = { channel: 'ntfy', kinds: ['job', 'sign-in'], least: 'info' }
  expect((await ask('PUT', 'channel-rules', { routes: [job], escalation: {} })).status).toBe(200)
  await read('loud look')
  await expect.poll(told).toContain('The job "loud look" is done.')
  const signIn = (client: string) =>
    jarvis.rest('/api/auth/login', {
      method: 'POST',
      headers: { 'user-agent': client },
      json: { password },
    })
  expect([(await signIn('Desk/1')).status, (await signIn('Phone/1')).status]).toEqual([200, 200])
  // The place of a sign-in stays on the page.
  await expect.poll(told).toContain('Somebody signed in as you on a new device.')
  expect(told()).not.toContain('The job "quiet look" is done.')
})

test('the doctor says which channels are set up, and what stands in their way', async () => {
  const server = await startNtfy()
  const jarvis = await startJarvis({
    env: {
      ...env,
      JARVIS_CHANNEL_NTFY_URL: server.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 't',
      JARVIS_CHANNEL_GOTIFY_URL: 'gotify.lan',
    },
  })
  const reply = (await (await jarvis.rest('/api/doctor')).json()) as DoctorReply
  expect(reply.checks.filter(({ area }) => area === 'Channels')).toMatchObject([
    { health: 'ok', text: 'ntfy is set up, and nothing stands in its way.' },
    { health: 'warn', text: 'Gotify: URL must be an address, for example https://ntfy.lan.' },
  ])
})

test('a viewer sees no channel, and a token of a program changes none', async () => {
  const jarvis = await startJarvis({ env })
  for (const path of ['channels', 'channel-deliveries', 'channel-rules', 'channel-pairings'])
    expect((await jarvis.rest(`/api/${path}`, { role: 'viewer' })).status).toBe(403)
  const rules = { quiet: '23:00-07:00', routes: [], escalation: { ntfy: 120 } }
  const ask = door(jarvis)
  expect((await ask('PUT', 'channel-rules', rules)).body).toEqual(rules)
  expect((await ask('PUT', 'channel-rules', { ...rules, escalation: { fax: 1 } })).status).toBe(400)
  expect((await ask('GET', 'channel-rules')).body).toEqual(rules)
})
