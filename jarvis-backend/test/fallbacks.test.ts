import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorReply } from 'protocol'
import { expect, test } from 'vitest'
import type { ModelConfig } from '../src/config/model.ts'
import { fallbackFault, mayFollow } from '../src/doctor/fallbacks.ts'
import { modelServer, type Play, refuses, streams, tears } from './contracts/model-server.ts'
import { createToken } from './support/api-tokens.ts'
import { folder } from './support/data-dir.ts'
import { startJarvis } from './support/start-jarvis.ts'

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const delta = (part: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: part, finish_reason }] })
const counts = (prompt_tokens: number) => event({ choices: [], usage: { prompt_tokens, completion_tokens: 10 } })
/** An answer over Chat Completions. */
const answers = (content: string, { finish = 'stop', prompt = 100_000 } = {}) =>
  streams([delta({ content }), delta({}, finish), counts(prompt), 'data: [DONE]\n\n'])
const error = (status: number, message: string, headers = {}) =>
  refuses(status, JSON.stringify({ error: { message } }), headers)

/** A server with three providers, of which `first` answers and the others follow. */
async function start(then = ['second/m', 'third/m'], titles = 'off') {
  const servers = [await modelServer(), await modelServer(), await modelServer()] as const
  const [first, second, third] = servers
  const dataDir = folder()
  const provider = (name: string, baseUrl: string) => ({ name, kind: 'openai-chat', baseUrl, models: ['m'] })
  const file = {
    version: 1,
    providers: [provider('first', first.url), provider('second', second.url), provider('third', third.url)],
    fallbacks: [{ model: 'first/m', then }],
  }
  writeFileSync(
    join(dataDir, 'prices.json'),
    JSON.stringify({ 'first/m': { input: 2, output: 0 }, 'second/m': { input: 1, output: 0 } }),
  )
  writeFileSync(join(dataDir, 'models.json'), JSON.stringify(file))
  const jarvis = await startJarvis({
    dataDir,
    fromFiles: true,
    env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: titles },
  })
  const screen = await jarvis.connect()
  const ask = async (message: string) => {
    const { sessionId } = await screen.ask('chat:send', { message })
    const end = await Promise.race([screen.next('chat:done'), screen.next('chat:error')])
    const { snapshot } = await screen.ask('chat:attach', { sessionId })
    const turns = snapshot.entries.flatMap((entry) => (entry.type === 'assistant' ? [entry] : []))
    return {
      end,
      turns,
      notices: screen.received.flatMap(({ event: name, payload }) => (name === 'chat:notice' ? [payload.message] : [])),
    }
  }
  return {
    first,
    second,
    third,
    dataDir,
    jarvis,
    ask,
    [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))),
  }
}

test.each<[why: string, plays: Play[], said: string]>([
  ['its key is refused', [error(401, 'No.')], 'The model refused access.'],
  ['its quota is used up', [error(402, 'No.')], "The model's quota is used up."],
  [
    'it still limits the rate after all attempts',
    Array.from({ length: 5 }, () => error(429, 'Slow down.', { 'retry-after-ms': '1' })),
    'The model limits the rate of requests.',
  ],
  [
    'it asks to be left alone for an hour',
    [error(503, 'Later.', { 'retry-after': '3600' })],
    'The model is overloaded.',
  ],
])('the next model answers where %s, and the answer is its own', async (_, plays, said) => {
  await using house = await start()
  house.first.plays.push(...plays)
  house.second.plays.push(answers('I am the second.'))
  const { end, turns, notices } = await house.ask('Who are you?')
  expect(notices.at(-1)).toBe(`${said} second/m answers in the place of first/m.`)
  expect(turns).toMatchObject([{ model: 'second/m', content: [{ text: 'I am the second.' }] }])
  // At the price of the one that answered.
  expect(end).toMatchObject({ costUsd: 0.1 })
  expect(house.first.requests).toHaveLength(plays.length)
})

