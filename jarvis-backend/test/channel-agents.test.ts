import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChannelPairing, ChannelPairingBegun, ChannelRecipient } from 'protocol'
import { expect, test } from 'vitest'
import { startDiscord } from './fake-services/discord.ts'
import { startTelegram } from './fake-services/telegram.ts'
import { folder } from './support/data-dir.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const mira = 88120411
const snowflake = '88120411000000001'
const soon = { timeout: 15_000 }

test('the agent whose binding says most answers over a channel, the one of the pairing before it, and the named one before both', async () => {
  const telegram = await startTelegram()
  const discord = await startDiscord()
  const dataDir = folder()
  const yaml = `agents:
  media: { bindings: [{ door: channel, channel: telegram }] }
  watch: { bindings: [{ door: channel, channel: discord }] }
  family: { bindings: [{ door: channel, channel: discord, chat: '${discord.channelOf(snowflake)}' }] }
  others: { bindings: [{ door: channel, channel: discord, chat: '1' }, { door: mcp, token: films }] }
  reader: { ceiling: green }
`
  writeFileSync(join(dataDir, 'agents.yaml'), yaml)
  const rows: [
    channel: 'telegram' | 'discord',
    written: string,
    agent: string,
    said: string,
    choose?: string | null,
  ][] = [
    ['telegram', 'Which films?', 'media', 'Which films?'],
    ['discord', 'Who is home?', 'family', 'Who is home?'],
    ['telegram', '@watch Which nodes?', 'watch', 'Which nodes?'],
    // A conversation goes on with the agent that it has.
    ['telegram', 'And now?', 'watch', 'And now?'],
    ['telegram', '/new @reader Read.', 'reader', 'Read.'],
    ['telegram', '/new Which films?', 'media', 'Which films?'],
    ['telegram', '@nobody Hello', 'media', '@nobody Hello'],
    ['discord', '@media Which films?', 'media', 'Which films?'],
    ['discord', '/new Who is home?', 'family', 'Who is home?'],
    ['discord', '/new Read.', 'reader', 'Read.', 'reader'],
    ['discord', '/new @watch Which nodes?', 'watch', 'Which nodes?'],
    ['discord', '/new Who is home?', 'family', 'Who is home?', null],
  ]
  const model = scripted(...rows.map((_, at) => says(`Answer ${at}.`)))
  const jarvis = await startJarvis({
    model,
    dataDir,
    env: {
      JARVIS_EMBEDDINGS: 'none',
      JARVIS_TITLES: 'off',
      JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token,
      JARVIS_CHANNEL_TELEGRAM_URL: telegram.url,
      JARVIS_CHANNEL_DISCORD_TOKEN: discord.token,
      JARVIS_CHANNEL_DISCORD_URL: discord.api,
    },
  })
  const ask = async <T>(method: string, path: string, json?: unknown) =>
    (await (await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })).json()) as T
  await expect.poll(() => [telegram.polls() > 0, discord.log.length > 0], soon).toEqual([true, true])
  const write = {
    telegram: (text: string) => void telegram.write(mira, text),
    discord: (text: string) => void discord.write(snowflake, text),
  }
  const told = {
    telegram: () => telegram.sent.map(({ text }) => text),
    discord: () => discord.posted.map(({ content }) => content),
  }
  async function pair(channel: 'telegram' | 'discord', user: string) {
    const { code, id } = await ask<ChannelPairingBegun>('POST', `channels/${channel}/pairings`)
    write[channel](`/start ${code}`)
    const opened = async () =>
      (await ask<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).items.find((one) => one.id === id)?.opened
    await expect.poll(async () => (await opened())?.user, soon).toBe(user)
    return ask<ChannelRecipient>('POST', `channel-pairings/${id}/confirm`, { user })
  }
  const ids = { telegram: (await pair('telegram', String(mira))).id, discord: (await pair('discord', snowflake)).id }

  for (const [at, [channel, written, agent, said, choose]] of rows.entries()) {
    if (choose !== undefined) await ask('PATCH', `channel-recipients/${ids[channel]}`, { agent: choose })
    write[channel](written)
    await expect.poll(told[channel], soon).toContain(`Answer ${at}.`)
    const { system, messages } = model.requests[at] ?? {}
    expect([at, /You are (\w+)/.exec(system ?? '')?.[1], messages?.at(-1)]).toMatchObject([at, agent, { text: said }])
    const { items } = await ask<{ items: { agent?: string }[] }>('GET', 'sessions')
    expect([at, items[0]?.agent]).toEqual([at, agent])
  }
  expect(model.requests).toHaveLength(rows.length)
})
