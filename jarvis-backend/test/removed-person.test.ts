import { join } from 'node:path'
import type { ChannelsReply } from 'protocol'
import { expect, test } from 'vitest'
import { SqliteRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import { startDiscord } from './fake-services/discord.ts'
import { startTelegram } from './fake-services/telegram.ts'
import { as, household } from './support/persons.ts'
import { says, scripted } from './support/scripted-model.ts'

const soon = { timeout: 15_000 }
const gone = { discord: '88120411000000001', telegram: 88120411 }
const stays = { discord: '88120411000000002', telegram: 88120412 }

test('a removed person hears once on Discord and on Telegram that their account is gone, and then nothing', async () => {
  const [discord, telegram] = [await startDiscord(), await startTelegram()]
  const { jarvis } = await household({
    others: { gone: 'operator', stays: 'operator' },
    model: scripted(...Array.from({ length: 6 }, () => says('Well.'))),
    env: {
      JARVIS_EMBEDDINGS: 'none',
      JARVIS_TITLES: 'off',
      JARVIS_CHANNEL_DISCORD_TOKEN: discord.token,
      JARVIS_CHANNEL_DISCORD_URL: discord.api,
      JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token,
      JARVIS_CHANNEL_TELEGRAM_URL: telegram.url,
    },
  })
  const owner = as('per_owner')
  await expect.poll(() => discord.log, soon).toEqual(['identify'])
  await expect.poll(telegram.polls, soon).toBeGreaterThan(0)
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  const settings = new SqliteSettings(database)
  const recipients = new SqliteRecipientStore(database)
  for (const [name, users] of Object.entries({ gone, stays })) {
    discord.write(users.discord, 'hi')
    telegram.start(users.telegram)
    for (const [channel, chat] of [
      ['discord', discord.channelOf(users.discord)],
      ['telegram', String(users.telegram)],
    ] as const) {
      recipients.add({
        id: `rcp_${name}_${channel}`,
        channel,
        account: settings.get(`channel_account_${channel}`) ?? '',
        person: `per_${name}`,
        user: String(users[channel]),
        chat,
        name,
        isGroup: false,
        decides: 'approve',
        hidesNames: false,
        talks: true,
        createdAt: 1,
      })
    }
  }
  database.close()
  const told = ({ discord: user, telegram: chat }: typeof gone) => [
    ...discord.posted.filter(({ channel }) => channel === discord.channelOf(user)).map(({ content }) => content),
    ...telegram.sent.filter((one) => one.chat === chat).map(({ text }) => text),
  ]
  expect((await jarvis.rest('/api/people/per_gone', { ...owner, method: 'DELETE' })).ok).toBe(true)
  const farewell = expect.stringMatching(/account in JARVIS was removed[\s\S]*not answered/) as string
  const farewells = () => told(gone).filter((text) => text.includes('removed'))
  await expect.poll(farewells, soon).toEqual([farewell, farewell])
  const before = told(gone)

  // The person who stays writes last, so that the answer comes after the other's words were taken.
  for (const user of [gone, stays]) {
    discord.write(user.discord, 'How is it?')
    telegram.write(user.telegram, 'How is it?')
  }
  const answers = () => told(stays).filter((text) => text.includes('Well.'))
  await expect.poll(() => answers().length, soon).toBeGreaterThanOrEqual(2)
  expect(told(gone)).toEqual(before)
  expect(JSON.stringify(told(stays))).not.toContain('removed')
  const { items } = (await (await jarvis.rest('/api/channels', owner)).json()) as ChannelsReply
  expect(items.flatMap((one) => one.recipients.map(({ name }) => name)).sort()).toEqual(['stays', 'stays'])
})