test('the third answers where the second fails too, to the end of the answer; the next question begins with the first', async () => {
  await using house = await start()
  house.first.plays.push(error(401, 'No.'), answers('I am back.'))
  house.second.plays.push(error(401, 'No.'))
  const call = { index: 0, id: 'c', function: { name: 'get_cluster_status', arguments: '{}' } }
  house.third.plays.push(
    streams([delta({ reasoning_content: 'Look.', tool_calls: [call] }), delta({}, 'tool_calls'), 'data: [DONE]\n\n']),
    answers('All is well.'),
  )
  const { turns } = await house.ask('How is it?')
  expect(turns.map(({ model }) => model)).toEqual(['third/m', 'third/m'])
  expect([house.first, house.second].map(({ requests }) => requests.length)).toEqual([1, 1])
  expect((await house.ask('And now?')).turns.at(-1)).toMatchObject({ model: 'first/m' })
})

test('the next model answers where one said nothing twice, and words end a run in which all are silent', async () => {
  await using house = await start()
  house.first.plays.push(answers(' \n'), answers(''), answers(''), answers(''))
  house.second.plays.push(answers('I am the second.'), answers(''))
  house.third.plays.push(answers(''))
  const { turns, notices } = await house.ask('Who are you?')
  expect(turns.map(({ model, content }) => [model, content.length])).toEqual([
    ['first/m', 0],
    ['first/m', 0],
    ['second/m', 1],
  ])
  expect(notices.at(-1)).toBe('The model answered without a word. second/m answers in the place of first/m.')
  const silent = await house.ask('And now?')
  expect(silent.end).toMatchObject({ stopReason: 'unanswered' })
  expect(JSON.stringify(silent.turns.at(-1))).toContain('first/m and second/m and third/m ended their replies')
})

test.each<[why: string, plays: Play[], end: object]>([
  ['the request is refused', [error(400, 'Invalid schema.')], { code: 'model_bad_request' }],
  ['the model refuses to answer', [answers('No.', { finish: 'content_filter' })], { stopReason: 'refusal' }],
  ['something was said', [tears([delta({ content: 'Half an' })])], { code: 'model_stream_broken' }],
  ['the answer is cut by its limit', [answers('Half', { finish: 'length' })], { stopReason: 'max_tokens' }],
])('no other model answers where %s', async (_, plays, end) => {
  await using house = await start()
  house.first.plays.push(...plays)
  const found = await house.ask('Hello?')
  expect(found.end).toMatchObject(end)
  expect([house.second, house.third].map(({ requests }) => requests.length)).toEqual([0, 0])
})

const at = (provider: string, baseUrl?: string): ModelConfig => ({
  provider,
  kind: 'openai-chat',
  model: 'm',
  baseUrl,
})
const [home, ownName, cloud, other] = [
  at('home', 'http://10.0.4.9:11434/v1'),
  at('own', 'https://llm.example.org/v1'),
  at('cloud', 'https://api.openai.com/v1'),
  at('other', 'https://openrouter.ai/api/v1'),
]

test.each<[from: ModelConfig, to: ModelConfig, consented: string[], may: boolean]>([
  [home, at('gpu', 'http://gpu:8000/v1'), [], true],
  [home, cloud, [], false],
  [home, cloud, ['cloud/m'], true],
  [home, cloud, ['other/m'], false],
  // A name of one's own may lead home, so it is not taken for a cloud.
  [ownName, cloud, [], false],
  [ownName, home, [], true],
  [home, ownName, [], false],
  [cloud, other, [], true],
  [cloud, home, [], true],
  [at('openai'), other, [], true],
])('a conversation leaves home only with consent: %#', (from, to, consented, may) => {
  expect(mayFollow(from, to, consented)).toBe(may)
})

test.each([
  [[{ model: 'home/m', then: ['cloud/m'] }], 'would leave your network. Consent to cloud/m to allow it.'],
  [[{ model: 'home/m', then: ['cloud/m'], consented: ['other/m'] }], 'other/m is consented to, and does not follow'],
  [[{ model: 'home/m', then: ['nowhere/m'] }], 'nowhere/m is not configured. There are: home/m, cloud/m'],
  [[{ model: 'cloud/m', then: ['cloud/m'] }], 'cloud/m names one model twice'],
  [[1, 2].map(() => ({ model: 'cloud/m', then: ['home/m'] })), 'cloud/m is named twice'],
  [[{ model: 'home/m', then: ['cloud/m'], consented: ['cloud/m'] }], undefined],
])('fallbacks that cannot be are refused: %j', (fallbacks, fault) => {
  const found = fallbackFault(fallbacks, [home, cloud])
  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(fault)
})

