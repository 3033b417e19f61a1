import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { modelServer, type Play, refuses, streams } from './contracts/model-server.ts'
import { createToken } from './support/api-tokens.ts'
import { folder } from './support/data-dir.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { post } from './support/v1.ts'

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const answers = (content: string, promptTokens = 12_000) =>
  streams([
    event({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] }),
    event({ choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: 10 } }),
    'data: [DONE]\n\n',
  ])
const says = (status: number, body: unknown, headers = {}): Play => refuses(status, JSON.stringify(body), headers)

/** JARVIS with the providers `first` and, where `then` names it, `second`. */
async function start(then: string[] = []) {
  const servers = [await modelServer(), await modelServer()] as const
  const dataDir = folder()
  const provider = (name: string, baseUrl: string) => ({ name, kind: 'openai-chat', baseUrl, models: ['m'] })
  writeFileSync(
    join(dataDir, 'models.json'),
    JSON.stringify({
      version: 1,
      providers: [provider('first', servers[0].url), provider('second', servers[1].url)],
      fallbacks: then.length === 0 ? [] : [{ model: 'first/m', then }],
    }),
  )
  const env = { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off' }
  const jarvis = await startJarvis({ dataDir, fromFiles: true, env })
  let sessionId: string | undefined
  const notices: unknown[] = []
  return {
    first: servers[0],
    second: servers[1],
    jarvis,
    notices,
    async ask(message: string) {
      // A screen of its own, because a race leaves one of two waits open.
      const screen = await jarvis.connect()
      const sent = await screen.ask('chat:send', { message, ...(sessionId !== undefined && { sessionId }) })
      sessionId = sent.sessionId
      const end = (await Promise.race([screen.next('chat:done'), screen.next('chat:error')])) as {
        error?: string
        code?: string
      }
      notices.push(
        ...screen.received.flatMap(({ event: name, payload }) => (name === 'chat:notice' ? [payload.message] : [])),
      )
      const { snapshot } = await screen.ask('chat:attach', { sessionId })
      return { end, entries: snapshot.entries }
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))),
  }
}

const affords = (tokens: number) =>
  says(402, {
    error: {
      code: 402,
      message: `This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford ${tokens}. To increase, visit https://openrouter.ai/settings/credits`,
    },
  })

test('a credit that pays for a shorter answer is asked for that once, and the person is told', async () => {
  await using house = await start()
  house.first.plays.push(affords(3_919), answers('Short.'), answers('Whole again.'))
  const { entries } = await house.ask('Who are you?')
  expect(entries.at(-2)).toMatchObject({ content: [{ text: 'Short.' }] })
  expect(house.first.requests.map(({ body }) => body.max_tokens ?? body.max_completion_tokens)).toEqual([
    undefined,
    3_919,
  ])
  expect(house.notices).toEqual(['The credit pays for an answer of 3,919 tokens: asking for that many.'])
  await house.ask('And now?')

  // A second refusal, and an answer that is too short to be worth it, end the run.
  house.first.plays.push(affords(3_000), affords(2_000), affords(540))
  expect((await house.ask('More?')).end).toMatchObject({
    code: 'model_quota',
    error: expect.stringContaining('can only afford 2000'),
  })
  expect((await house.ask('More?')).end).toMatchObject({ error: expect.stringContaining('can only afford 540') })
  expect(house.first.requests).toHaveLength(6)
})

const perMinute: Play = says(
  413,
  {
    error: {
      message:
        'Request too large for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 15041, please reduce your message size and try again.',
      type: 'tokens',
      code: 'rate_limit_exceeded',
    },
  },
  { 'retry-after': '1' },
)

test('a request that no minute of the plan can hold is not sent again: the next model answers, or the sentence says why', async () => {
  {
    await using house = await start(['second/m'])
    house.first.plays.push(perMinute)
    house.second.plays.push(answers('I am the second.'))
    expect((await house.ask('Who are you?')).entries.at(-2)).toMatchObject({ content: [{ text: 'I am the second.' }] })
    expect(house.first.requests).toHaveLength(1)
  }
  await using house = await start()
  house.first.plays.push(perMinute)
  const { end } = await house.ask('Who are you?')
  expect(end.error).toMatch(
    /Limit 8000.* The plan takes 8,000 tokens, and JARVIS's instructions and tools alone are about [\d,]{5,7}\. Use an agent with fewer tools/,
  )
  expect(house.first.requests).toHaveLength(1)
})

