import { Client } from '@discordjs/core'
import { REST } from '@discordjs/rest'
import { WebSocketManager } from '@discordjs/ws'
import { expect, onTestFinished, test } from 'vitest'
import { contentOf, discord } from '../src/channels/adapters/discord.ts'
import { incomingOf } from '../src/channels/adapters/discord-incoming.ts'
import { discordMarkdown } from '../src/channels/adapters/discord-markdown.ts'
import type { Incoming, Outgoing, PairedChat } from '../src/channels/channel.ts'
import { settingsProblem } from '../src/channels/channel-settings.ts'
import { createSpeech, createTelling, type Spoken } from '../src/channels/spoken.ts'
import type { Clock } from '../src/lib/clock.ts'
import { startDiscord } from './fake-services/discord.ts'
import { quickClock } from './support/real-time.ts'

const mira = '88120411000000001'
const soon = { timeout: 10_000 }
const say = createSpeech((text) => text)
const message = (more: Partial<Outgoing> = {}): Outgoing => ({
  id: 'out_1',
  at: 1,
  tag: 't',
  path: '/',
  level: 'card',
  title: say('Stop 104 jellyfin?'),
  lines: [say('It waits.')],
  buttons: [],
  isOver: false,
  expiresAt: 10,
  ...more,
})
const quick = quickClock(50)

async function open(options: Parameters<typeof startDiscord>[0] = {}, answer?: Spoken, clock: Clock = quick) {
  const service = await startDiscord(options)
  const settings = { TOKEN: service.token, URL: service.api }
  expect(settingsProblem(discord, settings)).toBeUndefined()
  const problems: (string | undefined)[] = []
  const channel = discord.open(settings, { clock, problem: (why) => void problems.push(why) })
  const heard: Incoming[] = []
  let isBroken = false
  /** @returns how listening ended */
  function listen(cursor?: string) {
    const ending = new AbortController()
    const ended = channel.incoming?.(
      async (incoming) => {
        if (isBroken) throw new Error('the disk is full')
        heard.push(incoming)
        return answer === undefined ? {} : { answer }
      },
      cursor,
      ending.signal,
    )
    const stop = async () => {
      ending.abort()
      await ended
    }
    onTestFinished(stop)
    return { ended, stop }
  }
  const texts = () => heard.flatMap((one) => (one.kind === 'text' ? [one.text] : []))
  return {
    service,
    channel,
    heard,
    problems,
    listen,
    texts,
    breakDisk(is: boolean) {
      isBroken = is
    },
    to: { user: mira, chat: service.channelOf(mira) },
  }
}
const { signal } = new AbortController()

test('@discordjs/core works against the service that stands in for Discord here', async () => {
  const service = await startDiscord()
  const rest = new REST({ version: '10', api: `${service.url}/api` }).setToken(service.token)
  const gateway = new WebSocketManager({ token: service.token, intents: 1 << 12, rest })
  const client = new Client({ rest, gateway })
  const taps: string[] = []
  client.on('INTERACTION_CREATE', async ({ data: tap, api }) => {
    await api.interactions.deferMessageUpdate(tap.id, tap.token)
    await api.interactions.followUp(tap.application_id, tap.token, {
      content: 'Denied.',
      flags: 64,
      allowed_mentions: { parse: [] },
    })
    taps.push(tap.id)
  })
  client.on('MESSAGE_CREATE', async ({ data, api }) => {
    const sent = { content: 'hello', nonce: 'n1', enforce_nonce: true, allowed_mentions: { parse: [] } }
    const first = await api.channels.createMessage(data.channel_id, sent)
    const second = await api.channels.createMessage(data.channel_id, sent)
    expect(second.id).toBe(first.id)
    await api.channels.editMessage(data.channel_id, first.id, { content: 'edited', allowed_mentions: { parse: [] } })
  })
  await gateway.connect()
  onTestFinished(() => gateway.destroy())
  service.write(mira, 'hi')
  await expect.poll(() => service.posted.map(({ content }) => content), soon).toEqual(['edited'])
  service.reconnect()
  await expect.poll(() => service.log.some((line) => line.startsWith('resume')), soon).toBe(true)
  const tap = service.press(mira, 'j1.x', service.posted[0]?.id)
  await expect.poll(() => tap.told, soon).toEqual(['Denied.'])
})

