import { join } from 'node:path'
import type { ChannelDelivery, ChannelInfo } from 'protocol'
import { expect, test } from 'vitest'
import { channelKinds } from '../../src/channels/adapters/index.ts'
import { startedFor, startPlain } from '../fake-services/channels.ts'
import { expectLine, expectShown } from '../support/recipe.ts'
import { startJarvis } from '../support/start-jarvis.ts'
import { mattermost } from './mattermost.ts'

const title = 'A channel'

test('the recipe shows the file of the channel, and the lines that add it', () => {
  expectShown(title, 'jarvis-backend/src/channels/adapters/mattermost.ts', join(import.meta.dirname, 'mattermost.ts'))
  expectLine(title, 'mattermost,', 'jarvis-backend/src/channels/adapters/index.ts')
  expectLine(title, "mattermost: () => startPlain('HOOK_URL'),", 'jarvis-backend/test/fake-services/channels.ts')
})

test('the channel of the recipe is set up like any other, keeps its secret, and takes a message', async () => {
  // The recipe's lines: the list of the shipped channels, and the table of fake services.
  const channels = [...channelKinds, mattermost]
  const services = { mattermost: () => startPlain('HOOK_URL') }
  const { settings, bodies } = await startedFor('mattermost', services.mattermost, channels)
  const jarvis = await startJarvis({ channels, env: { JARVIS_EMBEDDINGS: 'none' } })
  const ask = async <T>(method: string, path: string, json: unknown) =>
    (await (await jarvis.rest(`/api/channels/mattermost${path}`, { method, json })).json()) as T

  const wrong = await jarvis.rest('/api/channels/mattermost', {
    method: 'PUT',
    json: { settings: { HOOK_URL: 'chat.lan' } },
  })
  expect(wrong.status).toBe(400)
  expect(await ask<ChannelInfo>('PUT', '', { settings })).toMatchObject({
    name: 'Mattermost',
    state: 'on',
    atMost: 'none',
    settings: [{ name: 'HOOK_URL', isSecret: true, isSet: true }],
    recipients: [{ decides: 'none', hidesNames: true, talks: false }],
  })
  expect(await ask<ChannelDelivery>('POST', '/test', {})).toMatchObject({ kind: 'test' })
  await expect.poll(bodies).toEqual([JSON.stringify({ text: 'This is a test.\nJARVIS reaches you here.' })])
})
