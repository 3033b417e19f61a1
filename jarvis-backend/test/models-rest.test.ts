import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStartConfig } from '../src/config/settings-file.ts'
import type { JournalEntry, ModelsReply, ModelTestReply, Status } from '../src/protocol/index.ts'
import { folder } from './support/data-dir.ts'
import { startModelServer } from './support/model-server.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const key = 'sk-test-0123456789-wxyz'

async function start(env: Record<string, string> = {}) {
  const server = await startModelServer({ key, model: 'qwen3:14b', says: `I am the other one, and know ${key}.` })
  const dataDir = folder()
  const jarvis = await startJarvis({
    dataDir,
    model: scripted(says('I am the first.')),
    env: { JARVIS_EMBEDDINGS: 'none', ...env },
  })
  const call = async (method: string, path: string, json?: unknown, role: 'operator' | 'viewer' = 'operator') => {
    const response = await jarvis.rest(`/api/models${path}`, { method, role, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text) as ModelsReply & ModelTestReply }
  }
  const ask = async (message: string) => {
    const screen = await jarvis.connect()
    await screen.ask('chat:send', { message })
    await screen.next('chat:done')
    return screen.received
      .filter(({ event }) => event === 'chat:token')
      .map(({ payload }) => payload.text)
      .join('')
  }
  return { server, dataDir, jarvis, call, ask }
}

test('a model is tried, saved, and answers the next message without a restart', async () => {
  const { server, dataDir, jarvis, call, ask } = await start()
  expect(await ask('Who are you?')).toBe('I am the first.')
  const given = { model: 'qwen3:14b', baseUrl: server.url, apiKey: key }
  const verdictOf = async (more: object) => (await call('POST', '/openai/test', { ...given, ...more })).body.verdict
  expect(await verdictOf({ apiKey: 'sk-wrong-0123456789' })).toBe('key_refused')
  expect(await verdictOf({ model: 'qwen9' })).toBe('unknown_model')
  expect((await call('POST', '/openai/test', { ...given, model: undefined })).body).toMatchObject({
    verdict: 'unknown_model',
    text: expect.stringContaining('has qwen3:14b. Name the one to ask.'),
    models: ['qwen3:14b'],
  })
  const bare = await call('POST', '/openai/test', {
    ...given,
    model: undefined,
    baseUrl: server.url.replace('/v1', ''),
  })
  expect(bare.body.text).toContain(`Did you mean ${server.url}?`)
  expect(await verdictOf({ baseUrl: 'http://127.0.0.1:1/v1' })).toBe('unreachable')
  expect(await verdictOf({ baseUrl: server.url.replace('/v1', '/v2') })).toBe('refused')
  expect((await call('POST', '/openai/test', given)).body).toMatchObject({
    verdict: 'works',
    text: 'qwen3:14b answers.',
    tookMs: expect.any(Number),
  })
  expect(existsSync(join(dataDir, 'settings.env'))).toBe(false)

  const saved = await call('PUT', '/openai', given)
  expect(saved.body).toEqual({
    inUse: 'openai/qwen3:14b',
    isFixed: false,
    providers: [
      { provider: 'anthropic', source: 'none', model: 'claude-sonnet-5-5' },
      { provider: 'openai', source: 'settings', model: 'qwen3:14b', baseUrl: server.url, keyEnd: 'wxyz' },
    ],
  })
  expect(await ask('And you?')).toBe('I am the other one, and know [redacted].')
  expect((await (await jarvis.rest('/api/status')).json()) as Status).toMatchObject({
    model: 'openai/qwen3:14b',
    isDemoModel: false,
  })
  expect(statSync(join(dataDir, 'settings.env')).mode & 0o777).toBe(0o600)
  expect(readStartConfig({ JARVIS_DATA_DIR: dataDir }).model).toMatchObject({ provider: 'openai', model: 'qwen3:14b' })

  const journal = (await (await jarvis.rest('/api/journal?kind=setup')).json()) as { items: JournalEntry[] }
  expect(journal.items.map(({ body }) => (body as { change: string }).change)).toEqual([
    'model_saved',
    ...Array.from({ length: 7 }, () => 'model_tested'),
  ])
  expect(JSON.stringify(journal) + saved.text).not.toContain(key)
})

