import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry, ModelPreset, ModelsReply, ModelTestReply, Status } from 'protocol'
import { expect, test } from 'vitest'
import { readStartConfig } from '../src/config/settings-file.ts'
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
    facts: { 'openai/qwen3:14b': { tools: true } },
    isFixed: false,
    providers: [
      { provider: 'anthropic', kind: 'anthropic', source: 'none', model: 'claude-sonnet-5-5' },
      {
        provider: 'openai',
        kind: 'openai-chat',
        source: 'settings',
        model: 'qwen3:14b',
        baseUrl: server.url,
        keyEnd: 'wxyz',
      },
    ],
    fallbacks: [],
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
  // An address is shown and journalled, so secrets in it are refused.
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
  expect(readStartConfig({ JARVIS_DATA_DIR: dataDir }).model).toEqual({ provider: 'demo', kind: 'demo' })
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
  expect(next.model).toEqual({ provider: 'openai', kind: 'openai-chat', model: 'x', baseUrl: 'http://elsewhere/v1' })
})

test('another model of a configured provider, or the demo, is used at once; one that is not configured is refused', async () => {
  const { call } = await start({ ANTHROPIC_API_KEY: key })
  expect((await call('POST', '/use', { model: 'anthropic/claude-opus-9' })).body.inUse).toBe('anthropic/claude-opus-9')
  expect((await call('POST', '/use', { model: 'demo' })).body.inUse).toBe('demo')
  expect((await call('POST', '/use', { model: 'openai/gpt' })).status).toBe(400)
  expect((await call('GET', '')).body.inUse).toBe('demo')
})

const body = (baseUrl: string, more: object = {}) => ({ kind: 'openai-chat', baseUrl, models: ['qwen3:14b'], ...more })

test('providers by name stand beside each other: tried, saved, used, removed, with keys that stay here', async () => {
  const { server, dataDir, jarvis, call, ask } = await start()
  const other = await startModelServer({ key: 'sk-other-987654321', model: 'big', says: 'I am the big one.' })
  const headers = { 'x-team': 'the-secret-team' }
  const given = { kind: 'openai-chat', model: 'qwen3:14b', baseUrl: server.url, apiKey: key, headers }
  expect((await call('POST', '/gpu/test', given)).body.verdict).toBe('works')
  expect((await call('POST', '/gpu/test', { ...given, kind: undefined })).text).toContain('so kind is needed')
  const saved = await call(
    'PUT',
    '/gpu',
    body(server.url, { apiKey: key, headers, models: ['qwen3:14b', 'qwen3:32b'] }),
  )
  await call('PUT', '/work', body(other.url, { apiKey: 'sk-other-987654321', models: ['big'] }))
  // Nothing else was configured or chosen.
  expect(saved.body.inUse).toBe('gpu/qwen3:14b')
  expect((await call('GET', '')).body.providers.slice(2)).toEqual([
    {
      provider: 'gpu',
      kind: 'openai-chat',
      source: 'settings',
      model: 'qwen3:14b',
      baseUrl: server.url,
      models: ['qwen3:14b', 'qwen3:32b'],
      keyEnd: 'wxyz',
      headers: ['x-team'],
    },
    {
      provider: 'work',
      kind: 'openai-chat',
      source: 'settings',
      model: 'big',
      baseUrl: other.url,
      models: ['big'],
      keyEnd: '4321',
    },
  ])
  const { models } = (await (await jarvis.rest('/api/status')).json()) as Status
  expect(models).toEqual(expect.arrayContaining(['gpu/qwen3:14b', 'gpu/qwen3:32b', 'work/big']))
  await call('POST', '/use', { model: 'work/big' })
  expect(await ask('Who are you?')).toBe('I am the big one.')
  await call('POST', '/use', { model: 'gpu/qwen3:14b' })
  expect(await ask('And you?')).toBe('I am the other one, and know [redacted].')
  expect(server.asked.at(-1)).toMatchObject({ path: '/chat/completions', headers })

  expect(statSync(join(dataDir, 'models.json')).mode & 0o777).toBe(0o600)
  const next = readStartConfig({ JARVIS_DATA_DIR: dataDir })
  expect(next.model).toMatchObject({ provider: 'gpu', model: 'qwen3:14b', apiKey: key, headers })
  expect(next.secrets).toEqual(expect.arrayContaining([key, 'the-secret-team', 'sk-other-987654321']))
  const journal = await (await jarvis.rest('/api/journal?kind=setup')).text()
  expect(journal).toContain('provider_saved')
  for (const text of [journal, saved.text])
    for (const secret of [key, 'the-secret-team']) expect(text).not.toContain(secret)

  // Neither key nor headers go to another address, not even one of another provider.
  for (const [method, path, more] of [
    ['PUT', '/gpu', {}],
    ['PUT', '/gpu', { apiKey: 'sk-new-0123456789' }],
    ['POST', '/gpu/test', {}],
  ] as const) {
    const moved = method === 'PUT' ? body(other.url, more) : { baseUrl: other.url, model: 'big', ...more }
    expect((await call(method, path, moved)).status).toBe(400)
  }
  expect(new Set(other.asked.map((asked) => asked.key))).toEqual(new Set(['sk-other-987654321']))
  expect((await call('PUT', '/gpu', body(server.url))).body.providers[2]).toMatchObject({
    keyEnd: 'wxyz',
    headers: ['x-team'],
  })

  expect((await call('DELETE', '/gpu')).body).toMatchObject({
    inUse: 'work/big',
    providers: [{}, {}, { provider: 'work' }],
  })
  expect((await call('DELETE', '/gpu')).status).toBe(404)
  expect(readFileSync(join(dataDir, 'models.json'), 'utf8')).not.toContain(key)
})

