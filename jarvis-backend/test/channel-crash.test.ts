import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChannelDelivery, ChannelPairing, ChannelPairingBegun, ChannelsReply, JournalEntry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { makeVapidKeys } from '../src/channels/web-push/sender.ts'
import { startService } from './fake-services/service.ts'
import { startTelegram } from './fake-services/telegram.ts'
import { startPushService } from './fake-services/web-push.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const mira = 88120411
const soon = { timeout: 60_000, interval: 100 }
const { newDir, life, eachKill } = killedHouse('jobs')

const begin = (first: Life) => first.rest<ChannelPairingBegun>('POST', 'channels/telegram/pairings')
const opened = async (first: Life) =>
  (await first.rest<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).items[0]?.opened
const recipients = async (first: Life) =>
  (await first.rest<ChannelsReply>('GET', 'channels')).items.find(({ id }) => id === 'telegram')?.recipients ?? []

async function started() {
  const telegram = await startTelegram()
  const env = { JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token, JARVIS_CHANNEL_TELEGRAM_URL: telegram.url }
  const dataDir = newDir()
  return { telegram, env, dataDir, cards: () => telegram.sent.filter(({ text }) => text.includes('104 jellyfin')) }
}

async function paired({ telegram, env, dataDir }: Awaited<ReturnType<typeof started>>) {
  const first = await life({ dataDir, env })
  const { id, code } = await begin(first)
  telegram.start(mira, code)
  await expect.poll(() => opened(first), soon).toBeDefined()
  await first.rest('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })
  const state = async () =>
    (await first.rest<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).items[0]?.state
  await expect.poll(state, soon).toBe('sent')
  await first.stop()
}

/** All that was told has been sent. */
const isSent = async (one: Life) =>
  (await one.rest<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).items.every(
    ({ state }) => state === 'sent',
  )

const telling: [dieAt: string, tells: number][] = [
  ['insert outbox committed', 1],
  ['insert channel_nonces committed', 1],
  // Telegram had taken it, and nothing was written: it is told twice, and each message decides.
  ['update outbox end written', 2],
  ['update outbox end committed', 1],
]

/** A life that tells a paired person of a card, and what kills would leave of it. */
async function told() {
  const place = await started()
  await paired(place)
  const { telegram, env, dataDir } = place
  const first = await life({ dataDir, env }, { points: telling.map(([dieAt]) => dieAt), keep: telegram.keep })
  await first.types('/stop_container vmid=104')
  await expect.poll(() => place.cards().length, soon).toBe(1)
  await expect.poll(() => isSent(first), soon).toBe(true)
  await first.stop()
  return { ...place, at: first.at }
}

test('killed while a card is told: it is told once, or twice where nothing was written, and one tap decides it once', async () => {
  const { telegram, env, cards, at } = await told()
  await eachKill(telling, async (dieAt, tells) => {
    const { dataDir, putBack } = at(dieAt)
    putBack()
    const second = await life({ dataDir, env })
    await expect.poll(() => cards().length, soon).toBe(tells)
    // The first of two is a message that JARVIS never learned of.
    const [message] = cards()
    const query = telegram.press(mira, message?.buttons[0]?.callback_data ?? '', message?.message_id)
    await expect.poll(() => telegram.answerTo(query), soon).toBe('Denied.')
    expect(await second.cards()).toMatchObject([{ decision: 'denied', via: 'telegram' }])
    // Each copy says that it is over, also the one that was learned by the tap.
    await expect.poll(() => cards().every(({ text }) => text.startsWith('<s>')), soon).toBe(true)
    expect(cards()).toHaveLength(tells)
  })
})

const pushing: [dieAt: string, tells: number][] = [
  ['insert outbox committed', 1],
  // The push service had taken it, and nothing was written: it comes again and takes the first one's place.
  ['update outbox end written', 2],
  ['update outbox end committed', 1],
]
test('killed while a browser is told of a card: shown once, and closed once the card is decided', async () => {
  const service = await startPushService()
  const push = { ca: service.ca, keys: makeVapidKeys() }
  const points = pushing.map(([dieAt]) => dieAt)
  const first = await life({ dataDir: newDir(), push }, { points, keep: service.keep })
  expect(await first.rest('POST', 'push', service.browser.body)).toMatchObject({ label: 'phone' })
  await first.types('/stop_container vmid=104')
  const ofCard = () => service.taken.filter(({ headers }) => headers.urgency === 'high').length
  await expect.poll(ofCard, soon).toBe(1)
  await expect.poll(() => isSent(first), soon).toBe(true)
  await first.stop()

  await eachKill(pushing, async (dieAt, tells) => {
    const { dataDir, putBack } = first.at(dieAt)
    putBack()
    // Where it comes again, the service is away first, and the card is decided meanwhile.
    if (tells === 2) service.fail(1, { status: 503, headers: { 'retry-after': '3600' } })
    const second = await life({ dataDir, push })
    await expect.poll(ofCard, soon).toBe(tells)
    expect(service.shown().filter(({ title }) => title.startsWith('Stop CT 104'))).toHaveLength(1)
    const [card] = await second.cards()
    await second.rest('POST', `confirmations/${card?.toolUseId}`, { confirmed: false })
    await expect.poll(() => service.shown().filter(({ tag }) => tag === card?.toolUseId), soon).toEqual([])
    const topics = service.taken.filter(({ headers }) => headers.urgency !== 'low').map(({ headers }) => headers.topic)
    expect(new Set(topics).size).toBe(1)
    await second.stop()
    if (tells === 1) return
    // A third life tells of nothing again.
    const count = service.taken.length
    const third = await life({ dataDir, push })
    expect(await third.cards()).toMatchObject([{ decision: 'denied' }])
    expect(service.taken).toHaveLength(count)
  })
})

test('a copy that was sent unrecorded, and whose card was decided elsewhere meanwhile, says so once it is pressed', async () => {
  const { telegram, env, cards, at } = await told()
  const { dataDir, putBack } = at('update outbox end written')
  putBack()
  telegram.limit('sendMessage', 1, 3)
  const second = await life({ dataDir, env })
  const [waiting] = await second.cards()
  await second.rest('POST', `confirmations/${waiting?.toolUseId}`, { confirmed: false })
  const log = async () => (await second.rest<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).items
  const card = async () => (await log()).find(({ act, kind }) => act === 'deliver' && kind === 'card')
  await expect.poll(async () => (await card())?.state, soon).toBe('dropped')
  expect((await card())?.why).toContain('a copy that was sent as JARVIS ended says so once it is pressed')
  const [message] = cards()
  const query = telegram.press(mira, message?.buttons[0]?.callback_data ?? '', message?.message_id)
  await expect.poll(() => telegram.answerTo(query), soon).toBe('This was decided elsewhere.')
  await expect
    .poll(cards, soon)
    .toMatchObject([{ buttons: [], text: expect.stringMatching(/^<s>.*Denied by operator, dashboard/s) }])
})

const tapping: [dieAt: string, isKept: boolean][] = [
  ['update channel_nonces used_at written', false],
  ['update confirmations decision written', false],
  ['update confirmations decision committed', true],
]
test('killed after a tap: decided once, the message is changed, the button is spent', async () => {
  const place = await started()
  await paired(place)
  const { telegram, env, dataDir, cards } = place
  const first = await life({ dataDir, env }, { points: tapping.map(([dieAt]) => dieAt), keep: telegram.keep })
  await first.types('/stop_container vmid=104')
  await expect.poll(() => cards().length, soon).toBe(1)
  await expect.poll(() => isSent(first), soon).toBe(true)
  const [message] = cards()
  const deny = message?.buttons[0]?.callback_data ?? ''
  const query = telegram.press(mira, deny, message?.message_id)
  await expect.poll(() => telegram.answerTo(query), soon).toBe('Denied.')
  await first.stop()

  await eachKill(tapping, async (dieAt, isKept) => {
    const { dataDir: left, putBack } = first.at(dieAt)
    putBack()
    expect(telegram.answerTo(query)).toBeUndefined()
    // An update that was not committed comes again, and counts then.
    const second = await life({ dataDir: left, env })
    await expect.poll(async () => (await second.cards())[0]?.decision, soon).toBe('denied')
    if (!isKept) await expect.poll(() => telegram.answerTo(query), soon).toBe('Denied.')
    await expect.poll(() => cards()[0]?.text, soon).toMatch(/^<s>.*\nDenied by operator, Telegram/s)
    expect(cards()).toMatchObject([{ buttons: [] }])
    const again = telegram.press(mira, deny, message?.message_id)
    await expect.poll(() => telegram.answerTo(again), soon).toBe('This is not open any more.')
    const { items } = await second.rest<Page<JournalEntry>>('GET', 'journal?kind=decision')
    expect(items).toHaveLength(1)
  })
})

const pairing: [dieAt: string, isPaired: boolean][] = [
  ['update channel_pairings opened written', false],
  ['update channel_pairings opened committed', false],
  ['insert channel_recipients written', false],
  ['insert channel_recipients committed', true],
]
test('killed while a person is paired: the pairing goes on where it was, whole or not at all', async () => {
  const { telegram, env, dataDir } = await started()
  const first = await life({ dataDir, env }, { points: pairing.map(([dieAt]) => dieAt), keep: telegram.keep })
  const { id, code } = await begin(first)
  telegram.start(mira, code)
  await expect.poll(() => opened(first), soon).toBeDefined()
  await first.rest('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })
  const greeted = () => telegram.sent.filter(({ text }) => text.includes('Paired with')).length
  await expect.poll(greeted, soon).toBe(1)
  await first.stop()

  await eachKill(pairing, async (dieAt, isPaired) => {
    const { dataDir: left, putBack } = first.at(dieAt)
    putBack()
    expect(greeted()).toBe(0)
    const second = await life({ dataDir: left, env })
    if (!isPaired) {
      await expect.poll(() => opened(second), soon).toMatchObject({ user: String(mira) })
      expect(await recipients(second)).toEqual([])
      await second.rest('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })
    }
    expect(await recipients(second)).toMatchObject([{ user: String(mira), decides: 'deny' }])
    await expect.poll(greeted, soon).toBe(1)
  })
})

const linesIn = (dataDir: string) => {
  const file = join(dataDir, 'lines')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0
}

const talking: [dieAt: string, tells: number][] = [
  // Nothing of the message was stored, so Telegram hands it over again.
  ['insert channel_chats written', 1],
  // The message, its place and the place in the updates are stored together.
  ['insert channel_chats committed', 1],
  // The call's result is stored, and no message about it was sent.
  ['insert entries tool_result committed', 1],
  ['update channel_chats told written', 1],
  ['insert outbox committed', 1],
  // Telegram had taken it, and nothing was written: told twice, done once.
  ['update outbox end written', 2],
]
test('killed while a person talks: done once, told once, or twice where nothing was written', async () => {
  const place = await started()
  const { telegram, env, dataDir } = place
  await paired(place)
  const answered = () => telegram.sent.filter(({ text }) => text.startsWith('written')).length
  const first = await life({ dataDir, env }, { points: talking.map(([dieAt]) => dieAt), keep: telegram.keep })
  telegram.write(mira, '/note_down')
  await expect.poll(answered, soon).toBe(1)
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  await expect.poll(() => isSent(first), soon).toBe(true)
  await first.stop()

  await eachKill(talking, async (dieAt, tells) => {
    const { dataDir: left, putBack } = first.at(dieAt)
    putBack()
    const second = await life({ dataDir: left, env })
    await expect.poll(answered, soon).toBe(tells)
    await expect.poll(telegram.unconfirmed, soon).toBe(0)
    expect(linesIn(left)).toBe(1)
    const { items } = await second.rest<{ items: { title: string }[] }>('GET', 'sessions')
    expect(items.map(({ title }) => title)).toHaveLength(1)
    expect(answered()).toBe(tells)
  })
})

const hearing: [dieAt: string][] = [
  ['insert channel_heard written'],
  ['insert channel_heard committed'],
  ['update channel_heard text written'],
  ['update channel_heard text committed'],
]
test('killed while a voice note is heard: it is shown once, and sent once', async () => {
  const place = await started()
  const { telegram, dataDir } = place
  const speech = await startService(() => ({ json: { text: 'Note it down.' } }))
  const env = { ...place.env, JARVIS_TRANSCRIBE_URL: `${speech.url}/v1` }
  await paired(place)
  const shown = () => telegram.sent.filter(({ text }) => text.includes('Note it down.') && !text.startsWith('<b>'))
  const first = await life({ dataDir, env }, { points: hearing.map(([dieAt]) => dieAt), keep: telegram.keep })
  const voice = { file_id: telegram.file(Buffer.from('OggS'), 'voice/file_1.oga'), duration: 2, file_size: 4 }
  telegram.write(mira, '', { text: undefined, voice })
  await expect.poll(() => shown()[0]?.buttons.length, soon).toBe(2)
  await first.stop()

  await eachKill(hearing, async (dieAt) => {
    const { dataDir: left, putBack } = first.at(dieAt)
    putBack()
    const second = await life({ dataDir: left, env })
    await expect.poll(() => shown()[0]?.buttons.length, soon).toBe(2)
    const [message] = shown()
    const send = message?.buttons[0]?.callback_data ?? ''
    const query = telegram.press(mira, send, message?.message_id)
    const again = telegram.press(mira, send, message?.message_id)
    await expect.poll(() => telegram.answerTo(query), soon).toBe('Sent.')
    await expect.poll(() => telegram.answerTo(again), soon).toBe('This is not open any more.')
    const { items } = await second.rest<{ items: { title: string }[] }>('GET', 'sessions')
    // The session is named after its first answer.
    expect(items.map(({ title }) => title)).toEqual([expect.stringMatching(/^Note it down\.?$/)])
  })
})