test('a message is sent once under one id, is changed, and pings nobody', async () => {
  const { service, channel, to } = await open()
  service.write(mira, 'hi')
  const buttons = [{ label: say('Do not stop 104'), token: `j1.${'A'.repeat(22)}.d`, does: 'deny' as const }]
  const text = message({
    title: say('@everyone **Stop** <@1> [x](https://evil)'),
    buttons,
    link: 'https://jarvis.lan/w',
  })
  const first = await channel.deliver(text, to, signal)
  expect(await channel.deliver(text, to, signal)).toEqual(first)
  expect(first).toEqual({ kind: 'sent', ref: service.posted[0]?.id })
  expect(service.posted).toMatchObject([
    {
      content: '**\\@everyone \\*\\*Stop\\*\\* \\<\\@1> \\[x\\](https\\://evil)**\nIt waits.',
      buttons: [
        { label: 'Do not stop 104', style: 2 },
        { label: 'Open', url: 'https://jarvis.lan/w' },
      ],
    },
  ])
  const ref = service.posted[0]?.id
  const over = message({ isOver: true, lines: [say('Denied by mira.')] })
  expect(await channel.revise?.(over, { to, ref }, signal)).toEqual({ kind: 'sent' })
  expect(service.posted).toMatchObject([{ content: '~~Stop 104 jellyfin?~~\nDenied by mira.', buttons: [] }])
  expect(await channel.revise?.(over, { to, ref: '1' }, signal)).toEqual({
    kind: 'failed',
    why: 'its message was deleted',
  })
  // A message that a crash left unrecorded is found by its nonce, and changed.
  expect(await channel.revise?.(over, { to, ref: undefined }, signal)).toEqual({ kind: 'sent', ref })
  expect(service.posted).toHaveLength(1)
  expect(await channel.health(signal)).toEqual({ account: '@jarvis' })
})

test('a long message is cut between lines, below 2,000 characters of escaped text', () => {
  const lines = Array.from({ length: 9 }, () => say('*'.repeat(400)))
  const content = contentOf(message({ lines, link: 'http://jarvis.lan/waiting' }))
  expect(content.length).toBeLessThanOrEqual(2_000)
  expect(content.endsWith('\n…\n<http://jarvis.lan/waiting>')).toBe(true)
})

test.each([
  [
    { status: 429, json: { message: 'rate', retry_after: 1.5, global: false } },
    { kind: 'again', retryAfterMs: 1_500 },
  ],
  [
    { status: 401, json: { code: 0, message: '401: Unauthorized' } },
    { kind: 'again', retryAfterMs: 60_000 },
  ],
  [{ status: 403, json: { code: 50_007, message: 'Cannot send messages to this user' } }, { kind: 'gone' }],
  [{ status: 404, json: { code: 10_003, message: 'Unknown Channel' } }, { kind: 'gone' }],
  [{ status: 400, json: { code: 50_035, message: 'Invalid Form Body' } }, { kind: 'failed' }],
  [
    { status: 502, text: '<html>' },
    { kind: 'again', why: 'it answered 502' },
  ],
  ['reset' as const, { kind: 'again', why: expect.stringMatching(/^it could not be reached/) }],
])('an answer of %j is interpreted, and no secret is in the words', async (reply, expected) => {
  const { service, channel, to } = await open()
  service.fail(1, reply)
  const delivery = await channel.deliver(message(), to, signal)
  expect(delivery).toMatchObject(expected)
  expect(JSON.stringify(delivery)).not.toContain(service.token)
})

test('a pause that Discord asks for holds for every request', async () => {
  const { service, channel, to } = await open()
  service.fail(1, { status: 429, json: { message: 'rate', retry_after: 100, global: true } })
  await channel.deliver(message(), to, signal)
  expect(await channel.health(signal)).toMatchObject({ problem: expect.stringContaining('waits as Discord asked') })
  expect(service.taken).toHaveLength(1)
  await expect.poll(() => channel.health(signal), soon).toEqual({ account: '@jarvis' })
})

