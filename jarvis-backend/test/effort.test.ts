import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { anthropicModel, openAiCompatibleModel } from '../src/providers/index.ts'
import { recorder, request } from './contracts/model.ts'
import { modelServer, refuses, streams } from './contracts/model-server.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('a session thinks as /effort or REST says, and otherwise as it is set', async () => {
  const model = scripted(says('1'), says('2'), says('3'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'One.' })
  await operator.next('chat:done')
  const say = async (message: string) => {
    await operator.ask('chat:send', { sessionId, message })
    expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
  }
  await say('/effort high')
  await say('/effort')
  await say('/effort enormous')
  await say('Two.')
  const patched = await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'PATCH', json: { effort: null } })
  expect(await patched.json()).not.toHaveProperty('effort')
  await say('Three.')
  expect(model.requests.map(({ effort }) => effort)).toEqual([undefined, 'high', undefined])
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(JSON.stringify(snapshot.entries)).toMatch(/effort high.*effort high.*Not understood/)
})

const claudeSays = [
  { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'Yes' } },
  { type: 'message_stop' },
].map((event) => `data: ${JSON.stringify(event)}\n\n`)
const never = new AbortController().signal

test('Claude thinks aloud as configured, and a model that may not think is asked again without', async () => {
  await using server = await modelServer()
  const refusal = JSON.stringify({
    error: { type: 'invalid_request_error', message: 'thinking: adaptive is not supported' },
  })
  const [configured] = readConfig({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }).models
  if (configured?.kind !== 'anthropic') throw new Error('not configured')
  server.plays.push(streams(claudeSays), refuses(400, refusal), streams(claudeSays), streams(claudeSays))
  const model = anthropicModel(configured)
  const sink = recorder()
  for (const effort of ['low', 'high', 'high'] as const) await model.generate(request({ effort }), sink, never)
  expect(sink.thoughts[0]).toBe('Hm')
  expect(server.requests.map(({ body }) => [body.thinking?.type, body.output_config?.effort, body.max_tokens])).toEqual(
    [
      ['adaptive', 'low', 6_144],
      ['adaptive', 'high', 20_480],
      [undefined, undefined, 4_096],
      [undefined, undefined, 4_096],
    ],
  )
})

test('OpenAI is told the effort, and a server that does not take it is not told again', async () => {
  await using server = await modelServer()
  const says = ['{"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}', '[DONE]'].map(
    (data) => `data: ${data}\n\n`,
  )
  const refusal = JSON.stringify({ error: { message: 'Unrecognized request argument supplied: reasoning_effort' } })
  server.plays.push(streams(says), refuses(400, refusal), streams(says), streams(says))
  const model = openAiCompatibleModel({ baseUrl: server.url, model: 'm', effort: 'medium' })
  for (const effort of [undefined, 'off', 'high'] as const) {
    await model.generate(request(effort === undefined ? {} : { effort }), recorder(), never)
  }
  expect(server.requests.map(({ body }) => body.reasoning_effort)).toEqual(['medium', 'none', undefined, undefined])
})

test('JARVIS_EFFORT counts for all models, or for one by its name', () => {
  const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', JARVIS_MODELS: 'openai/o3' }
  const effortsOf = (JARVIS_EFFORT: string) =>
    readConfig({ ...env, JARVIS_EFFORT }).models.map((model) => (model.kind === 'demo' ? 'demo' : model.effort))
  expect(effortsOf('')).toEqual(['medium', undefined, undefined])
  expect(effortsOf('off, openai/o3=high')).toEqual(['off', 'off', 'high'])
  expect(() => effortsOf('enormous')).toThrow(/JARVIS_EFFORT must be one of off, low, medium, high/)
})