test('a provider that cannot be is refused with what to do', async () => {
  const { server, call } = await start()
  for (const [name, more, fault] of [
    ['demo', {}, 'demo is the built-in model'],
    ['Mine', {}, 'small letters'],
    ['mine', { kind: 'gemini' }, 'kind'],
    ['mine', { models: [] }, 'models'],
    ['mine', { colour: 'red' }, 'colour'],
    ['mine', { headers: { authorization: 'x' } }, 'JARVIS sets the header authorization itself'],
    ['mine', { headers: { 'x-a': 'two\nlines' } }, 'must be one line'],
    ['mine', { baseUrl: 'https://NAME.openai.azure.com/openai/v1' }, 'Put your own NAME into the address.'],
    ['mine', { baseUrl: 'http://gpu/v1/responses' }, 'must end before /responses: http://gpu/v1'],
    ['mine', { apiKey: 'two words' }, 'the key alone'],
    ['anthropic', {}, 'kind'],
  ] as const) {
    const { status, text } = await call('PUT', `/${name}`, body(server.url, more))
    expect([name, more, status]).toEqual([name, more, 400])
    expect(text).toContain(fault)
  }
  expect((await call('GET', '')).body.providers).toHaveLength(2)
  const { presets } = (await call('GET', '/presets')).body as unknown as { presets: ModelPreset[] }
  expect(presets.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['claude', 'azure', 'bedrock', 'gemini', 'ollama']),
  )
})