test('invalid requests are bounded within ten minutes', async () => {
  const { service, channel, to } = await open({}, undefined, { ...quick, now: () => 0 })
  service.fail(2_000, { status: 403, json: { code: 50_007, message: 'no' } })
  for (let time = 0; time < 1_010; time += 1) await channel.deliver(message(), to, signal)
  expect(service.taken.filter(({ method }) => method === 'POST')).toHaveLength(1_000)
})

test('taps are deferred at once and answered to whoever pressed; one that Discord gave up decides nothing', async () => {
  const { service, listen, heard } = await open({}, say('Denied.'))
  listen()
  await expect.poll(() => service.log, soon).toEqual(['identify'])
  const tap = service.press(mira, 'j1.x', '5')
  await expect.poll(() => tap.told, soon).toEqual(['Denied.'])
  expect(heard.at(-1)).toMatchObject({ kind: 'tap', token: 'j1.x', ref: '5', from: { user: mira, isPrivate: true } })
  const late = service.press(mira, 'j1.y', '5')
  late.until = 0
  await expect.poll(() => heard.length, soon).toBe(3)
  expect(heard.at(-1)).toMatchObject({ kind: 'other' })
  expect(late).toMatchObject({ isAnswered: false, told: [] })
})

type Started = Awaited<ReturnType<typeof startDiscord>>
test.each<[string, (service: Started) => void, 'resume' | 'identify']>([
  ['op 7', (service) => service.reconnect(), 'resume'],
  ['op 9, resumable', (service) => service.invalidate(true), 'resume'],
  ['op 9', (service) => service.invalidate(false), 'identify'],
  ['a link that breaks', (service) => service.cut(), 'resume'],
])('after %s it goes on, and no event is lost or heard twice', async (_what, happens, way) => {
  const { service, listen, texts, problems } = await open()
  listen()
  await expect.poll(() => service.log.length, soon).toBe(1)
  service.write(mira, 'before')
  await expect.poll(texts, soon).toEqual(['before'])
  happens(service)
  // Said while nobody listens. A session that is over has no events.
  if (way === 'resume') service.write(mira, 'meanwhile')
  await expect.poll(() => service.log.map((line) => line.split(' ')[0]), soon).toEqual(['identify', way])
  await expect.poll(() => problems.at(-1), soon).toBeUndefined()
  service.write(mira, 'after')
  await expect.poll(() => texts().at(-1), soon).toBe('after')
  expect(texts()).toEqual(['before', ...(way === 'resume' ? ['meanwhile'] : []), 'after'])
})

test('a half-open link is noticed by its heartbeat, and resumed', async () => {
  const { service, listen, texts } = await open({ everyMs: 5_000 })
  listen()
  await expect.poll(() => service.log, soon).toEqual(['identify'])
  service.deafen(true)
  service.write(mira, 'into the void')
  await expect.poll(() => service.closed.filter((code) => code === 1006).length, soon).toBeGreaterThan(0)
  service.deafen(false)
  await expect.poll(texts, soon).toEqual(['into the void'])
})

test('what could not be kept is handed over again, and a restart resumes after the last event that was kept', async () => {
  const { service, listen, texts, heard, breakDisk } = await open()
  const first = listen()
  await expect.poll(() => heard.length, soon).toBe(1)
  breakDisk(true)
  service.write(mira, 'one')
  await expect.poll(() => service.log.filter((line) => line === 'resume 1').length, soon).toBeGreaterThan(1)
  expect(texts()).toEqual([])
  breakDisk(false)
  await expect.poll(texts, soon).toEqual(['one'])
  await first.stop()
  service.write(mira, 'two')
  listen(heard.findLast(({ kind }) => kind === 'text')?.cursor)
  await expect.poll(texts, soon).toEqual(['one', 'two'])
  expect(service.log.filter((line) => line === 'identify')).toHaveLength(1)
})

test.each([
  [4004, 'does not know the token'],
  [4013, 'intents'],
  [4014, 'does not allow this bot direct messages'],
])('after code %i it stops and says why', async (code, words) => {
  const { service, listen, problems } = await open()
  service.refuse(code)
  await listen().ended
  expect(service.log).toEqual(['identify'])
  expect(problems.at(-1)).toContain(words)
})