test('a kept key goes to no other address, and is forgotten with its provider', async () => {
  const { server, dataDir, call } = await start()
  const thief = await startModelServer({ key, model: 'x', says: 'Thanks.' })
  await call('PUT', '/openai', { model: 'qwen3:14b', baseUrl: server.url, apiKey: key })
  for (const [method, path] of [
    ['POST', '/openai/test'],
    ['PUT', '/openai'],
  ] as const) {
    expect((await call(method, path, { model: 'x', baseUrl: thief.url })).status).toBe(400)
  }
  expect(thief.asked).toEqual([])
  expect((await call('POST', '/openai/test', { model: 'qwen3:14b', baseUrl: server.url })).body.verdict).toBe('works')
  // What stands in an address is shown and journalled.
  for (const [baseUrl, fault] of [
    ['http://me:pw@127.0.0.1/v1', 'must hold no name and no password'],
    ['http://127.0.0.1/v1?key=pw', 'must end before its ? or #'],
    ['localhost:11434/v1', 'must begin with http:// or https://, such as http://localhost:11434/v1.'],
    ['me:pw@host/v1', 'such as http://127.0.0.1:11434/v1.'],
    ['http://gpu/v1/chat/completions', 'must end before /chat/completions: http://gpu/v1'],
  ]) {
    const { status, text } = await call('PUT', '/openai', { model: 'x', baseUrl, apiKey: 'k' })
    expect(status).toBe(400)
    expect(text).toContain(fault)
  }
  expect((await call('DELETE', '/openai')).body).toMatchObject({ inUse: 'demo' })
  expect(readStartConfig({ JARVIS_DATA_DIR: dataDir }).model).toEqual({ provider: 'demo' })
})

test('what the environment says is not changed, and a viewer changes and sees nothing', async () => {
  const { server, dataDir, call } = await start({ OPENAI_API_KEY: key, JARVIS_MODEL: 'demo' })
  const body = { model: 'x', baseUrl: server.url, apiKey: 'another-key-0123' }
  expect((await call('PUT', '/openai', body)).status).toBe(409)
  expect((await call('PUT', '/anthropic', { model: 'x', apiKey: 'another-key-0123' })).status).toBe(409)
  expect((await call('POST', '/use', { model: 'openai/x' })).status).toBe(409)
  expect((await call('DELETE', '/openai')).status).toBe(409)
  expect((await call('GET', '')).body).toMatchObject({
    inUse: 'demo',
    isFixed: true,
    providers: [{ source: 'none' }, { source: 'environment', keyEnd: 'wxyz' }],
  })
  expect(existsSync(join(dataDir, 'settings.env'))).toBe(false)
  expect((await call('GET', '', undefined, 'viewer')).status).toBe(403)
  // One of the two in the environment, and no saved one counts: its key stays with its address.
  const { call: other, dataDir: dir } = await start()
  await other('PUT', '/openai', body)
  const next = readStartConfig({ JARVIS_DATA_DIR: dir, OPENAI_BASE_URL: 'http://elsewhere/v1' })
  expect(next.model).toEqual({ provider: 'openai', model: 'x', baseUrl: 'http://elsewhere/v1' })
})

test('another model of a configured provider, or the demo, is used at once; one that is not configured is refused', async () => {
  const { call } = await start({ ANTHROPIC_API_KEY: key })
  expect((await call('POST', '/use', { model: 'anthropic/claude-opus-9' })).body.inUse).toBe('anthropic/claude-opus-9')
  expect((await call('POST', '/use', { model: 'demo' })).body.inUse).toBe('demo')
  expect((await call('POST', '/use', { model: 'openai/gpt' })).status).toBe(400)
  expect((await call('GET', '')).body.inUse).toBe('demo')
})
