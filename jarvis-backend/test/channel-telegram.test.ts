import { systemClock } from 'node-kit/clock'
import type {
  ChannelDelivery,
  ChannelInfo,
  ChannelPairing,
  ChannelPairingBegun,
  ChannelRecipient,
  ChannelsReply,
  ConfirmationRow,
  JournalEntry,
  Page,
} from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../src/lib/clock.ts'
import { startNtfy } from './fake-services/ntfy.ts'
import { type FakeTelegram, startTelegram } from './fake-services/telegram.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const mira = 88120411
const soon = { timeout: 15_000 }

const start = (...turns: Parameters<typeof scripted>) => startWith({}, ...turns)

/** @param more the settings of other channels, and the clock */
async function startWith(
  { clock, ...more }: { clock?: Clock } & Record<string, unknown>,
  ...turns: Parameters<typeof scripted>
) {
  const telegram = await startTelegram()
  const env = {
    ...(more as Record<string, string>),
    JARVIS_EMBEDDINGS: 'none',
    JARVIS_PUBLIC_URL: 'https://jarvis.example.org',
    JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token,
    JARVIS_CHANNEL_TELEGRAM_URL: telegram.url,
  }
  const jarvis = await startJarvis({ model: scripted(...turns), env, clock })
  const ask = async <T>(method: string, path: string, json?: unknown) => {
    const response = await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  await expect.poll(telegram.polls, soon).toBeGreaterThan(0)
  return { telegram, jarvis, ask }
}
type Started = Awaited<ReturnType<typeof start>>

const pairings = async ({ ask }: Started) =>
  (await ask<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).body.items

/** Pairs the first owner, as the dashboard and a phone do. */
async function pair(started: Started, user = mira, decides?: 'none' | 'approve'): Promise<ChannelRecipient> {
  const { telegram, ask } = started
  const { code, id } = (await ask<ChannelPairingBegun>('POST', 'channels/telegram/pairings')).body
  telegram.start(user, code)
  await expect
    .poll(async () => (await pairings(started)).find((one) => one.id === id)?.opened?.user, soon)
    .toBe(String(user))
  const confirmed = await ask<ChannelRecipient>('POST', `channel-pairings/${id}/confirm`, { user: String(user) })
  expect(confirmed.status).toBe(200)
  if (decides !== undefined) await ask('PATCH', `channel-recipients/${confirmed.body.id}`, { decides })
  await expect
    .poll(() => telegram.sent.some(({ chat, text }) => chat === user && text.includes('Paired with')), soon)
    .toBe(true)
  return confirmed.body
}

const cardsOf = ({ sent }: FakeTelegram, chat = mira) =>
  sent.filter((one) => one.chat === chat && /Stop|Restart|Start|Run|call waits/.test(one.text))
const rowOf = async ({ ask }: Started, toolUseId: string) =>
  (await ask<{ items: ConfirmationRow[] }>('GET', 'confirmations')).body.items.find(
    (one) => one.toolUseId === toolUseId,
  )

test('a code from the dashboard pairs the phone that used it, once it is confirmed there by its number; strangers get silence', async () => {
  const started = await start()
  const { telegram, ask } = started
  const begun = await ask<ChannelPairingBegun>('POST', 'channels/telegram/pairings')
  expect(begun.status).toBe(201)
  const { code, link, id } = begun.body
  expect(code).toMatch(/^[\w-]{22}$/)
  expect(link).toBe(`https://t.me/jarvis_homelab_bot?start=${code}`)
  expect((await ask('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })).status).toBe(409)

  // A stranger asks, guesses, and gets nothing: no message, no answer.
  const stranger = 666
  telegram.start(stranger)
  telegram.start(stranger, 'A'.repeat(22))
  telegram.write(stranger, 'stop 103')
  telegram.write(stranger, `/start ${code}`, { forward_origin: { type: 'user' } })
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  expect(telegram.asked().filter((name) => name?.startsWith('send'))).toEqual([])

  telegram.start(mira, code, 'Lena <b>K.')
  await expect
    .poll(async () => (await pairings(started))[0]?.opened, soon)
    .toMatchObject({ user: String(mira), name: 'Lena <b>K.' })
  expect(telegram.sent.at(-1)).toMatchObject({ chat: mira, text: `Now confirm the number ${mira} in the dashboard.` })
  // The code was for one use.
  telegram.start(stranger, code)
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  expect((await pairings(started))[0]?.opened?.user).toBe(String(mira))
  expect(telegram.sent.filter(({ chat }) => chat === stranger)).toEqual([])
  expect((await ask('POST', `channel-pairings/${id}/confirm`, { user: String(stranger) })).status).toBe(409)

  const paired = await ask<ChannelRecipient>('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })
  expect(paired.body).toMatchObject({ user: String(mira), person: 'operator', decides: 'deny', hidesNames: false })
  await expect.poll(() => telegram.sent.at(-1)?.text, soon).toBe('<b>Paired with operator.</b>')
  expect((await ask('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })).status).toBe(404)
  const { items } = (await ask<Page<JournalEntry>>('GET', 'journal?kind=channel')).body
  expect(items.map(({ body }) => (body as { change: string }).change).reverse()).toEqual(['pairing_begun', 'paired'])
})

test('a tap denies: the decision names person and channel, and every message of the card is changed', async () => {
  const started = await start(calls(['stop_vm', { vmid: 103 }]), says('Well.'))
  const { telegram, jarvis } = started
  await pair(started)
  await pair(started, 90233518, 'none')
  // No screen shows the card, so its time has not begun.
  const { sessionId } = (await started.ask<{ sessionId: string }>('POST', 'sessions', { message: 'Stop 103.' })).body
  await expect.poll(() => [cardsOf(telegram).length, cardsOf(telegram, 90233518).length], soon).toEqual([1, 1])
  const [card] = cardsOf(telegram)
  const [told] = cardsOf(telegram, 90233518)
  expect(card?.text).toContain('<b>Stop VM 103 truenas on pve?</b>')
  expect(card?.text).toContain('It waits for a day, and for minutes once somebody has seen it.')
  expect(card?.buttons.map(({ text }) => text)).toEqual(['Do not run it', 'Look…'])
  expect(told?.buttons.map(({ text }) => text)).toEqual(['Look…'])
  expect(Buffer.byteLength(card?.buttons[0]?.callback_data ?? '')).toBe(27)
  // A look starts the card's time and decides nothing. It is for its own person, on its own message, and as often as they want.
  const look = card?.buttons.at(-1)?.callback_data ?? ''
  const theirs = told?.buttons.at(-1)?.callback_data ?? ''
  const over = 'This is not open any more.'
  for (const [user, data, message, answer] of [
    [666, look, card?.message_id, undefined],
    [90233518, look, told?.message_id, over],
    [mira, look, told?.message_id, over],
    [mira, look.replace(/l$/, 'a'), card?.message_id, over],
  ] as const) {
    const tried = telegram.press(user, data, message)
    await expect.poll(telegram.unconfirmed, soon).toBe(0)
    expect(telegram.answerTo(tried)).toBe(answer)
  }
  const looked = [telegram.press(mira, look, card?.message_id), telegram.press(90233518, theirs, told?.message_id)]
  await expect
    .poll(() => looked.map(telegram.answerTo), soon)
    .toEqual(looked.map(() => expect.stringMatching(/^It waits until \d\d:\d\d \S+\.$/)))
  const { toolUseId = '' } =
    (await started.ask<{ items: ConfirmationRow[] }>('GET', 'confirmations')).body.items[0] ?? {}
  const below = telegram.sent.filter(({ text }) => text.startsWith('<b>It waits until'))
  expect(below.map(({ buttons }) => buttons)).toEqual(
    below.map(() => [{ text: 'Open', url: `https://jarvis.example.org/waiting?card=${toolUseId}` }]),
  )
  expect(below).toHaveLength(2)
  expect(await rowOf(started, toolUseId)).not.toHaveProperty('decision')
  const screen = await jarvis.connect()
  await screen.ask('chat:attach', { sessionId })
  const query = telegram.press(mira, card?.buttons[0]?.callback_data ?? '', card?.message_id)
  await screen.next('chat:done')
  await expect.poll(() => telegram.answerTo(query), soon).toBe('Denied.')
  expect(await rowOf(started, toolUseId)).toMatchObject({ decision: 'denied', decidedBy: 'operator', via: 'telegram' })
  for (const chat of [mira, 90233518])
    await expect
      .poll(() => cardsOf(telegram, chat), soon)
      .toMatchObject([
        {
          buttons: [],
          text: expect.stringMatching(/^<s>Stop VM 103.*<\/s>\nDenied by operator, Telegram, \d\d:\d\d \S+\.$/),
        },
      ])
  const { items } = (await started.ask<Page<JournalEntry>>('GET', 'journal?kind=decision')).body
  expect(items[0]?.body).toMatchObject({ toolUseId, by: 'operator', via: 'telegram', decision: 'denied' })
})

test('a light card is approved by a tap where its person allowed that, and it runs; a heavy one never is', async () => {
  const started = await start(
    calls(['stop_container', { vmid: 104 }]),
    calls(['execute_ssh', { node: 'pve', command: 'systemctl restart nginx' }]),
    says('Well.'),
  )
  const { telegram, jarvis, ask } = started
  const recipient = await pair(started)
  // Raising asks for the password again; who only has the token raises nothing.
  const raw = (path: string, json: object) => {
    const headers = { authorization: `Bearer ${jarvis.token('operator')}`, 'content-type': 'application/json' }
    return fetch(`${jarvis.url}/api/${path}`, { method: 'PATCH', headers, body: JSON.stringify(json) })
  }
  expect((await raw(`channel-recipients/${recipient.id}`, { decides: 'approve' })).status).toBe(403)
  expect((await ask('PATCH', `channel-recipients/${recipient.id}`, { decides: 'approve' })).status).toBe(200)
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop 104.' })
  const first = await screen.next('chat:confirm_needed')
  await expect.poll(() => cardsOf(telegram).length, soon).toBe(1)
  const [card] = cardsOf(telegram)
  expect(card?.buttons.map(({ text }) => text)).toEqual(['Do not stop 104 jellyfin', 'Stop 104 jellyfin', 'Look…'])
  telegram.press(mira, card?.buttons[1]?.callback_data ?? '', card?.message_id)
  const second = await screen.next('chat:confirm_needed')
  expect(jarvis.guest(104)?.status).toBe('stopped')
  expect(await rowOf(started, first.toolUseId)).toMatchObject({ decision: 'approved', via: 'telegram' })
  await expect.poll(() => cardsOf(telegram).length, soon).toBe(2)
  const heavy = cardsOf(telegram)[1]
  expect(heavy?.text).not.toContain('nginx')
  expect(heavy?.text).toContain('Too heavy for a tap')
  expect(heavy?.buttons.map(({ text }) => text)).toEqual(['Do not run it', 'Look…'])
  // The deny button edited into an approval is unknown.
  const deny = heavy?.buttons[0]?.callback_data ?? ''
  const query = telegram.press(mira, deny.replace(/d$/, 'a'), heavy?.message_id)
  await expect.poll(() => telegram.answerTo(query), soon).toBe('This is not open any more.')
  expect(await rowOf(started, second.toolUseId)).not.toHaveProperty('decision')
  telegram.press(mira, deny, heavy?.message_id)
  await screen.next('chat:done')
})

test('hostile taps decide nothing, and whoever is not paired gets no answer', async () => {
  const started = await start(
    calls(['stop_container', { vmid: 104 }], ['stop_container', { vmid: 105 }]),
    says('Well.'),
  )
  const { telegram, jarvis, ask } = started
  const own = await pair(started, mira, 'approve')
  const other = await pair(started, 90233518, 'approve')
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop both.' })
  await screen.next('chat:confirm_needed')
  await screen.next('chat:confirm_needed')
  await expect.poll(() => [cardsOf(telegram).length, cardsOf(telegram, 90233518).length], soon).toEqual([2, 2])
  const [first, second] = cardsOf(telegram)
  const approve = first?.buttons[1]?.callback_data ?? ''
  const deny = first?.buttons[0]?.callback_data ?? ''
  const group = { id: -100200, type: 'supergroup' }
  const firstChat = { id: mira, type: 'private' }
  const topic = { message_thread_id: 4, is_topic_message: true }
  const over = 'This is not open any more.'
  const message = first?.message_id
  const hostile: [string, ReturnType<FakeTelegram['press']>, string | undefined][] = [
    ['a stranger presses the forwarded button', telegram.press(666, approve, message), undefined],
    ['a stranger presses in a group', telegram.press(666, approve, message, { chat: group }), undefined],
    ['the person presses in a group', telegram.press(mira, approve, message, { chat: group }), undefined],
    ['the person presses an inline message', telegram.press(mira, approve, undefined, { inline: true }), undefined],
    [
      'the person presses in a topic of a group',
      telegram.press(mira, approve, message, { chat: group, message: topic }),
      undefined,
    ],
    [
      'a stranger presses in a topic of the private chat',
      telegram.press(666, approve, message, { chat: firstChat, message: topic }),
      undefined,
    ],
    [
      'another paired person presses in the first one’s chat',
      telegram.press(90233518, approve, message, { chat: firstChat }),
      undefined,
    ],
    [
      'a channel posts it',
      telegram.press(mira, approve, message, { chat: group, message: { sender_chat: group } }),
      undefined,
    ],
    [
      'the person presses in a topic, on another message',
      telegram.press(mira, approve, 9_999, { message: topic }),
      over,
    ],
    ['another paired person presses it', telegram.press(90233518, approve, message), over],
    ['the button is pressed on another card', telegram.press(mira, approve, second?.message_id), over],
    ['a denial is made an approval', telegram.press(mira, deny.replace(/d$/, 'a'), message), over],
    ['an approval is made a denial', telegram.press(mira, approve.replace(/a$/, 'd'), message), over],
    ['the data is another', telegram.press(mira, `j1.${'A'.repeat(22)}.a`, message), over],
    ['the data is words', telegram.press(mira, 'approve everything', message), over],
    ['the data is empty', telegram.press(mira, '', message), over],
  ]
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  await expect
    .poll(() => telegram.answers.length, soon)
    .toBe(hostile.filter(([, , answer]) => answer !== undefined).length)
  expect(hostile.map(([what, query]) => [what, telegram.answerTo(query)])).toEqual(
    hostile.map(([what, , answer]) => [what, answer]),
  )
  expect([jarvis.guest(104)?.status, jarvis.guest(105)?.status]).toEqual(['running', 'running'])
  const { items } = (await ask<Page<JournalEntry>>('GET', 'journal?kind=channel&limit=50')).body
  const refused = items.filter(({ body }) => (body as { change: string }).change === 'tap_refused')
  expect(refused).toHaveLength(8)
  expect(JSON.stringify(refused)).not.toContain(approve)

  // A pairing that was ended counts no more.
  await ask('DELETE', `channel-recipients/${other.id}`)
  const [theirs] = cardsOf(telegram, 90233518)
  const late = telegram.press(90233518, theirs?.buttons[1]?.callback_data ?? '', theirs?.message_id)
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  expect(telegram.answerTo(late)).toBeUndefined()
  // Replayed a hundred times, a denial decides once.
  for (let time = 0; time < 100; time += 1) telegram.press(mira, deny, message)
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  await expect.poll(() => telegram.answers.filter(({ text }) => text === 'Denied.').length, soon).toBe(1)
  const decisions = (await ask<Page<JournalEntry>>('GET', 'journal?kind=decision')).body.items
  expect(decisions.map(({ body }) => (body as { decision: string }).decision)).toEqual(['denied'])
  expect(own.decides).toBe('deny')
})

test('a blocked bot and a foreign webhook are said, and what failed is sent again', async () => {
  const started = await start()
  const { telegram, ask } = started
  const recipient = await pair(started)
  const test = () => ask<ChannelDelivery>('POST', 'channels/telegram/test', {})
  const channel = async () =>
    (await ask<ChannelsReply>('GET', 'channels')).body.items.find(({ id }) => id === 'telegram') as ChannelInfo
  const delivery = async (id: string) =>
    (await ask<{ items: ChannelDelivery[] }>('GET', 'channel-deliveries')).body.items.find((one) => one.id === id)
  expect((await ask<ChannelInfo>('POST', 'channels/telegram/check')).body).toMatchObject({
    account: '@jarvis_homelab_bot',
  })

  telegram.block(mira)
  const { id } = (await test()).body
  await expect.poll(async () => (await delivery(id))?.state, soon).toBe('failed')
  expect((await channel()).recipients).toMatchObject([
    { id: recipient.id, problem: expect.stringContaining('blocked by the user') },
  ])
  telegram.unblock(mira)
  expect((await ask<ChannelDelivery>('POST', `channel-deliveries/${id}/again`)).status).toBe(202)
  await expect.poll(async () => (await channel()).recipients[0]?.problem, soon).toBeUndefined()

  telegram.webhook('https://evil.example.org/hook')
  telegram.start(mira)
  await expect
    .poll(async () => String((await channel()).problem), soon)
    .toContain('Somebody set a webhook to evil.example.org')
})

test('where another program polls this bot, that is said, and cards are told here and over other channels all the same', async () => {
  const ntfy = await startNtfy()
  // The pause after a refused poll is as long as a poll of Telegram.
  const clock: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms === 35_000 ? 50 : ms, run) }
  const started = await startWith(
    {
      clock,
      JARVIS_CHANNEL_NTFY_URL: ntfy.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 't',
      JARVIS_CHANNEL_NTFY_TOKEN: ntfy.token,
    },
    calls(['stop_container', { vmid: 104 }]),
    says('Well.'),
  )
  const { telegram, jarvis, ask } = started
  await pair(started)
  const ending = new AbortController()
  const body = JSON.stringify({ timeout: 25, allowed_updates: [] })
  const other = (async () => {
    const place = `${telegram.url}/bot${telegram.token}/getUpdates`
    while (!ending.signal.aborted)
      await (await fetch(place, { method: 'POST', body, signal: ending.signal })).arrayBuffer()
  })().catch(() => undefined)
  onTestFinished(async () => {
    ending.abort()
    await other
  })
  const problems = async () =>
    (await ask<ChannelsReply>('GET', 'channels')).body.items.flatMap(({ id, problem }) =>
      problem === undefined ? [] : [`${id}: ${problem}`],
    )
  const contested = ['telegram: Another program asks for this bot’s messages. Stop it, or make another token.']
  await expect.poll(problems, soon).toEqual(contested)

  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 104.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const shown = () => ntfy.shown().filter(({ click }) => String(click).includes(toolUseId))
  await expect.poll(() => [cardsOf(telegram).length, shown().length], soon).toEqual([1, 1])
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await expect.poll(() => [cardsOf(telegram)[0]?.buttons, shown()[0]?.priority], soon).toEqual([[], 1])
  expect(await problems()).toEqual(contested)
})

test('another token voids every pairing and every open button', async () => {
  const started = await start(calls(['stop_container', { vmid: 104 }]), says('Well.'))
  const { telegram, jarvis } = started
  await pair(started, mira, 'approve')
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop 104.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await expect.poll(() => cardsOf(telegram).length, soon).toBe(1)
  const [card] = cardsOf(telegram)
  const next = `987654321:${'B'.repeat(35)}`
  await jarvis.stop()
  telegram.renew(next)
  const again = await startJarvis({
    model: scripted(says('Well.')),
    dataDir: jarvis.dataDir,
    env: { JARVIS_EMBEDDINGS: 'none', JARVIS_CHANNEL_TELEGRAM_TOKEN: next, JARVIS_CHANNEL_TELEGRAM_URL: telegram.url },
  })
  const channels = (await (await again.rest('/api/channels')).json()) as ChannelsReply
  expect(channels.items.find(({ id }) => id === 'telegram')).toMatchObject({ state: 'on', recipients: [] })
  const query = telegram.press(mira, card?.buttons[1]?.callback_data ?? '', card?.message_id)
  await expect.poll(telegram.unconfirmed, soon).toBe(0)
  expect(telegram.answerTo(query)).toBeUndefined()
  const { items } = (await (await again.rest('/api/confirmations')).json()) as { items: ConfirmationRow[] }
  expect(items.find((one) => one.toolUseId === toolUseId)).not.toHaveProperty('decision')
})

test('what was said, typed, run and noted around a card does not leave', async () => {
  const planted = 'hunter2-planted-secret'
  const started = await start(
    calls(
      `The password of 10.99.88.77 is ${planted}.`,
      ['execute_ssh', { node: 'pve', command: 'systemctl restart nginx' }],
      ['stop_vm', { vmid: 103 }],
    ),
    says(`It was ${planted}.`),
  )
  const { telegram, jarvis } = started
  await pair(started)
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: `Use ${planted}.` })
  await expect.poll(() => cardsOf(telegram).length, soon).toBe(2)
  const cards = [await screen.next('chat:confirm_needed'), await screen.next('chat:confirm_needed')]
  for (const { toolUseId } of cards)
    await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false, note: `because of ${planted}` })
  await screen.next('chat:done')
  await expect.poll(() => cardsOf(telegram).every(({ text }) => text.startsWith('<s>')), soon).toBe(true)
  const bodies = telegram.taken.map(({ body }) => body).join('\n')
  for (const secret of [planted, '10.99.88.77', telegram.token, 'systemctl', 'nginx'])
    expect(bodies).not.toContain(secret)
  expect(telegram.sent.every(({ isProtected }) => isProtected)).toBe(true)
})