test('a token that is revoked while it listens stops it, and it signs in no more where few sign-ins are left', async () => {
  const { service, listen, problems } = await open()
  const { ended } = listen()
  await expect.poll(() => service.log, soon).toEqual(['identify'])
  service.renew(`${'N'.repeat(24)}.NNNNNN.${'N'.repeat(38)}`)
  await ended
  expect(problems.at(-1)).toContain('does not know the token')

  const other = await open()
  other.service.remaining(9)
  other.listen()
  await expect.poll(() => other.problems.at(-1), soon).toBe('Discord lets this bot sign in again in 240 minutes.')
  expect(other.service.log).toEqual([])
})

test('a conversation’s messages are sent once, edited while they are written, and hold pictures; files are read from Discord alone', async () => {
  const { service, channel, to, heard, listen } = await open()
  listen()
  await expect.poll(() => heard.length, soon).toBe(1)
  const chat = to as PairedChat
  const tell = createTelling((words) => words)
  const written = service.write(mira, 'look', {
    attachments: [service.upload('notes.txt', Buffer.from('planted words'))],
  })
  await expect.poll(() => heard.length, soon).toBe(2)
  const said = heard[1]
  const file = said?.kind === 'text' ? said.files?.[0] : undefined
  expect([said, file]).toMatchObject([
    { text: 'look', ref: written },
    { name: 'notes.txt', bytes: 13 },
  ])
  expect(String(await channel.file?.(file?.ref ?? '', 100, signal))).toBe('planted words')
  await expect(channel.file?.(file?.ref ?? '', 5, signal)).rejects.toThrow('too large')
  const foreign = service.write(mira, '', {
    attachments: [{ id: '1', filename: 'x', size: 1, url: 'http://127.0.0.1:1/x' }],
  })
  await expect(channel.file?.(`${to.chat}/${foreign}/1`, 100, signal)).rejects.toThrow('Discord has the file no more')

  const first = await channel.preview?.(tell('It is'), { to: chat, id: 1 }, signal)
  const ref = first?.kind === 'sent' ? first.ref : undefined
  expect(await channel.preview?.(tell('It is **fi'), { to: chat, id: 1, ...(ref && { ref }) }, signal)).toEqual({
    kind: 'sent',
    ref,
  })
  const choices = Array.from({ length: 7 }, (_, at) => ({ label: tell(`Answer ${at}`), token: `c1.${at}` }))
  const reply = { id: 'r1', text: tell('It is **fine**.'), choices }
  expect(await channel.say?.({ ...reply, ...(ref && { replaces: ref }) }, chat, signal)).toEqual({ kind: 'sent', ref })
  // The message that showed it was deleted meanwhile; an attempt after a crash is the same message.
  const second = await channel.say?.({ ...reply, replaces: '1' }, chat, signal)
  expect(await channel.say?.({ ...reply, replaces: '1' }, chat, signal)).toEqual(second)
  const picture = { mimeType: 'image/png', data: Buffer.from('png') }
  await channel.say?.({ id: 'r2', text: tell(''), choices: [], picture }, chat, signal)
  const document = { name: 'disks.md', mimeType: 'text/plain', data: Buffer.from('# Disks') }
  await channel.say?.({ id: 'r3', text: tell(''), choices: [], document }, chat, signal)
  expect(service.posted.map(({ content, files, buttons }) => [content, files, buttons.length])).toEqual([
    ['It is **fine**.', [], 7],
    ['It is **fine**.', [], 7],
    ['', ['picture.png image/png'], 0],
    ['', ['disks.md text/plain'], 0],
  ])
})