const long = 'The answer is long. '.repeat(200)

test.each([
  [
    'Google, as a list',
    says(400, [
      {
        error: {
          code: 400,
          message: 'The input token count (119626) exceeds the maximum number of tokens allowed (32000).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ]),
  ],
  [
    'a proxy, with a page',
    refuses(413, '<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>'),
  ],
  ['nobody, without a word', refuses(413, '')],
  [
    'xAI, as a sentence',
    says(400, {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 31072 but the request contains 537812 tokens.",
    }),
  ],
])('a conversation that is too long is folded once: %s', async (_, refused) => {
  await using house = await start()
  house.first.plays.push(
    answers(long),
    answers(long),
    answers(long),
    refused,
    answers('A summary.'),
    answers('Folded well.'),
  )
  for (const message of ['One?', 'Two?', 'Three?']) await house.ask(message)
  const { entries } = await house.ask('Four?')
  expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1)
  expect(entries.at(-2)).toMatchObject({ content: [{ text: 'Folded well.' }] })
})

test('a 400 without a word is taken for a conversation that is too long where it is near the window, else it is told', async () => {
  {
    await using house = await start()
    house.first.plays.push(refuses(400, ''))
    const { entries, end } = await house.ask('Hello?')
    expect(entries.filter(({ type }) => type === 'compaction')).toEqual([])
    expect(end.error).toContain('refused the request (HTTP 400)')
  }
  await using house = await start()
  house.first.plays.push(...[long, long, long].map((text) => answers(text, 18_000)))
  house.first.plays.push(refuses(400, ''), answers('A summary.'), answers('Folded well.'))
  for (const message of ['One?', 'Two?', 'Three?']) await house.ask(message)
  const { entries } = await house.ask('Four?')
  expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1)
  expect(entries.at(-2)).toMatchObject({ content: [{ text: 'Folded well.' }] })
})

test('where folding does not help, the sentence says how much the model reads', async () => {
  await using house = await start()
  const refused = says(400, {
    error: {
      message: "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
    },
  })
  house.first.plays.push(refused)
  const { end } = await house.ask('One?')
  expect(end.error).toContain('first/m reads about 4,096 tokens at once, as far as is known.')
})

test('a throttle that speaks of tokens is waited for, and nothing is folded', async () => {
  await using house = await start()
  const throttle = says(
    400,
    { error: { message: 'Too many tokens, please wait before trying again.', type: 'throttling_exception' } },
    { 'retry-after-ms': '1' },
  )
  house.first.plays.push(answers(long), answers(long), throttle, answers('Here I am.'))
  for (const message of ['One?', 'Two?']) await house.ask(message)
  const { entries } = await house.ask('Three?')
  expect(entries.filter(({ type }) => type === 'compaction')).toEqual([])
  expect(entries.at(-2)).toMatchObject({ content: [{ text: 'Here I am.' }] })
})

test('a program gets the 400 of its own request as one, and not as a gateway’s', async () => {
  await using house = await start()
  house.first.plays.push(says(400, { error: { message: 'Invalid schema for the answer.' } }))
  const token = createToken(house.jarvis)
  const answer = await post(house.jarvis, token, { model: 'jarvis', messages: [{ role: 'user', content: 'Hello' }] })
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    {
      error: {
        type: 'invalid_request_error',
        code: 'model_bad_request',
        message: expect.stringContaining('Invalid schema'),
      },
    },
  ])
})

test.each([
  ['no object', says(500, { error: { detail: { deep: [1, 2] } } })],
  ['no list', says(400, [{ error: { code: 400, message: 'Nothing of it.', status: 'INVALID_ARGUMENT' } }])],
  [
    'no page',
    refuses(
      403,
      '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry</h1></body></html>',
    ),
  ],
  ['no fields', says(422, { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] })],
  ['no JSON in JSON', says(404, { error: { message: '{"error":{"message":"Nothing here."}}' } })],
])('the person is shown %s', async (_, refused) => {
  await using house = await start()
  house.first.plays.push(
    ...Array.from({ length: 5 }, () => (response: Parameters<Play>[0], request: Parameters<Play>[1]) => {
      response.setHeader('retry-after-ms', '1')
      refused(response, request)
    }),
  )
  const { end } = await house.ask('Hello?')
  expect(end.error).toBeDefined()
  expect(end.error).not.toMatch(/\[object|[{}<>]|\[|undefined/)
})
