import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from './support/fake-clock.ts'
import { createToken, firstCard } from './support/mcp-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { decide, openaiOf, post, readStream } from './support/v1.ts'
import { asks, noting, obedient } from './support/v1-model.ts'

const red = (line: string) => asks(`call note_down {"line":"${line}"}`)
const startAt = 1_800_000_000_000
async function start(options: Parameters<typeof startJarvis>[0] = {}) {
  const { tool, lines } = noting()
  const model = obedient()
  const jarvis = await startJarvis({ model, tools: [tool], ...options })
  return { jarvis, lines, model, token: createToken(jarvis) }
}
const cards = async (jarvis: TestJarvis) =>
  (
    (await (await jarvis.rest('/api/confirmations')).json()) as {
      items: { decision?: string; toolUseId: string; note?: string }[]
    }
  ).items
const read = async (response: Response) =>
  (await response.json()) as {
    choices: { message: { content: string } }[]
    jarvis: { sessionId: string; waiting?: object[]; error?: object }
  }
const words = async (response: Response) => (await read(response)).choices[0]?.message.content

/** Asks and reads by bytes, for headers that come before the end. */
async function open(jarvis: TestJarvis, token: string, body: object, headers: Record<string, string> = {}) {
  const request = httpRequest(`${jarvis.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  })
  request.on('error', () => {})
  request.end(JSON.stringify(body))
  let bytes = ''
  const wake: (() => void)[] = []
  const response = once(request, 'response').then(([incoming]) => {
    incoming.setEncoding('utf8')
    incoming.on('data', (text: string) => {
      bytes += text
      for (const run of wake.splice(0)) run()
    })
    incoming.on('error', () => {})
    return incoming as { statusCode: number; headers: Record<string, string> }
  })
  return {
    response,
    bytes: () => bytes,
    async has(pattern: RegExp) {
      await response
      while (!pattern.test(bytes)) await new Promise<void>((resolve) => wake.push(resolve))
    },
    leave: () => void request.destroy(),
  }
}

test('while a card waits, a stream has a comment every 10 s, and a whole answer its headers after 50 s and then a space', async () => {
  const clock = createFakeClock(startAt)
  const { jarvis, token } = await start({ clock, clusterStands: true })
  const streamed = await open(jarvis, token, { ...red('one'), stream: true })
  await streamed.has(/reasoning_content/)
  const whole = await open(jarvis, token, red('two'))
  await expect.poll(async () => (await cards(jarvis)).length).toBe(2)
  let hasHeaders = false
  void whole.response.then(() => {
    hasHeaders = true
  })
  await clock.advance(49_000)
  await streamed.has(/(: waiting\n\n){4}/)
  expect(hasHeaders).toBe(false)
  await clock.advance(31_000)
  await whole.has(/^ {5}$/)
  expect((await whole.response).statusCode).toBe(200)
  for (const { toolUseId } of await cards(jarvis))
    await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: true } })
  await Promise.all([streamed.has(/\[DONE\]/), whole.has(/}$/)])
  expect(readStream(streamed.bytes(), { wantsUsage: false })).toMatchObject({ finish: 'stop', comments: 8 })
  expect(JSON.parse(whole.bytes())).toMatchObject({ choices: [{ message: { content: 'It came to this: Written.' } }] })
})

test('after 240 s a whole answer says what waits; the same request, or the next one of the session, hears what came of it', async () => {
  const clock = createFakeClock(startAt)
  const { jarvis, lines, token } = await start({ clock, clusterStands: true, env: { JARVIS_V1_HOLD_SECONDS: '0' } })
  const headers = { 'jarvis-session': 'kitchen' }
  const first = await open(jarvis, token, red('late'), headers)
  await firstCard(jarvis)
  await clock.advance(240_000)
  await first.has(/}$/)
  const answer = JSON.parse(first.bytes()) as Awaited<ReturnType<typeof read>>
  expect(answer.choices[0]?.message.content).toContain('Nothing of this has run yet')
  expect(answer.jarvis.waiting).toMatchObject([{ toolUseId: expect.any(String), expiresAt: expect.any(Number) }])
  expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop' })
  const again = await post(jarvis, token, red('late'), { ...headers, 'jarvis-confirmation': 'pending' })
  expect((await read(again)).jarvis).toMatchObject({
    sessionId: answer.jarvis.sessionId,
    waiting: [{ toolUseId: expect.any(String) }],
  })
  expect((await cards(jarvis)).length).toBe(1)
  const next = post(jarvis, token, asks('I approve'), headers)
  const joined = post(jarvis, token, red('late'), headers)
  await expect.poll(async () => (await cards(jarvis)).map(({ decision }) => decision)).toEqual([undefined])
  await decide(jarvis, true)
  expect(await words(await joined)).toBe('It came to this: Written.')
  expect(await words(await next)).toBe('It came to this: Written.\n\nYou said: I approve')
  expect(lines).toEqual(['late'])
})

test('a token has five cards at a time, and what was denied is not asked again at once in any session', async () => {
  const { jarvis, lines, token } = await start()
  const six = [1, 2, 3, 4, 5, 6].map((n) => `call note_down {"line":"${n}"}`).join(' ')
  const headers = { 'jarvis-session': 'one' }
  const answer = post(jarvis, token, asks(six), headers)
  for (let decided = 0; decided < 5; decided += 1) await decide(jarvis, false)
  expect(await words(await answer)).toContain('5 calls of ops-laptop wait for the operator already')
  for (const session of [headers, {}])
    expect(await words(await post(jarvis, token, red('1'), session))).toContain('within the last 10 minutes')
  expect([(await cards(jarvis)).length, lines]).toEqual([5, []])
})

test('a program that leaves has 10 s to ask again; then its card is withdrawn, but not in a session', async () => {
  const clock = createFakeClock(startAt)
  const { jarvis, lines, token } = await start({ clock, clusterStands: true })
  const kept = await open(jarvis, token, { ...red('kept'), stream: true }, { 'jarvis-session': 'one' })
  await kept.has(/reasoning_content/)
  const joined = await open(jarvis, token, { ...red('joined'), stream: true })
  await joined.has(/reasoning_content/)
  const left = await open(jarvis, token, { ...red('left'), stream: true })
  await left.has(/reasoning_content/)
  const pending = async () => (await cards(jarvis)).filter(({ decision }) => decision === undefined).length
  for (const one of [kept, joined, left]) one.leave()
  const back = await open(jarvis, token, { ...red('joined'), stream: true })
  await back.has(/reasoning_content/)
  await expect
    .poll(async () => {
      await clock.advance(10_000)
      return pending()
    })
    .toBe(2)
  while ((await pending()) > 0) await decide(jarvis, true)
  await back.has(/DONE/)
  expect(readStream(back.bytes(), { wantsUsage: false }).text).toContain('Written.')
  await expect.poll(() => lines.toSorted()).toEqual(['joined', 'kept'])
})

test('a revoked token loses its streams and its cards, and a read-only one is offered reads alone', async () => {
  const { jarvis, model, token } = await start()
  const open_ = await open(jarvis, token, { ...red('one'), stream: true }, { 'jarvis-session': 'one' })
  await open_.has(/reasoning_content/)
  expect((await jarvis.rest('/api/tokens/ops-laptop', { method: 'DELETE' })).status).toBeLessThan(300)
  await expect
    .poll(async () => (await cards(jarvis)).map(({ decision, note }) => [decision, note]))
    .toEqual([['cancelled', 'Its token was revoked.']])
  expect((await post(jarvis, token, asks('Hello'))).status).toBe(401)
  const reader = createToken(jarvis, { name: 'reader', isReadOnly: true })
  expect(await words(await post(jarvis, reader, red('two')))).toContain('may only read')
  const offered = model.requests.at(-1)?.tools.map(({ name }) => name) ?? []
  expect([offered.includes('get_vms'), offered.includes('stop_vm'), offered.includes('note_down')]).toEqual([
    true,
    false,
    false,
  ])
})

test('a repeated request joins its run or gets its answer, and another one begins its own', async () => {
  const { jarvis, model, token } = await start()
  const key = { 'idempotency-key': 'k1' }
  const ask = async (text: string, headers: Record<string, string> = {}, by = token) => {
    const response = await post(jarvis, by, asks(text), headers)
    return response.ok ? (await read(response)).jarvis.sessionId : response.status
  }
  const keyed = await ask('Hello', key)
  const other = createToken(jarvis, { name: 'other' })
  expect(await ask('Hello', key)).toBe(keyed)
  expect(await ask('Bye', key)).toBe(422)
  expect(await ask('Hello', key, other)).not.toBe(keyed)
  const plain = await ask('Hello')
  expect(plain).not.toBe(keyed)
  // Its answer was delivered, so it is a new question, unless the SDK says that it is the same.
  await expect.poll(() => ask('Hello', { 'x-stainless-retry-count': '1' })).toBe(plain)
  expect(await ask('Hello')).not.toBe(plain)
  expect(model.requests.length).toBe(4)
  // Open WebUI's titles come unstreamed under the id of the chat.
  const chat = { 'x-openwebui-chat-id': 'c1' }
  const streamed = await post(jarvis, token, { ...asks('One'), stream: true }, chat)
  const id = streamed.headers.get('jarvis-session') ?? ''
  expect(readStream(await streamed.text(), { wantsUsage: false }).text).toBe('You said: One')
  expect(await ask('Title?', chat)).not.toBe(id)
  expect(await ask('Two', { 'jarvis-session': 'c1' })).toBe(id)
  expect(await ask('Three', { 'jarvis-session': id })).toBe(id)
  expect(await ask('Three', { 'jarvis-session': id }, other)).toBe(404)
  expect(model.requests.at(-1)?.messages.map((message) => message.role === 'user' && message.text)).toEqual([
    'One',
    false,
    'Two',
    false,
    'Three',
  ])
})

test('fifty programs at once get their own answers, and one that does not read holds up none', async () => {
  const { jarvis, token } = await start()
  const long = Array.from({ length: 6_000 }, (_, at) => `word${at} `).join('')
  const slow = httpRequest(`${jarvis.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  slow.end(JSON.stringify({ ...asks(long), stream: true }))
  const [unread] = (await once(slow, 'response')) as [AsyncIterable<Buffer>]
  const texts = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const response = await post(jarvis, token, { ...asks(`Number ${n}`), stream: n % 2 === 0 })
      if (n % 2 === 1) return words(response)
      return readStream(await response.text(), { wantsUsage: false }).text
    }),
  )
  expect(texts).toEqual(texts.map((_, n) => `You said: Number ${n}`))
  const chunks: Buffer[] = []
  for await (const chunk of unread) chunks.push(chunk)
  expect(readStream(Buffer.concat(chunks).toString(), { wantsUsage: false }).text).toBe(`You said: ${long}`)
})

