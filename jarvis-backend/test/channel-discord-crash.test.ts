import { expect, test } from 'vitest'
import type {
  ChannelDelivery,
  ChannelPairing,
  ChannelPairingBegun,
  ChannelsReply,
  JournalEntry,
  Page,
} from '../src/protocol/index.ts'
import { startDiscord } from './fake-services/discord.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const mira = '88120411000000001'
const soon = { timeout: 60_000, interval: 100 }
const { newDir, life, killedLife } = killedHouse('jobs')

async function started() {
  const discord = await startDiscord()
  const env = { JARVIS_CHANNEL_DISCORD_TOKEN: discord.token, JARVIS_CHANNEL_DISCORD_URL: discord.api }
  const told = () => discord.posted.filter(({ content }) => /104 jellyfin/.test(content))
  return { discord, told, house: { env, dataDir: newDir() } }
}
type Place = Awaited<ReturnType<typeof started>>

async function begin({ discord }: Place, first: Life) {
  const { id, code } = await first.rest<ChannelPairingBegun>('POST', 'channels/discord/pairings')
  await expect.poll(discord.connections, soon).toBe(1)
  discord.write(mira, `/start ${code}`)
  return id
}
const opened = async (first: Life) =>
  (await first.rest<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).items[0]?.opened
const confirm = (first: Life, id: string) => first.rest('POST', `channel-pairings/${id}/confirm`, { user: mira })

async function paired(place: Place) {
  const first = await life(place.house)
  const id = await begin(place, first)
  await expect.poll(() => opened(first), soon).toBeDefined()
  await confirm(first, id)
  const state = async () =>
    (await first.rest<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).items[0]?.state
  await expect.poll(state, soon).toBe('sent')
  await first.stop()
}

test.each([
  'insert outbox committed',
  'insert channel_nonces committed',
  // Discord had taken it, and nothing was written: it is sent again under its nonce, and Discord shows it once.
  'update outbox end written',
  'update outbox end committed',
])('killed at "%s" while a card is told: it is told once, and one tap decides it once', async (dieAt) => {
  const place = await started()
  await paired(place)
  const first = await killedLife({ ...place.house, dieAt })
  await first.types('/stop_container vmid=104')
  await first.ended
  const second = await life(place.house)
  const isSent = async () =>
    (await second.rest<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).items.every(
      ({ state }) => state === 'sent',
    )
  await expect.poll(isSent, soon).toBe(true)
  expect(place.told()).toHaveLength(1)
  const [message] = place.told()
  const tap = place.discord.press(mira, message?.buttons[0]?.custom_id ?? '', message?.id)
  await expect.poll(() => tap.told, soon).toEqual(['Denied.'])
  expect(await second.cards()).toMatchObject([{ decision: 'denied', via: 'discord' }])
  await expect.poll(() => place.told()[0]?.content, soon).toMatch(/^~~.*\nDenied by operator, Discord/s)
})

test.each<[dieAt: string, isKept: boolean]>([
  ['update channel_nonces used_at written', false],
  ['update confirmations decision written', false],
  ['update confirmations decision committed', true],
])('killed at "%s" after a tap: decided once, the message is changed, the button is spent', async (dieAt, isKept) => {
  const place = await started()
  await paired(place)
  const before = await life(place.house)
  await before.types('/stop_container vmid=104')
  await expect.poll(() => place.told().length, soon).toBe(1)
  await before.stop()
  const first = await killedLife({ ...place.house, dieAt })
  const [message] = place.told()
  const deny = message?.buttons[0]?.custom_id ?? ''
  await expect.poll(place.discord.connections, soon).toBe(1)
  const tap = place.discord.press(mira, deny, message?.id)
  await first.ended
  expect(tap).toMatchObject({ isAnswered: true, told: [] })
  // What was not committed comes again, as Discord resumes the session after what was.
  const second = await life(place.house)
  await expect.poll(async () => (await second.cards())[0]?.decision, soon).toBe('denied')
  if (!isKept) await expect.poll(() => tap.told, soon).toEqual(['Denied.'])
  await expect.poll(() => place.told()[0], soon).toMatchObject({ buttons: [], content: expect.stringMatching(/^~~/) })
  await expect.poll(place.discord.connections, soon).toBe(1)
  const again = place.discord.press(mira, deny, message?.id)
  await expect.poll(() => again.told, soon).toEqual(['This is not open any more.'])
  expect((await second.rest<Page<JournalEntry>>('GET', 'journal?kind=decision')).items).toHaveLength(1)
  expect(place.discord.log.filter((line) => line === 'identify')).toHaveLength(1)
})

test.each<[dieAt: string, isPaired: boolean]>([
  ['update channel_pairings opened written', false],
  ['update channel_pairings opened committed', false],
  ['insert channel_recipients written', false],
  ['insert channel_recipients committed', true],
])('killed at "%s": the pairing goes on where it was, whole or not at all', async (dieAt, isPaired) => {
  const place = await started()
  const first = await killedLife({ ...place.house, dieAt })
  const id = await begin(place, first)
  if (dieAt.includes('recipients')) {
    await expect.poll(() => opened(first), soon).toBeDefined()
    await confirm(first, id).catch(() => undefined)
  }
  await first.ended
  const second = await life(place.house)
  if (!isPaired) {
    await expect.poll(() => opened(second), soon).toMatchObject({ user: mira })
    await confirm(second, id)
  }
  const { items } = await second.rest<ChannelsReply>('GET', 'channels')
  expect(items.find((one) => one.id === 'discord')?.recipients).toMatchObject([{ user: mira, decides: 'deny' }])
  const told = () => place.discord.posted.filter(({ content }) => content.includes('Paired with')).length
  await expect.poll(told, soon).toBe(1)
})
