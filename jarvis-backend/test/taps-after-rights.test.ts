import { join } from 'node:path'
import type { ChannelsReply, JournalEntry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { SqliteRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import { startDiscord } from './fake-services/discord.ts'
import { startNtfy } from './fake-services/ntfy.ts'
import { as, household } from './support/persons.ts'
import { calls, says, scripted } from './support/scripted-model.ts'

const soon = { timeout: 15_000 }
const tapper = { removed: '88120411000000001', disabled: '88120411000000002', lowered: '88120411000000003' }
const people = { ...tapper, 'signed-out': '88120411000000004' }

test('a card that somebody had on Discord or ntfy is decided by no tap once they lost the right to', async () => {
  const [discord, ntfy] = [await startDiscord(), await startNtfy()]
  const { jarvis } = await household({
    others: Object.fromEntries(Object.keys(people).map((name) => [name, 'operator'])),
    model: scripted(calls(['stop_container', { vmid: 104 }]), says('Well.')),
    env: {
      JARVIS_EMBEDDINGS: 'none',
      JARVIS_PUBLIC_URL: 'https://jarvis.example.org',
      JARVIS_CHANNEL_DISCORD_TOKEN: discord.token,
      JARVIS_CHANNEL_DISCORD_URL: discord.api,
      JARVIS_CHANNEL_NTFY_URL: ntfy.url,
      JARVIS_CHANNEL_NTFY_TOPIC: 'j',
      JARVIS_CHANNEL_NTFY_TOKEN: ntfy.token,
    },
  })
  const owner = as('per_owner')
  const change = async (path: string, method: string, json?: unknown) =>
    expect((await jarvis.rest(`/api/${path}`, { ...owner, method, ...(json !== undefined && { json }) })).ok).toBe(true)
  const channels = async () => ((await (await jarvis.rest('/api/channels', owner)).json()) as ChannelsReply).items
  const topic = async () => (await channels()).find(({ id }) => id === 'ntfy')?.recipients[0]
  expect(
    (
      await jarvis.rest(`/api/channel-recipients/${(await topic())?.id}`, {
        method: 'PATCH',
        json: { decides: 'deny' },
      })
    ).status,
  ).toBe(200)
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  const account = new SqliteSettings(database).get('channel_account_discord') ?? ''
  const recipients = new SqliteRecipientStore(database)
  await expect.poll(() => discord.log, soon).toEqual(['identify'])
  for (const [name, user] of Object.entries(people)) {
    discord.write(user, 'hi')
    recipients.add({
      id: `rcp_${name}`,
      channel: 'discord',
      account,
      person: `per_${name}`,
      user,
      name,
      chat: discord.channelOf(user),
      isGroup: false,
      decides: 'approve',
      hidesNames: false,
      talks: false,
      createdAt: 1,
    })
  }
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Stop 104.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const shown = () => discord.posted.filter(({ content }) => content.includes('Stop CT 104'))
  const onTopic = () => ntfy.shown().findIndex(({ click }) => String(click).includes(toolUseId))
  await expect.poll(() => [shown().length, onTopic() >= 0], soon).toEqual([4, true])
  const cards = Object.entries(people).map(([name, user]) => {
    const { id, buttons = [] } = shown().find(({ channel }) => channel === discord.channelOf(user)) ?? {}
    return { name, user, id, buttons: buttons.map(({ custom_id = '' }) => custom_id) }
  })
  await change('people/per_removed', 'DELETE')
  await change('people/per_disabled', 'PATCH', { disabled: true })
  await change('people/per_lowered', 'PATCH', { role: 'viewer' })
  await change('people/per_signed-out/sign-out', 'POST')
  await change('people/operator/sign-out', 'POST')

  const taps = cards.flatMap(({ name, user, id, buttons: [deny = '', approve = ''] }) =>
    [approve, deny].map((button) => ({ name, tap: discord.press(user, button, id) })),
  )
  await expect.poll(() => taps.every(({ tap }) => tap.isAnswered), soon).toBe(true)
  // A removed person's account, and one that is paired no more, is a stranger's: strangers get silence.
  const lost = ['Nothing was decided: you may not decide any more.']
  const told = Object.keys(people).map((name) => [name, name === 'disabled' || name === 'lowered' ? [lost, lost] : []])
  await expect
    .poll(
      () =>
        Object.keys(people).map((name) => [
          name,
          taps.flatMap(({ name: of, tap }) => (of === name && tap.told.length > 0 ? [tap.told] : [])),
        ]),
      soon,
    )
    .toEqual(told)
  // The topic belongs to the first owner, whose sign-ins were ended, and then to nobody who decides.
  const pressed = async () => ((await (await ntfy.press(onTopic(), jarvis.url)).json()) as { answer: string }).answer
  expect(await pressed()).toBe(
    'Nothing was decided: this may not be decided here any more. Decide it in the dashboard.',
  )
  expect((await topic())?.decides).toBe('none')
  recipients.set((await topic())?.id ?? '', { decides: 'deny' })
  await change('people/operator', 'PATCH', { disabled: true })
  expect(await pressed()).toBe(lost[0])

  const journal = async (query: string) =>
    ((await (await jarvis.rest(`/api/journal?limit=200&${query}`, owner)).json()) as Page<JournalEntry>).items
  // The card ended with its asker, and by no tap.
  expect((await journal('kind=decision')).map(({ body }) => body)).toMatchObject([
    { by: 'jarvis', decision: 'cancelled' },
  ])
  const refused = (await journal('kind=channel')).flatMap(({ body }) => {
    const { change: what, because } = body as Record<string, string>
    return what === 'tap_refused' ? [because] : []
  })
  expect(refused.sort()).toEqual(
    ['they may not decide so there', ...Array(5).fill('the person may decide nothing')].sort(),
  )
  expect(jarvis.guest(104)?.status).toBe('running')
  database.close()
})
