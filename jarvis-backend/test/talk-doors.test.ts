import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SqliteRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import { startDiscord } from './fake-services/discord.ts'
import { comers, talk } from './rights/resources.ts'
import { household, membersRole } from './support/persons.ts'
import { says, scripted } from './support/scripted-model.ts'

const person = {
  owner: 'per_member',
  writer: 'per_dan',
  reader: 'per_ben',
  other: 'per_cat',
  viewer: 'per_viewer',
  guest: 'per_eva',
  operator: 'per_operator',
} as const

test('a private chat of a channel answers those who may decide, and nobody who lost that since they paired', async () => {
  const discord = await startDiscord()
  const { jarvis } = await household({
    others: { ben: membersRole, cat: membersRole, dan: membersRole, eva: 'viewer' },
    model: scripted(says('Well.')),
    env: {
      JARVIS_EMBEDDINGS: 'none',
      JARVIS_TITLES: 'off',
      JARVIS_CHANNEL_DISCORD_TOKEN: discord.token,
      JARVIS_CHANNEL_DISCORD_URL: discord.api,
    },
  })
  await expect.poll(() => discord.log).toEqual(['identify'])
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  const account = new SqliteSettings(database).get('channel_account_discord') ?? ''
  const recipients = new SqliteRecipientStore(database)
  const userOf = (index: number) => `8812041100000000${index}`
  const channels = comers.map((who, index) => {
    const user = userOf(index)
    discord.write(user, 'hi')
    recipients.add({
      id: `rcp_${who}`,
      channel: 'discord',
      account,
      person: person[who],
      user,
      name: who,
      chat: discord.channelOf(user),
      isGroup: false,
      decides: 'approve',
      hidesNames: false,
      talks: true,
      createdAt: 1,
    })
    return discord.channelOf(user)
  })
  database.close()
  const told = (index: number) => discord.posted.filter(({ channel }) => channel === channels[index]).length
  // The person who may decide writes last, so that the answer comes after the others' words were taken.
  expect(comers.at(-1)).toBe('operator')
  const wrong: string[] = []
  for (const door of talk.doors.split('\n').filter((line) => line !== '')) {
    const before = comers.map((_, index) => told(index))
    for (const [index] of comers.entries()) discord.write(userOf(index), door)
    const answered = comers.findIndex((who) => talk.answers[who] === 'words')
    await expect.poll(() => told(answered)).toBeGreaterThan(before[answered] ?? 0)
    for (const [index, who] of comers.entries()) {
      const isTold = told(index) > (before[index] ?? 0)
      if (isTold !== (talk.answers[who] === 'words')) wrong.push(`${who} by ${door}`)
    }
  }
  expect(wrong).toEqual([])
})
