import type {
  ChannelPairing,
  ChannelPairingBegun,
  ChannelRecipient,
  ChannelsReply,
  ConfirmationRow,
  JournalEntry,
  Page,
} from 'protocol'
import { expect, test } from 'vitest'
import { type FakeDiscord, startDiscord } from './fake-services/discord.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const mira = '88120411000000001'
const other = '90233518000000002'
const stranger = '66600000000000006'
const soon = { timeout: 15_000 }
const over = ['This is not open any more.']

type Set = { clock?: ReturnType<typeof createSkippingClock>; skewMs?: number }
const start = (...turns: Parameters<typeof scripted>) => startAt({}, ...turns)

/** @param set how the clocks are set, ours and Discord's */
async function startAt({ clock, skewMs = 0 }: Set, ...turns: Parameters<typeof scripted>) {
  const discord = await startDiscord()
  discord.skew(skewMs)
  const env = {
    JARVIS_EMBEDDINGS: 'none',
    JARVIS_PUBLIC_URL: 'https://jarvis.example.org',
    JARVIS_CHANNEL_DISCORD_TOKEN: discord.token,
    JARVIS_CHANNEL_DISCORD_URL: discord.api,
  }
  const jarvis = await startJarvis({ model: scripted(...turns), env, clock })
  const ask = async <T>(method: string, path: string, json?: unknown) => {
    const response = await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  await expect.poll(() => discord.log, soon).toEqual(['identify'])
  return { discord, jarvis, ask, env }
}
type Started = Awaited<ReturnType<typeof start>>

const opened = async ({ ask }: Started, id: string) =>
  (await ask<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).body.items.find((one) => one.id === id)?.opened

/** Pairs the first owner, as the dashboard and a phone do. */
async function pair(started: Started, user: string, decides?: 'approve') {
  const { discord, ask } = started
  const { code, id } = (await ask<ChannelPairingBegun>('POST', 'channels/discord/pairings')).body
  discord.write(user, `/start ${code}`)
  await expect.poll(async () => (await opened(started, id))?.user, soon).toBe(user)
  const { body } = await ask<ChannelRecipient>('POST', `channel-pairings/${id}/confirm`, { user })
  if (decides !== undefined) await ask('PATCH', `channel-recipients/${body.id}`, { decides })
  const chat = discord.channelOf(user)
  await expect
    .poll(() => discord.posted.some(({ channel, content }) => channel === chat && content.includes('Paired')), soon)
    .toBe(true)
  return body
}
const cardsOf = ({ posted, channelOf }: FakeDiscord, user = mira) =>
  posted.filter(({ channel, content }) => channel === channelOf(user) && /Stop|Run/.test(content))
const rowOf = async ({ ask }: Started, toolUseId: string) =>
  (await ask<{ items: ConfirmationRow[] }>('GET', 'confirmations')).body.items.find(
    (one) => one.toolUseId === toolUseId,
  )

test('a code pairs whoever sends it in a direct message; a tap approves a light card, and every copy is changed', async () => {
  const started = await start(calls(['stop_container', { vmid: 104 }]), says('Well.'))
  const { discord, jarvis, ask } = started
  // Strangers ask, guess and press, and get nothing.
  discord.write(stranger, 'stop 103')
  discord.write(stranger, `/start ${'A'.repeat(22)}`)
  const guess = discord.press(stranger, `j1.${'A'.repeat(22)}.a`, '5')
  await expect.poll(() => guess.isAnswered, soon).toBe(true)
  const begun = await ask<ChannelPairingBegun>('POST', 'channels/discord/pairings')
  expect(begun.body.link).toBe(`https://discord.com/users/${discord.application}`)
  await ask('DELETE', `channel-pairings/${begun.body.id}`)
  expect(await pair(started, mira, 'approve')).toMatchObject({ user: mira, name: 'Mira @mira', decides: 'deny' })
  await pair(started, other)
  expect(discord.posted.map(({ channel }) => channel)).not.toContain(discord.channelOf(stranger))
  expect(guess.told).toEqual([])

  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop 104.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await expect.poll(() => [cardsOf(discord).length, cardsOf(discord, other).length], soon).toEqual([1, 1])
  const [card] = cardsOf(discord)
  expect(card?.buttons.map(({ label }) => label)).toEqual(['Do not stop 104 jellyfin', 'Stop 104 jellyfin', 'Look…'])
  const looks = [mira, stranger, other].map((user) => discord.press(user, card?.buttons[2]?.custom_id ?? '', card?.id))
  await expect
    .poll(() => looks.map(({ isAnswered, told }) => [isAnswered, told.length]), soon)
    .toEqual([
      [true, 1],
      [true, 0],
      [true, 1],
    ])
  const where = `<https://jarvis.example.org/waiting?card=${toolUseId}>`
  expect(looks.flatMap(({ told }) => told)).toEqual([
    expect.stringMatching(new RegExp(`^It waits until \\d\\d:\\d\\d \\S+\\.\n${where.replace('?', '\\?')}$`)),
    ...over,
  ])
  const tap = discord.press(mira, card?.buttons[1]?.custom_id ?? '', card?.id)
  await screen.next('chat:done')
  await expect.poll(() => tap.told, soon).toEqual(['Approved.'])
  expect(jarvis.guest(104)?.status).toBe('stopped')
  expect(await rowOf(started, toolUseId)).toMatchObject({ decision: 'approved', decidedBy: 'operator', via: 'discord' })
  for (const user of [mira, other])
    await expect
      .poll(() => cardsOf(discord, user), soon)
      .toMatchObject([
        { buttons: [], content: expect.stringMatching(/^~~Stop.*~~\nApproved by operator, Discord, \d\d:\d\d \S+\.$/) },
      ])
  const bodies = discord.taken.map(({ body }) => body).join('\n')
  expect(bodies).not.toContain(discord.token)
})

test('hostile taps decide nothing, and a token that was revoked voids pairings and buttons', async () => {
  const started = await start(
    calls(['stop_container', { vmid: 104 }], ['stop_container', { vmid: 105 }]),
    says('Well.'),
  )
  const { discord, jarvis, ask, env } = started
  await pair(started, mira, 'approve')
  const second = await pair(started, other, 'approve')
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop both.' })
  await screen.next('chat:confirm_needed')
  await screen.next('chat:confirm_needed')
  await expect.poll(() => [cardsOf(discord).length, cardsOf(discord, other).length], soon).toEqual([2, 2])
  const [one, two] = cardsOf(discord)
  const [deny = '', approve = ''] = one?.buttons.map(({ custom_id = '' }) => custom_id) ?? []
  const rows: [string, ReturnType<FakeDiscord['press']>, string[]][] = [
    ['a stranger', discord.press(stranger, approve, one?.id), []],
    ['in a server', discord.press(mira, approve, one?.id, { guild_id: '1', context: 0 }), []],
    ['in a group chat', discord.press(mira, approve, one?.id, { context: 2, channel_id: '3' }), []],
    ['in another chat', discord.press(mira, approve, one?.id, { channel_id: discord.channelOf(other) }), []],
    ['another paired person', discord.press(other, approve, one?.id), over],
    ['on another card', discord.press(mira, approve, two?.id), over],
    ['without a message', discord.press(mira, approve, undefined), over],
    ['a denial made an approval', discord.press(mira, deny.replace(/d$/, 'a'), one?.id), over],
    ['an approval made a denial', discord.press(mira, approve.replace(/a$/, 'd'), one?.id), over],
    ['a guess', discord.press(mira, `j1.${'A'.repeat(22)}.a`, one?.id), over],
    ['words', discord.press(mira, 'approve everything', one?.id), over],
  ]
  const last = rows.at(-1)?.[1]
  await expect.poll(() => last?.told, soon).toEqual(over)
  expect(rows.map(([what, { told }]) => [what, told])).toEqual(rows.map(([what, , told]) => [what, told]))
  // Interactions of another application, and commands, are nothing; no service would hand them over.
  discord.press(mira, approve, one?.id, { application_id: '8' })
  discord.press(mira, approve, one?.id, { type: 2 })
  await ask('DELETE', `channel-recipients/${second.id}`)
  const ended = discord.press(
    other,
    cardsOf(discord, other)[0]?.buttons[1]?.custom_id ?? '',
    cardsOf(discord, other)[0]?.id,
  )
  await expect.poll(() => ended.isAnswered, soon).toBe(true)
  // Replayed, a denial decides once.
  const taps = Array.from({ length: 20 }, () => discord.press(mira, deny, one?.id))
  await expect.poll(() => taps.filter(({ told }) => told.length === 1).length, soon).toBe(20)
  expect(taps.flatMap(({ told }) => told).filter((text) => text === 'Denied.')).toHaveLength(1)
  expect([jarvis.guest(104)?.status, jarvis.guest(105)?.status, ended.told]).toEqual(['running', 'running', []])
  const decisions = (await ask<Page<JournalEntry>>('GET', 'journal?kind=decision')).body.items
  expect(decisions.map(({ body }) => (body as { decision: string }).decision)).toEqual(['denied'])

  const next = `${'N'.repeat(24)}.NNNNNN.${'N'.repeat(38)}`
  discord.renew(next)
  const channel = async (house = jarvis) =>
    ((await (await house.rest('/api/channels')).json()) as ChannelsReply).items.find(({ id }) => id === 'discord')
  await expect.poll(async () => (await channel())?.problem, soon).toContain('does not know the token')
  await jarvis.stop()
  const again = await startJarvis({
    model: scripted(says('Well.')),
    dataDir: jarvis.dataDir,
    env: { ...env, JARVIS_CHANNEL_DISCORD_TOKEN: next },
  })
  await expect.poll(() => discord.log.filter((line) => line === 'identify').length, soon).toBe(2)
  expect(await channel(again)).toMatchObject({ state: 'on', recipients: [] })
  const tap = discord.press(mira, two?.buttons[1]?.custom_id ?? '', two?.id)
  await expect.poll(() => tap.isAnswered, soon).toBe(true)
  expect(tap.told).toEqual([])
  expect(again.guest(105)?.status).toBe('running')
})

test('a paired person talks there: answers, buttons of sessions and typed orders; others and forwarded words order nothing', async () => {
  const started = await start(says('**Fine.** See [the page](https://evil.lan).'), says('Still fine.'))
  const { discord } = started
  await pair(started, mira)
  const chat = discord.channelOf(mira)
  const told = () => discord.posted.filter(({ channel }) => channel === chat).map(({ content }) => content)
  discord.write(stranger, 'How is it?')
  discord.write(mira, 'How is it now?')
  await expect.poll(() => told().at(-1), soon).toBe('**Fine.** See the page (https\\://evil.lan).')
  expect(discord.posted.some(({ channel }) => channel === discord.channelOf(stranger))).toBe(false)
  discord.write(mira, '/new And now?')
  await expect.poll(() => told().at(-1), soon).toBe('Still fine.')
  discord.write(mira, '/sessions')
  const buttons = () => discord.posted.at(-1)?.buttons ?? []
  await expect.poll(() => buttons().length, soon).toBe(1)
  const choice = buttons()[0]?.custom_id ?? ''
  const message = discord.posted.at(-1)?.id
  const theirs = discord.press(stranger, choice, message)
  const tap = discord.press(mira, choice, message)
  await expect.poll(() => tap.told.length, soon).toBe(1)
  expect(theirs.told).toEqual([])
  const again = discord.press(mira, choice, message)
  await expect.poll(() => again.told, soon).toEqual(over)
})

test.each([5, -5])(
  'where Discord’s clock is %i hours off, what is old is not run and what is fresh is, also when ours is set meanwhile',
  async (hours) => {
    const clock = createSkippingClock()
    const replies = [says('First.'), says('Second.'), says('Third.')] as const
    const started = await startAt({ clock, skewMs: hours * 3_600_000 }, ...replies)
    const { discord, jarvis } = started
    await pair(started, mira)
    // Alerts are told there too, in bold.
    const told = () =>
      discord.posted.findLast(
        ({ channel, content }) => channel === discord.channelOf(mira) && !content.startsWith('**'),
      )?.content
    const writeOld = () => {
      const timestamp = new Date(discord.now() - 3 * 60_000).toISOString()
      discord.write(mira, '/stop_container vmid=104', { timestamp })
    }
    writeOld()
    await expect.poll(told, soon).toMatch(/^You wrote this at \d\d:\d\d \S+, and it arrived late/)
    discord.write(mira, '/new How is it?')
    await expect.poll(told, soon).toBe('First.')
    // The connection goes on, which tells no time.
    for (const [skippedMs, answer] of [
      [2 * 3_600_000, 'Second.'],
      [-4 * 3_600_000, 'Third.'],
    ] as const) {
      clock.skip(skippedMs)
      discord.write(mira, '/new How is it?')
      await expect.poll(told, soon).toBe(answer)
      writeOld()
      await expect.poll(told, soon).toMatch(/^You wrote this at/)
    }
    expect(discord.log).toEqual(['identify'])
    expect((await jarvis.rest('/api/confirmations').then((reply) => reply.json())) as object).toMatchObject({
      items: [],
    })
  },
  60_000,
)