test('an edited file counts at once, and one that cannot be used changes nothing and is named at a start', async () => {
  const { server, dataDir, jarvis, call } = await start()
  const path = join(dataDir, 'models.json')
  const ids = async () => ((await (await jarvis.rest('/api/status')).json()) as Status).models
  const provider = { name: 'gpu', kind: 'openai-chat', baseUrl: server.url, models: ['a', 'b'] }
  writeFileSync(path, JSON.stringify({ version: 1, providers: [provider] }))
  await expect.poll(ids, { timeout: 10_000 }).toEqual(expect.arrayContaining(['gpu/a', 'gpu/b']))
  await call('POST', '/use', { model: 'gpu/b' })
  writeFileSync(path, '{"version": 1, "providers": [{"name": "gpu"}]}')
  const begun = () => readStartConfig({ JARVIS_DATA_DIR: dataDir })
  // The demo is at home, where another provider's model may not be.
  const isLost = expect.stringMatching(
    /^JARVIS_MODEL is gpu\/b, and there is no provider gpu.* Until then the demo answers\.$/,
  )
  expect(begun()).toMatchObject({
    model: { kind: 'demo' },
    modelProblems: [expect.stringMatching(/models\.json: provider 1 is not used: kind/), isLost],
  })
  writeFileSync(path, '{')
  expect(begun()).toMatchObject({
    model: { kind: 'demo' },
    modelProblems: [expect.stringMatching(/models\.json cannot be read \(not JSON\)/), isLost],
  })
  expect((await call('PUT', '/other', body(server.url))).status).toBe(409)
  expect(await ids()).toEqual(expect.arrayContaining(['gpu/b']))
  writeFileSync(path, JSON.stringify({ version: 1 }))
  expect(begun()).toMatchObject({ model: { kind: 'demo' }, modelProblems: [isLost] })
  // A setting of the environment is the operator's own.
  expect(() => readStartConfig({ JARVIS_DATA_DIR: dataDir, JARVIS_MODEL: 'gpu/b' })).toThrow(/there is no provider gpu/)
})

test('a fault in the file costs the provider that has it, and a lost first one is not replaced by another', async () => {
  const { server, dataDir } = await start()
  const [good, other] = ['good', 'other'].map((name) => ({ name, ...body(server.url) }))
  const begin = (providers: unknown[]) => {
    writeFileSync(join(dataDir, 'models.json'), JSON.stringify({ version: 1, providers }))
    const { models, modelProblems } = readStartConfig({ JARVIS_DATA_DIR: dataDir })
    return [models.map(({ provider }) => provider), modelProblems.length]
  }
  expect(begin([good, { name: 'x' }, good, other])).toEqual([['good', 'other'], 2])
  expect(begin([{ name: 'x' }, good])).toEqual([['demo', 'good'], 1])
  const [many, problems] = begin(Array.from({ length: 51 }, (_, at) => ({ ...good, name: `p${at}` })))
  expect([many?.toString().split(',').length, problems]).toEqual([50, 1])
})

test('the 51st provider is refused before it is written', async () => {
  const { server, dataDir, call } = await start()
  const path = join(dataDir, 'models.json')
  const providers = Array.from({ length: 50 }, (_, at) => ({ name: `p${at}`, ...body(server.url) }))
  writeFileSync(path, JSON.stringify({ version: 1, providers }))
  const before = readFileSync(path, 'utf8')
  const { status, text } = await call('PUT', '/one-more', body(server.url))
  expect([status, text]).toEqual([400, expect.stringContaining('there may be 50 providers at most')])
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect((await call('GET', '')).body.providers).toHaveLength(52)
  expect((await call('DELETE', '/p3')).status).toBe(200)
  expect((await call('PUT', '/one-more', body(server.url))).status).toBe(200)
})

test('a test without an address asks the saved one', async () => {
  const { server, call } = await start()
  await call('PUT', '/openai', { model: 'qwen3:14b', baseUrl: server.url, apiKey: key })
  await call('PUT', '/gpu', body(server.url, { apiKey: key }))
  for (const name of ['openai', 'gpu']) {
    expect((await call('POST', `/${name}/test`, { model: 'qwen3:14b' })).body).toMatchObject({ verdict: 'works' })
    expect((await call('POST', `/${name}/test`, {})).body.models).toEqual(['qwen3:14b'])
  }
  const asked = server.asked.length
  expect((await call('POST', '/gpu/test', { model: 'qwen3:14b', apiKey: 'sk-other-0123456789' })).body.verdict).toBe(
    'key_refused',
  )
  expect(server.asked.length).toBeGreaterThan(asked)
  const refused = await call('POST', '/new/test', { model: 'm', kind: 'openai-chat', apiKey: key })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('baseUrl is needed')])
})
