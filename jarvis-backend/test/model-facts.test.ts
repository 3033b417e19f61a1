import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ModelsReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { askAboutModel, KeptFacts, listModels, servedFacts } from '../src/providers/index.ts'
import { folder } from './support/data-dir.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { signal } = new AbortController()
type Asked = { method: string; url: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }

/** A server whose answers are JSON by method and path; a chat is answered with "Hello.". */
async function serve(answer: (asked: Asked) => [status: number, body: unknown] | undefined) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }
    asked.push(one)
    const refused = one.method === 'POST' ? answer(one) : undefined
    if (one.url.endsWith('/chat/completions') && refused === undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const part = (value: object) => response.write(`data: ${JSON.stringify(value)}\n\n`)
      part({ choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }] })
      part({ choices: [], usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 } })
      response.end('data: [DONE]\n\n')
      return
    }
    const [status, body] = refused ?? answer(one) ?? [404, { detail: 'Not Found' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const openRouters = (supported: string[], more: object = {}) => ({
  id: 'm1',
  context_length: 50_000,
  architecture: { input_modalities: ['text'] },
  pricing: { prompt: '0.000001', completion: '0.000002' },
  supported_parameters: supported,
  ...more,
})

async function start(origin: string, dataDir = folder()) {
  const provider = { name: 'far', kind: 'openai-chat', baseUrl: `${origin}/v1`, models: ['m1'] }
  writeFileSync(join(dataDir, 'models.json'), JSON.stringify({ version: 1, providers: [provider] }))
  const env = { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off' }
  const jarvis = await startJarvis({ dataDir, fromFiles: true, env })
  return {
    jarvis,
    dataDir,
    async ask(message: string) {
      const screen = await jarvis.connect()
      await screen.ask('chat:send', { message })
      const done = await screen.next('chat:done')
      const notices = screen.received.flatMap(({ event, payload }) =>
        event === 'chat:notice' ? [payload.message] : [],
      )
      return { done, notices }
    },
    facts: async () => ((await (await jarvis.rest('/api/models')).json()) as ModelsReply).facts['far/m1'],
  }
}

test('a model without tools is sent none and the person is told; its price counts, and all is kept over a restart', async () => {
  const server = await serve(({ url }) =>
    url === '/v1/models' ? [200, { data: [openRouters(['temperature'])] }] : undefined,
  )
  const first = await start(server.origin)
  const { done, notices } = await first.ask('Is 105 up?')
  const chats = () => server.asked.filter(({ method }) => method === 'POST')
  expect(chats()).toHaveLength(1)
  expect(chats()[0]?.body).not.toHaveProperty('tools')
  expect(JSON.stringify(chats()[0]?.body.messages)).toContain('You have no tools in this conversation')
  expect(notices).toEqual([expect.stringContaining('far/m1 takes no tools, so it can only talk.')])
  expect(done).toMatchObject({ costUsd: 3 })
  const known = { tools: false, pictures: false, thinking: false, windowTokens: 50_000 }
  expect(await first.facts()).toMatchObject({ ...known, price: { input: 1, output: 2 } })

  await first.jarvis.stop()
  server.asked.length = 0
  const second = await start(server.origin, first.dataDir)
  await second.ask('And now?')
  expect(server.asked.map(({ method }) => method)).toEqual(['POST'])
  expect(server.asked[0]?.body).not.toHaveProperty('tools')
})

test('a model whose server refuses tools only talks from then on, which is said once, until its provider is saved again', async () => {
  const server = await serve(({ url, method, body }) => {
    if (method !== 'POST') return url === '/v1/models' ? [200, { data: [{ id: 'm1' }] }] : undefined
    return 'tools' in body ? [400, { error: { message: 'gemma3:4b does not support tools' } }] : undefined
  })
  const first = await start(server.origin)
  const { done, notices } = await first.ask('Is 105 up?')
  expect(done).toMatchObject({ stopReason: 'end_turn' })
  expect(notices).toEqual([
    expect.stringContaining('gemma3:4b does not support tools'),
    expect.stringContaining('takes no tools, so it can only talk'),
  ])
  expect(await first.facts()).toMatchObject({ tools: false })
  await first.jarvis.stop()
  server.asked.length = 0
  const second = await start(server.origin, first.dataDir)
  expect((await second.ask('And now?')).notices).toEqual([expect.stringContaining('takes no tools')])
  const chats = () => server.asked.filter(({ method }) => method === 'POST')
  expect(chats().map(({ body }) => 'tools' in body)).toEqual([false])
  const body = { kind: 'openai-chat', baseUrl: `${server.origin}/v1`, models: ['m1'] }
  expect((await second.jarvis.rest('/api/models/far', { method: 'PUT', json: body })).status).toBe(200)
  await second.ask('And then?')
  expect(chats().map(({ body }) => 'tools' in body)).toEqual([false, true, false])
})

test('a model whose server says nothing of it is sent tools, and what is not known is not shown as known', async () => {
  const server = await serve(({ url }) => (url === '/v1/models' ? [200, { data: [{ id: 'm1' }] }] : undefined))
  const { ask, facts } = await start(server.origin)
  const { notices } = await ask('Is 105 up?')
  const chat = server.asked.find(({ method }) => method === 'POST')
  expect(chat?.body).toMatchObject({ tools: expect.arrayContaining([expect.anything()]) })
  expect(notices).toEqual([])
  expect(await facts()).toEqual({})
})

test('Ollama is asked what a model can do, and how much it gives it now', async () => {
  const server = await serve(({ url, method, body }) => {
    if (url === '/v1/models') return [200, { data: [{ id: 'gemma3:4b', owned_by: 'library' }] }]
    if (url === '/api/ps') return [200, { models: [{ name: 'gemma3:4b', context_length: 8_192 }] }]
    if (url !== '/api/show' || method !== 'POST') return undefined
    return [
      200,
      { capabilities: ['completion', 'vision'], model_info: { 'gemma3.context_length': 131_072 }, asked: body },
    ]
  })
  const asked = { kind: 'openai-chat', baseUrl: `${server.origin}/v1`, model: 'gemma3:4b' } as const
  expect(await servedFacts(asked, signal)).toEqual({
    tools: false,
    pictures: true,
    thinking: false,
    windowTokens: 8_192,
  })
  expect(server.asked.find(({ url }) => url === '/api/show')?.body).toEqual({ model: 'gemma3:4b' })
})

test('LM Studio and llama.cpp are known by their own addresses, and no other server is sent anything but a GET', async () => {
  const studio = await serve(({ url }) =>
    url === '/api/v0/models'
      ? [200, { data: [{ id: 'm1', type: 'vlm', capabilities: ['tool_use'], loaded_context_length: 16_384 }] }]
      : undefined,
  )
  const asked = { kind: 'openai-chat', model: 'm1' } as const
  expect(await servedFacts({ ...asked, baseUrl: `${studio.origin}/v1` }, signal)).toEqual({
    tools: true,
    pictures: true,
    windowTokens: 16_384,
  })
  const llama = await serve(({ url }) =>
    url === '/props'
      ? [200, { default_generation_settings: { n_ctx: 4_096 }, modalities: { vision: true } }]
      : undefined,
  )
  expect(await servedFacts({ ...asked, baseUrl: `${llama.origin}/v1` }, signal)).toEqual({
    pictures: true,
    windowTokens: 4_096,
  })
  expect(new Set([...studio.asked, ...llama.asked].map(({ method }) => method))).toEqual(new Set(['GET']))
})

test('Claude’s models are listed from all pages', async () => {
  const pages: Record<string, object> = {
    '/v1/models?limit=1000': { data: [{ id: 'claude-a' }, { id: 'claude-b' }], has_more: true, last_id: 'claude-b' },
    '/v1/models?limit=1000&after_id=claude-b': { data: [{ id: 'claude-c' }], has_more: false, last_id: 'claude-c' },
  }
  const server = await serve(({ url }) =>
    pages[url] === undefined
      ? [404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-9' } }]
      : [200, pages[url]],
  )
  const claude = { provider: 'c', kind: 'anthropic', apiKey: 'sk-ant-x', baseUrl: server.origin } as const
  const models = ['claude-a', 'claude-b', 'claude-c']
  expect(await listModels(claude, { now: Date.now, signal })).toMatchObject({ verdict: 'unknown_model', models })
  expect(await askAboutModel({ ...claude, model: 'claude-9' }, signal)).toEqual({ kind: 'unknown_model', models })
  expect(server.asked[0]?.headers).toMatchObject({ 'x-api-key': 'sk-ant-x', 'anthropic-version': '2023-06-01' })
})

test('a list that says it has more without end is read to its end', async () => {
  const server = await serve(() => [200, { data: [{ id: 'a' }], has_more: true, last_id: 'a' }])
  const claude = { kind: 'anthropic', apiKey: 'x', baseUrl: server.origin, model: '' } as const
  expect(await askAboutModel(claude, signal)).toEqual({ kind: 'unknown_model', models: ['a'] })
  expect(server.asked.length).toBeLessThanOrEqual(20)
})

test('Google’s own list says more of the models that its OpenAI form lists', async () => {
  const server = await serve(({ url, headers }) => {
    if (url === '/v1beta/openai/models') return [200, { data: [{ id: 'models/gemini-3-pro' }] }]
    if (headers['x-goog-api-key'] !== 'AIza' || headers.authorization !== undefined) return [403, {}]
    const model = {
      name: 'models/gemini-3-pro',
      inputTokenLimit: 1_048_576,
      supportedGenerationMethods: ['generateContent'],
    }
    return url.includes('pageToken=2')
      ? [200, { models: [model] }]
      : [200, { models: [{ name: 'models/embed', supportedGenerationMethods: ['embedContent'] }], nextPageToken: '2' }]
  })
  const google = { kind: 'openai-chat', apiKey: 'AIza', baseUrl: `${server.origin}/v1beta/openai` } as const
  expect(await servedFacts({ ...google, model: 'gemini-3-pro' }, signal)).toMatchObject({ windowTokens: 1_048_576 })
  expect(await askAboutModel({ ...google, model: 'gemini-3-pro' }, signal)).toEqual({ kind: 'served' })
})

test.each<[string, number, unknown, string, RegExp]>([
  [
    'a firewall',
    403,
    { error: { code: '403', message: 'Access denied due to Virtual Network/Firewall rules.' } },
    'refused',
    /Firewall rules.*firewall/,
  ],
  [
    'a country',
    403,
    { error: { code: 'unsupported_country_region_territory', message: 'Country, region, or territory not supported' } },
    'refused',
    /Country, region.*countries/,
  ],
  [
    'an API that is switched off',
    403,
    [
      {
        error: {
          code: 403,
          message: 'Generative Language API has not been used in project 1 before or it is disabled.',
          status: 'PERMISSION_DENIED',
        },
      },
    ],
    'refused',
    /Switch it on there/,
  ],
  ['a wrong key', 401, { error: { message: 'Incorrect API key provided.' } }, 'key_refused', /refuses the key/],
  [
    'a wrong key in Google’s words',
    400,
    [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
    'key_refused',
    /refuses the key/,
  ],
  ['a bare 403', 403, {}, 'key_refused', /refuses the key/],
  ['a list that is not there', 404, { detail: 'Not Found' }, 'refused', /does not list its models/],
])('a refusal of the list by %s is read by its meaning', async (_, status, body, verdict, text) => {
  const server = await serve(() => [status, body])
  const asked = { provider: 'far', kind: 'openai-chat', apiKey: 'sk-secret', baseUrl: `${server.origin}/v1` } as const
  expect(await listModels(asked, { now: Date.now, signal })).toMatchObject({
    verdict,
    text: expect.stringMatching(text),
  })
})

test('a server that was away is asked again after ten minutes, and what it said once still counts', async () => {
  let list: object | undefined
  const server = await serve(({ url }) => (url === '/v1/models' && list ? [200, list] : undefined))
  const clock = createFakeClock(0)
  const kept = new Map<string, string>()
  const settings = {
    get: (key: string) => kept.get(key),
    set: (key: string, value: string) => void kept.set(key, value),
  }
  const facts = new KeptFacts({ settings, clock, changed: () => {} })
  const config = { provider: 'gpu', kind: 'openai-chat', baseUrl: `${server.origin}/v1`, model: 'm1' } as const
  const lists = () => server.asked.filter(({ url }) => url === '/v1/models').length
  await facts.learn(config)
  expect([facts.of(config), kept.size, lists()]).toEqual([{}, 0, 1])
  list = { data: [{ id: 'm1', max_model_len: 4_096 }] }
  await facts.learn(config)
  expect(lists()).toBe(1)
  await clock.advance(10 * 60_000)
  await facts.learn(config)
  await expect.poll(() => facts.of(config)).toEqual({ windowTokens: 4_096 })
  list = undefined
  await clock.advance(10 * 60_000)
  await facts.learn(config)
  await expect.poll(lists).toBe(3)
  expect(facts.of(config)).toEqual({ windowTokens: 4_096 })
})