test.each([
  ['**a** *b* ~~c~~ `d_e`', '**a** *b* ~~c~~ `d_e`'],
  ['# Head\n\ntext', '**Head**\n\ntext'],
  ['[bank](https://evil.lan) <https://a.lan>', 'bank (https\\://evil.lan) https\\://a.lan'],
  ['![x](https://evil.lan/p.png)', 'x (https\\://evil.lan/p.png)'],
  ['hi @everyone <@123> <b>x</b>', 'hi \\@everyone \\<\\@123> \\<b>x\\</b>'],
  ['- a\n- b\n\n1. c', '- a\n- b\n\n1. c'],
  ['> said', '> said'],
  ['````\nx ``` y\n````', '```\nx ``\u200b` y\n```'],
  ['| a | b |\n|---|---|\n| 1 | 22 |', '```\na  b\n-  --\n1  22\n```'],
  ['\\# no head', '\\# no head'],
  ['||spoiler|| snake_case_word', '\\|\\|spoiler\\|\\| snake\\_case\\_word'],
])('Markdown %j is told as %j', (markdown, told) => {
  expect(discordMarkdown(markdown)).toBe(told)
})

const user = { id: mira, username: 'mira' }
const text = {
  id: '1',
  channel_id: '7',
  author: user,
  content: 'stop 104',
  timestamp: '2026-11-24T10:00:00Z',
  type: 0,
}
const tap = {
  id: '1',
  token: 't',
  application_id: '9',
  type: 3,
  context: 1,
  channel_id: '7',
  user,
  message: { id: '5' },
  data: { custom_id: 'j1.x', component_type: 2 },
}
test.each<[string, string, object, object]>([
  ['a line', 'MESSAGE_CREATE', text, { kind: 'text', text: 'stop 104', from: { isPrivate: true } }],
  ['a code', 'MESSAGE_CREATE', { ...text, content: `/start ${'A'.repeat(22)}` }, { kind: 'pair' }],
  [
    'a forwarded line',
    'MESSAGE_CREATE',
    { ...text, content: '', message_reference: { type: 1 }, message_snapshots: [{ message: { content: 'stop 104' } }] },
    { kind: 'text', text: '', foreign: [{ how: 'forwarded', text: 'stop 104' }] },
  ],
  [
    'a reply',
    'MESSAGE_CREATE',
    { ...text, type: 19, referenced_message: { content: 'a log' } },
    { kind: 'text', text: 'stop 104', foreign: [{ how: 'quoted', text: 'a log' }] },
  ],
  [
    'a voice note',
    'MESSAGE_CREATE',
    { ...text, content: '', flags: 8192, attachments: [{ id: '4', filename: 'x.oga', size: 9, duration_secs: 3 }] },
    { kind: 'text', text: '', voice: { ref: '7/1/4', name: 'voice.ogg', seconds: 3, bytes: 9 } },
  ],
  ['an empty line', 'MESSAGE_CREATE', { ...text, content: '' }, { kind: 'other' }],
  ['a line in a server', 'MESSAGE_CREATE', { ...text, guild_id: '3' }, { kind: 'other' }],
  ['a bot’s line', 'MESSAGE_CREATE', { ...text, author: { ...user, bot: true } }, { kind: 'other' }],
  ['a webhook’s line', 'MESSAGE_CREATE', { ...text, webhook_id: '3' }, { kind: 'other' }],
  ['a notice of a pin', 'MESSAGE_CREATE', { ...text, type: 6 }, { kind: 'other' }],
  ['a tap', 'INTERACTION_CREATE', tap, { kind: 'tap', from: { user: mira, chat: '7', isPrivate: true } }],
  ['a tap in a server', 'INTERACTION_CREATE', { ...tap, guild_id: '3' }, { kind: 'tap', from: { isPrivate: false } }],
  ['a tap in a group chat', 'INTERACTION_CREATE', { ...tap, context: 2 }, { kind: 'tap', from: { isPrivate: false } }],
  ['a tap of another application', 'INTERACTION_CREATE', { ...tap, application_id: '8' }, { kind: 'other' }],
  ['a command', 'INTERACTION_CREATE', { ...tap, type: 2 }, { kind: 'other' }],
  ['a picked line', 'INTERACTION_CREATE', { ...tap, data: { custom_id: 'x', component_type: 3 } }, { kind: 'other' }],
  ['an edit', 'MESSAGE_UPDATE', text, { kind: 'other' }],
])('%s is read as what it is', (_what, name, data, expected) => {
  expect(incomingOf(name, data, '9')).toMatchObject(expected)
})
