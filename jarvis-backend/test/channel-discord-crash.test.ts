import type { ChannelDelivery, ChannelPairing, ChannelPairingBegun, ChannelsReply, JournalEntry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { startDiscord } from './fake-services/discord.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const mira = '88120411000000001'
const soon = { timeout: 60_000, interval: 100 }
const { newDir, life, eachKill } = killedHouse('jobs')

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

const isSent = async (one: Life) =>
  (await one.rest<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).items.every(
    ({ state }) => state === 'sent',
  )

const telling: [dieAt: string][] = [
  ['insert outbox committed'],
  ['insert channel_nonces committed'],
  // Discord had taken it, and nothing was written: it is sent again under its nonce, and Discord shows it once.
  ['update outbox end written'],
  ['update outbox end committed'],
]
const tapping: [dieAt: string, isKept: boolean][] = [
  ['update channel_nonces used_at written', false],
  ['update confirmations decision written', false],
  ['update confirmations decision committed', true],
]
test('killed while a card is told and as it is tapped: it is told once, decided once, and the button is spent', async () => {
  const place = await started()
  await paired(place)
  const { discord, told, house } = place
  const points = [...telling, ...tapping].map(([dieAt]) => dieAt)
  const first = await life(house, { points, keep: discord.keep })
  await first.types('/stop_container vmid=104')
  await expect.poll(() => told().length, soon).toBe(1)
  await expect.poll(() => isSent(first), soon).toBe(true)
  await expect.poll(discord.connections, soon).toBe(1)
  const [message] = told()
  const deny = message?.buttons[0]?.custom_id ?? ''
  const { id } = discord.press(mira, deny, message?.id)
  const tap = () => discord.pressed.find((one) => one.id === id)
  await expect.poll(() => tap()?.told, soon).toEqual(['Denied.'])
  await first.stop()
  await expect.poll(discord.connections, soon).toBe(0)

  await eachKill(telling, async (dieAt) => {
    const { dataDir, putBack } = first.at(dieAt)
    putBack()
    const second = await life({ ...house, dataDir })
    await expect.poll(() => isSent(second), soon).toBe(true)
    expect(told()).toHaveLength(1)
    const [shown] = told()
    await expect.poll(discord.connections, soon).toBe(1)
    const own = discord.press(mira, shown?.buttons[0]?.custom_id ?? '', shown?.id)
    await expect.poll(() => own.told, soon).toEqual(['Denied.'])
    expect(await second.cards()).toMatchObject([{ decision: 'denied', via: 'discord' }])
    await expect.poll(() => told()[0]?.content, soon).toMatch(/^~~.*\nDenied by operator, Discord/s)
    await second.stop()
    await expect.poll(discord.connections, soon).toBe(0)
  })

  await eachKill(tapping, async (dieAt, isKept) => {
    const { dataDir, putBack } = first.at(dieAt)
    putBack()
    expect(tap()).toMatchObject({ isAnswered: true, told: [] })
    // An event that was not committed comes again, because Discord resumes the session after the last committed event.
    const second = await life({ ...house, dataDir })
    await expect.poll(async () => (await second.cards())[0]?.decision, soon).toBe('denied')
    if (!isKept) await expect.poll(() => tap()?.told, soon).toEqual(['Denied.'])
    await expect.poll(() => told()[0], soon).toMatchObject({ buttons: [], content: expect.stringMatching(/^~~/) })
    await expect.poll(discord.connections, soon).toBe(1)
    const again = discord.press(mira, deny, message?.id)
    await expect.poll(() => again.told, soon).toEqual(['This is not open any more.'])
    expect((await second.rest<Page<JournalEntry>>('GET', 'journal?kind=decision')).items).toHaveLength(1)
    expect(discord.log.filter((line) => line === 'identify')).toHaveLength(1)
    await second.stop()
    await expect.poll(discord.connections, soon).toBe(0)
  })
})

const pairing: [dieAt: string, isPaired: boolean][] = [
  ['update channel_pairings opened written', false],
  ['update channel_pairings opened committed', false],
  ['insert channel_recipients written', false],
  ['insert channel_recipients committed', true],
]
test('killed while a person is paired: the pairing goes on where it was, whole or not at all', async () => {
  const place = await started()
  const { discord, house } = place
  const first = await life(house, { points: pairing.map(([dieAt]) => dieAt), keep: discord.keep })
  const id = await begin(place, first)
  await expect.poll(() => opened(first), soon).toBeDefined()
  await confirm(first, id)
  const greeted = () => discord.posted.filter(({ content }) => content.includes('Paired with')).length
  await expect.poll(greeted, soon).toBe(1)
  await first.stop()
  await expect.poll(discord.connections, soon).toBe(0)

  await eachKill(pairing, async (dieAt, isPaired) => {
    const { dataDir, putBack } = first.at(dieAt)
    putBack()
    expect(greeted()).toBe(0)
    const second = await life({ ...house, dataDir })
    if (!isPaired) {
      await expect.poll(() => opened(second), soon).toMatchObject({ user: mira })
      await confirm(second, id)
    }
    const { items } = await second.rest<ChannelsReply>('GET', 'channels')
    expect(items.find((one) => one.id === 'discord')?.recipients).toMatchObject([{ user: mira, decides: 'deny' }])
    await expect.poll(greeted, soon).toBe(1)
    await second.stop()
    await expect.poll(discord.connections, soon).toBe(0)
  })
})
