import type { Entry } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { Model } from '../src/agent/model.ts'
import { anthropicModel, openAiCompatibleModel, openAiResponsesModel } from '../src/providers/index.ts'
import { modelServer, type Play, refuses, streams } from './contracts/model-server.ts'
import { attachedDir, connected, odd, setTier, tool } from './support/attached.ts'
import { attach, onePixel, pngOf } from './support/pictures.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const event = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const anthropic = (block: object, delta: object, stop_reason: string) =>
  streams([
    event({ type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } }),
    event({ type: 'content_block_start', index: 0, content_block: block }),
    event({ type: 'content_block_delta', index: 0, delta }),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 2 } }),
    event({ type: 'message_stop' }),
  ])
const answers: Record<string, Play> = {
  anthropic: anthropic({ type: 'text', text: '' }, { type: 'text_delta', text: 'Seen.' }, 'end_turn'),
  chat: streams([
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Seen.' }, finish_reason: 'stop' }] })}\n\n`,
    'data: [DONE]\n\n',
  ]),
  responses: streams(
    [
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm', content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Seen.' },
      { type: 'response.completed', response: { status: 'completed', output: [], usage: {} } },
    ].map(event),
  ),
}
const makers: Record<string, (baseUrl: string) => Model> = {
  anthropic: (baseUrl) => anthropicModel({ name: 'lab', baseUrl, model: 'claude-test', maxTokens: 1_000 }),
  chat: (baseUrl) => openAiCompatibleModel({ name: 'lab', baseUrl, model: 'mystery' }),
  responses: (baseUrl) => openAiResponsesModel({ name: 'lab', baseUrl, model: 'mystery' }),
}

/** A server that refuses each request with one of these pictures. */
async function strictServer(kind: keyof typeof makers, bad: readonly Buffer[], status: number, said: unknown) {
  const server = await modelServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  for (let i = 0; i < 12; i += 1)
    server.plays.push((response, asked) => {
      const isBad = bad.some((data) => JSON.stringify(asked.body).includes(data.toString('base64')))
      const play = isBad ? refuses(status, JSON.stringify(said)) : answers[kind]
      play?.(response, asked)
    })
  return { ...server, model: () => makers[kind]?.(server.url) ?? scripted() }
}

const claude = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })
const openAi = (message: string, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
})
const google = (message: string) => [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]
const wordings: readonly (readonly [kind: keyof typeof makers, status: number, said: unknown])[] = [
  [
    'anthropic',
    400,
    claude('messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 64 bytes > 32 bytes'),
  ],
  [
    'anthropic',
    400,
    claude(
      'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    ),
  ],
  ['anthropic', 400, claude('Could not process image')],
  [
    'anthropic',
    400,
    claude(
      'messages.0.content.0.image.source.base64: The image was specified using the image/png media type, but the image appears to be a image/jpeg image',
    ),
  ],
  [
    'chat',
    400,
    openAi(
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      'invalid_image_format',
    ),
  ],
  ['chat', 400, openAi('Invalid base64 image_url.')],
  [
    'chat',
    400,
    google(
      'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    ),
  ],
  ['chat', 500, { error: { code: 500, message: 'Failed to load image or audio file', type: 'server_error' } }],
  ['chat', 400, { error: 'cannot identify image file <_io.BytesIO object at 0x7f>' }],
  [
    'responses',
    400,
    openAi(
      'The image data you provided does not represent a valid image. Please check your input and try again.',
      'invalid_image',
    ),
  ],
]

test.each(wordings)(
  'a picture that a server refuses fails its message by name, and goes as words from then on: %s %i %j',
  async (kind, status, said) => {
    const bad = pngOf(3_000, 20, 200)
    const server = await strictServer(kind, [bad], status, said)
    const jarvis = await startJarvis({ model: server.model(), env: { JARVIS_TITLES: 'off' } })
    const operator = await jarvis.connect()
    const { id } = await attach(jarvis, 'wide.png', bad)
    const { sessionId } = await operator.ask('chat:send', { message: 'What is this?', attachments: [id] })
    const { error } = await operator.next('chat:error')
    expect(error).toContain('wide.png')
    expect(error).not.toMatch(/[{[]"/)
    expect(server.requests).toHaveLength(1)

    await operator.ask('chat:send', { sessionId, message: 'Then go on.' })
    await operator.next('chat:done')
    expect(server.requests).toHaveLength(2)
    await jarvis.stop()

    const again = await startJarvis({ dataDir: jarvis.dataDir, model: server.model(), env: { JARVIS_TITLES: 'off' } })
    const later = await again.connect()
    const good = await attach(again, 'small.png', Buffer.from(onePixel.png, 'base64'))
    await later.ask('chat:send', { sessionId, message: 'And this one?', attachments: [good.id] })
    await later.next('chat:done')
    expect(server.requests).toHaveLength(3)
    const sent = JSON.stringify(server.requests[2]?.body)
    expect(sent).toContain('wide.png')
    expect(sent).toContain('which your server refused')
    expect(sent).toContain(onePixel.png)
  },
)

test('a picture that another model saw is left out in the same turn, and a person is told', async () => {
  const bad = pngOf(20, 20, 200)
  const server = await strictServer('chat', [bad], 400, google('Unable to process input image.'))
  const lab = server.model()
  const jarvis = await startJarvis({ model: scripted(says('A cat.')), models: [lab], env: { JARVIS_TITLES: 'off' } })
  const operator = await jarvis.connect()
  const { id } = await attach(jarvis, 'cat.png', bad)
  const { sessionId } = await operator.ask('chat:send', { message: 'What is this?', attachments: [id] })
  await operator.next('chat:done')
  await operator.ask('chat:send', { sessionId, message: 'And now?', model: lab.id })
  const { message } = await operator.next('chat:notice')
  expect(message).toContain('One picture')
  await operator.next('chat:done')
  expect(server.requests).toHaveLength(2)
  await operator.ask('chat:send', { sessionId, message: 'And now?', model: lab.id })
  await operator.next('chat:done')
  expect(server.requests).toHaveLength(3)
})

test('a tool’s picture that a server refuses is left out, and the run goes on', async () => {
  const { dir } = attachedDir((planPath) => ({ odd: odd(planPath) }), { tools: [tool('pictures')] })
  const server = await strictServer(
    'anthropic',
    [Buffer.from(onePixel.png, 'base64')],
    400,
    claude('Could not process image'),
  )
  const call = { type: 'tool_use', id: 'toolu_1', name: 'odd__pictures', input: {} }
  server.plays.unshift(anthropic(call, { type: 'input_json_delta', partial_json: '{}' }, 'tool_use'))
  const jarvis = await startJarvis({ dataDir: dir, model: server.model(), env: { JARVIS_TITLES: 'off' } })
  await connected(jarvis, 'odd')
  await setTier(jarvis, 'odd__pictures', 'green')
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Who is at the door?' })
  await operator.next('chat:done')
  expect(server.requests).toHaveLength(3)
  expect(JSON.stringify(server.requests[2]?.body)).toContain('Your server refused a picture of this result')
  const { items } = (await (await jarvis.rest(`/api/sessions/${sessionId}/entries`)).json()) as { items: Entry[] }
  expect(items.find(({ type }) => type === 'picture_refused')).toMatchObject({
    text: expect.stringMatching(/^One picture: /),
  })
})