test('a failed run is an error before the headers, in the stream and in words after them, and is not joined', async () => {
  const { ModelError } = await import('../src/agent/model.ts')
  const jarvis = await startJarvis({
    model: {
      id: 'scripted/model',
      generate: () => Promise.reject(new ModelError('model_quota', 'The account is empty.', { isRetryable: false })),
    },
  })
  const token = createToken(jarvis)
  const whole = await post(jarvis, token, asks('Hello'))
  const error = { type: 'rate_limit_error', code: 'model_quota', message: 'The account is empty.', param: null }
  expect([whole.status, whole.headers.get('x-should-retry'), await whole.json()]).toEqual([429, 'false', { error }])
  const streamed = await (await post(jarvis, token, { ...asks('Hello'), stream: true })).text()
  expect(streamed.split('\n\n').slice(-3)).toEqual(
    [`data: ${JSON.stringify({ error })}`, 'data: [DONE]', ''].map((line) =>
      line.includes('error') ? expect.stringContaining('"code":"model_quota"') : line,
    ),
  )
  const failing = openaiOf(jarvis, { name: 'openai' }).chat.completions.create({ ...asks('Hello'), stream: true })
  await expect(
    (async () => {
      for await (const _ of await failing);
    })(),
  ).rejects.toMatchObject({ code: 'model_quota' })
})

test('sessions of single requests go after 30 days; those that a program named or went on in stay', async () => {
  let days = 0
  const { jarvis, token } = await start({ clock: { ...systemClock, now: () => Date.now() + days * 86_400_000 } })
  const sessionOf = async (text: string, headers: Record<string, string> = {}) =>
    (await read(await post(jarvis, token, asks(text), headers))).jarvis.sessionId
  const single = await sessionOf('One')
  const goneOn = await sessionOf('Two')
  await sessionOf('And more', { 'jarvis-session': goneOn })
  const named = await sessionOf('Three', { 'jarvis-session': 'kitchen' })
  // Beside the server, for its operator's sign-in is over by then.
  const sql = new Sqlite(join(jarvis.dataDir, 'jarvis.db'), { readonly: true })
  onTestFinished(() => void sql.close())
  const there = () => new Set(sql.prepare<[], string>('SELECT id FROM sessions').pluck().all())
  days = 29
  const later = await sessionOf('Four')
  days = 31
  const last = await sessionOf('Five')
  await expect.poll(() => there().has(single)).toBe(false)
  expect([goneOn, named, later, last].filter((id) => !there().has(id))).toEqual([])
})
