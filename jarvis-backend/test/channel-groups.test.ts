import type {
  ChannelDelivery,
  ChannelGroups,
  ChannelPairing,
  ChannelPairingBegun,
  ChannelRecipient,
  ChannelsReply,
  JournalEntry,
  Page,
} from 'protocol'
import { expect, test } from 'vitest'
import { startDiscord } from './fake-services/discord.ts'
import { startTelegram } from './fake-services/telegram.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { terminal } from './support/shell.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const mira = 88120411
const family = -4_100_200
const moved = -1_001_004_100_200
const strangers = -4_666_000
const guild = '700000000000000001'
const alerts = '700000000000000002'
const voice = '700000000000000003'
const soon = { timeout: 15_000 }

async function start() {
  const telegram = await startTelegram()
  const discord = await startDiscord()
  discord.server(guild, 'Homelab', [
    { id: alerts, type: 0, name: 'alerts' },
    { id: voice, type: 2, name: 'voice' },
  ])
  const jarvis = await startJarvis({
    model: scripted(calls(['stop_container', { vmid: 104 }]), says('Well.')),
    env: {
      JARVIS_EMBEDDINGS: 'none',
      JARVIS_PUBLIC_URL: 'https://jarvis.example.org',
      JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token,
      JARVIS_CHANNEL_TELEGRAM_URL: telegram.url,
      JARVIS_CHANNEL_DISCORD_TOKEN: discord.token,
      JARVIS_CHANNEL_DISCORD_URL: discord.api,
    },
  })
  const ask = async <T>(method: string, path: string, json?: unknown, role?: 'operator') => {
    const response = await jarvis.rest(`/api/${path}`, {
      method,
      ...(json !== undefined && { json }),
      ...(role && { role }),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  await expect.poll(telegram.polls, soon).toBeGreaterThan(0)
  const { code, id } = (await ask<ChannelPairingBegun>('POST', 'channels/telegram/pairings')).body
  telegram.start(mira, code)
  const opened = async () => (await ask<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).body.items[0]?.opened
  await expect.poll(opened, soon).toBeDefined()
  const paired = await ask<ChannelRecipient>('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })
  await ask('PATCH', `channel-recipients/${paired.body.id}`, { decides: 'approve' })
  const recipients = async (channel: string) =>
    (await ask<ChannelsReply>('GET', 'channels')).body.items.find((one) => one.id === channel)?.recipients ?? []
  return { telegram, discord, jarvis, ask, recipients }
}

test('a group that an owner chose is told of alerts and jobs without names; nothing in it is heard, and no card reaches it', async () => {
  const { telegram, discord, jarvis, ask, recipients } = await start()
  const groups = async (channel: string) => (await ask<ChannelGroups>('GET', `channels/${channel}/groups`)).body.items
  const tell = (channel: string, group: string, role?: 'operator') =>
    ask<ChannelRecipient>('POST', `channels/${channel}/groups`, { group }, role)
  const inGroup = (id: number) => telegram.sent.filter(({ chat }) => chat === id)
  const inServer = () => discord.posted.filter(({ channel }) => channel === alerts)

  // A stranger takes the bot into a group of theirs: nobody is offered it, and nobody answers there.
  telegram.group(strangers, 'Family', 666)
  telegram.group(family, 'Family <b>', mira)
  await expect.poll(() => groups('telegram'), soon).toEqual([{ id: String(family), name: 'Family <b>' }])
  expect(await groups('discord')).toEqual([{ id: alerts, name: '#alerts of Homelab' }])
  for (const [channel, group] of [
    ['telegram', String(mira)],
    ['telegram', '-1'],
    ['telegram', 'family'],
    ['discord', voice],
    ['discord', '700000000000000009'],
    ['discord', '../users/@me'],
    ['ntfy', '1'],
  ] as const)
    expect([group, (await tell(channel, group)).status]).toEqual([group, 409])
  const told = (await tell('telegram', String(family))).body
  expect(told).toMatchObject({ isGroup: true, user: String(family), decides: 'none', hidesNames: true, talks: false })
  expect((await tell('telegram', String(family))).status).toBe(409)
  const shell = terminal(jarvis, ['channels', 'tell', 'discord', alerts])
  await shell.shown('Password')
  shell.type(`${password}\r`)
  expect(await shell.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('#alerts of Homelab') })
  for (const body of [{ decides: 'deny' }, { talks: true }, { hidesNames: false }])
    expect((await ask('PATCH', `channel-recipients/${told.id}`, body)).status).toBe(400)
  await expect.poll(() => [inGroup(family).length, inServer().length], soon).toEqual([1, 1])

  // A card reaches its person alone, and its buttons decide nothing in the group, whoever presses.
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 104.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const card = () => telegram.sent.find(({ chat, buttons }) => chat === mira && buttons.length > 1)
  await expect.poll(card, soon).toBeDefined()
  const approve = card()?.buttons[1]?.callback_data ?? ''
  const group = { id: family, type: 'supergroup' }
  const message = inGroup(family)[0]?.message_id
  const hostile = [
    telegram.press(mira, approve, message, { chat: group }),
    telegram.press(667, approve, message, { chat: group }),
    telegram.press(mira, approve, card()?.message_id, { chat: group }),
    telegram.press(667, `c1.${'A'.repeat(22)}`, message, { chat: group }),
  ]
  const press = { guild_id: guild, context: 0, channel_id: alerts }
  const tap = discord.press('88120411000000001', approve, inServer()[0]?.id, press)
  telegram.writeIn(family, mira, 'Stop 105.')
  telegram.writeIn(family, mira, '/stop_container vmid=105')
  telegram.writeIn(family, 667, '@jarvis_homelab_bot stop everything')
  telegram.writeIn(family, mira, 'yes', { message_thread_id: 7, reply_to_message: { text: card()?.text } })
  telegram.writeIn(family, mira, 'yes', { sender_chat: { id: family, type: 'supergroup' } })
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  await expect.poll(() => tap.isAnswered, soon).toBe(true)
  expect([...hostile.map((query) => telegram.answerTo(query)), ...tap.told]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect([jarvis.guest(104)?.status, jarvis.guest(105)?.status]).toEqual(['running', 'running'])
  expect((await ask<{ items: unknown[] }>('GET', 'sessions')).body.items).toHaveLength(1)
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await screen.next('chat:done')

  // A failure is told without its name and without the dashboard's address.
  const upid = 'UPID:pve:0000C0DE:00000001:00000001:qmstart:999:root@pam:'
  async function fail(times: string) {
    const work = { kind: 'call', toolName: 'get_task_log', toolInput: { upid } }
    const job = { name: `planted name ${times}`, work, schedule: { kind: 'interval', minutes: 60 } }
    const { body } = await ask<{ id: string }>('POST', 'jobs', job)
    await ask('POST', `jobs/${body.id}/run`)
  }
  await fail('once')
  await expect.poll(() => [inGroup(family).length, inServer().length], soon).toEqual([2, 2])
  expect(inGroup(family)[1]).toMatchObject({ text: '<b>A job failed</b>\nA job failed.', buttons: [] })
  expect(inServer()[1]).toMatchObject({ content: '**A job failed**\nA job failed.', buttons: [] })
  for (const text of [...inGroup(family).map((one) => one.text), ...inServer().map(({ content }) => content)])
    for (const never of ['104', 'jellyfin', 'planted', 'jarvis.example.org']) expect(text).not.toContain(never)
  expect(inGroup(strangers)).toEqual([])

  // Telegram gives the group another id: what was not sent goes there, and the journal says so.
  telegram.upgrade(family, moved)
  await fail('twice')
  await expect.poll(() => inGroup(moved).length, soon).toBe(1)
  expect((await recipients('telegram')).find(({ isGroup }) => isGroup)).toMatchObject({ user: String(moved) })
  const { items } = (await ask<Page<JournalEntry>>('GET', 'journal?kind=channel&limit=50')).body
  expect(items.map(({ body }) => (body as { change: string }).change)).toEqual(
    expect.arrayContaining(['group_told', 'group_moved']),
  )

  // The page says that the bot was removed from the group. Later messages to the group fail and stop nothing else.
  telegram.group(moved, 'Family', 667, false)
  discord.shut(alerts)
  await expect
    .poll(async () => (await recipients('telegram')).find(({ isGroup }) => isGroup)?.problem, soon)
    .toBe('JARVIS was taken out of this group')
  await fail('thrice')
  const log = async () => (await ask<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).body.items
  const ends = async () =>
    (await log()).filter(({ kind }) => kind === 'notice').map(({ to, state }) => `${to} ${state}`)
  await expect
    .poll(async () => (await ends()).slice(0, 3).sort(), soon)
    .toEqual(['#alerts of Homelab failed', 'Family <b> failed', 'operator sent'])
  expect((await ask('DELETE', `channel-recipients/${told.id}`)).status).toBe(204)
  expect((await tell('telegram', String(moved))).status).toBe(409)
})