test('a file cannot lead from home to elsewhere without consent, and over REST it is refused', async () => {
  await using house = await start(['cloud/m'])
  const cloudProvider = {
    kind: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    apiKey: 'sk-0123456789abcdef',
    models: ['m'],
  }
  expect((await house.jarvis.rest('/api/models/cloud', { method: 'PUT', json: cloudProvider })).status).toBe(200)
  house.first.plays.push(error(401, 'No.'))
  expect((await house.ask('Hello?')).end).toMatchObject({ code: 'model_auth' })
  const token = createToken(house.jarvis, { doors: ['api'] })
  const byProgram = async (model: string) => {
    const response = await fetch(`${house.jarvis.url}/api/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Hello?', model }),
    })
    return [response.status, await response.text()]
  }
  expect(await byProgram('cloud/m')).toEqual([400, expect.stringContaining('first/m may run at home, and cloud/m is')])
  expect(await byProgram('none/m')).toEqual([400, expect.stringContaining('There are: first/m')])
  const put = (more: object) =>
    house.jarvis.rest('/api/models/fallbacks', {
      method: 'PUT',
      json: { fallbacks: [{ model: 'first/m', then: ['cloud/m'], ...more }] },
    })
  expect((await put({})).status).toBe(400)
  expect(await (await put({ consented: ['cloud/m'] })).json()).toMatchObject({
    fallbacks: [{ model: 'first/m', then: ['cloud/m'], consented: ['cloud/m'] }],
  })
  // Consent was to that address.
  const moved = { ...cloudProvider, baseUrl: 'https://openrouter.ai/api/v1' }
  expect(await (await house.jarvis.rest('/api/models/cloud', { method: 'PUT', json: moved })).json()).toMatchObject({
    fallbacks: [{ model: 'first/m', then: ['cloud/m'] }],
  })
  house.first.plays.push(error(401, 'No.'))
  expect((await house.ask('Hello?')).end).toMatchObject({ code: 'model_auth' })
})

test('a server that cuts requests is named once, with what to do, and to the doctor', async () => {
  await using house = await start()
  house.first.plays.push(answers('Yes?', { prompt: 4_096 }), answers('Yes?', { prompt: 4_096 }))
  const { notices } = await house.ask('Hello?')
  expect(notices).toEqual([
    expect.stringMatching(/^first\/m says that it read 4,096 of about .*OLLAMA_CONTEXT_LENGTH=32768/),
  ])
  expect((await house.ask('And again?')).notices).toHaveLength(1)
  const { checks } = (await (await house.jarvis.rest('/api/doctor')).json()) as DoctorReply
  expect(checks.find(({ area }) => area === 'Context')).toMatchObject({
    health: 'warn',
    text: expect.stringContaining('first/m says that it read 4,096'),
  })
})

test('a title and the words of a fold fall back as answers do', async () => {
  await using house = await start(['second/m', 'third/m'], 'on')
  const { first, second, third, jarvis } = house
  const operator = await jarvis.connect()
  first.plays.push(answers('It is the fan.'), error(401, 'No.'))
  second.plays.push(error(401, 'No.'))
  third.plays.push(answers('Heat on pve'))
  const { sessionId } = await operator.ask('chat:send', { message: 'Why is pve hot?' })
  await operator.next('chat:done')
  expect(await operator.next('chat:title')).toMatchObject({ title: 'Heat on pve' })
  first.plays.push(answers('Still the fan.'), error(401, 'No.'))
  second.plays.push(answers('pve was hot because of its fan.'))
  for (const message of ['And now?', '/fold']) {
    await operator.ask('chat:send', { sessionId, message })
    await operator.next('chat:done')
  }
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.entries.find(({ type }) => type === 'compaction')).toMatchObject({
    model: 'second/m',
    text: 'pve was hot because of its fan.',
  })
  expect([first, second, third].map(({ plays }) => plays.length)).toEqual([0, 0, 0])
})
