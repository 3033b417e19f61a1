import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateObject } from 'ai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createToken } from './support/mcp-client.ts'
import { calls, ends, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { openaiOf, post, readStream } from './support/v1.ts'

const Stopped = z.object({ stopped: z.array(z.number()) })
const messages = [{ role: 'user' as const, content: 'Which guests are stopped?' }]
const asked = { model: 'jarvis', messages }
const looks = calls('I look first.', ['get_vms', {}])
const right = says('{"stopped": [103]}')
const wrong = says('Only truenas is.')
const format = zodResponseFormat(Stopped, 'stopped')
const light = [
  { type: 'function' as const, function: { name: 'light', parameters: { type: 'object', properties: {} } } },
]
const named = { type: 'function' as const, function: { name: 'light' } }

test('an answer by a schema is its last turn alone, checked before anything of it is sent, by the real clients', async () => {
  const turns = [...Array(4)].flatMap(() => [looks, right])
  const model = { ...scripted(...turns, says('{"any": 1}'), wrong, wrong, wrong, says('[1]')), formats }
  const jarvis = await startJarvis({ model })
  const client = openaiOf(jarvis)
  const token = createToken(jarvis, { name: 'by-hand' })

  const whole = await client.chat.completions.parse({ ...asked, response_format: format })
  expect(whole.choices[0]?.message).toMatchObject({ content: '{"stopped": [103]}', parsed: { stopped: [103] } })
  expect(model.requests[0]).toMatchObject({
    format: { type: 'json_schema', name: 'stopped', isStrict: true, schema: { required: ['stopped'] } },
    system: expect.stringContaining('give one JSON object there'),
  })
  const stream = await post(jarvis, token, { ...asked, stream: true, response_format: format })
  expect(readStream(await stream.text(), { wantsUsage: false })).toMatchObject({
    text: '{"stopped": [103]}',
    finish: 'stop',
  })
  const response = await client.responses.parse({
    model: 'jarvis',
    input: messages[0]?.content as string,
    text: { format: zodTextFormat(Stopped, 'stopped') },
  })
  expect(response.output_parsed).toEqual({ stopped: [103] })
  expect([response.output.map(({ type }) => type), response.text?.format]).toMatchObject([
    ['message'],
    { type: 'json_schema', name: 'stopped' },
  ])
  const sdk = createOpenAICompatible({
    name: 'jarvis',
    baseURL: `${jarvis.url}/v1`,
    apiKey: token,
    supportsStructuredOutputs: true,
  })
  const { object } = await generateObject({
    model: sdk('jarvis'),
    schema: Stopped,
    prompt: 'Which are stopped?',
    maxRetries: 0,
  })
  expect(object).toEqual({ stopped: [103] })
  const plain = await client.chat.completions.create({
    ...asked,
    model: 'jarvis/plain',
    response_format: { type: 'json_object' },
  })
  expect([plain.choices[0]?.message.content, model.requests.at(-1)?.format]).toEqual([
    '{"any": 1}',
    { type: 'json_object' },
  ])

  // An answer outside the format is an error, and none of it was sent.
  const notMet = { status: 502, code: 'format_not_met' }
  await expect(client.chat.completions.create({ ...asked, response_format: format })).rejects.toMatchObject(notMet)
  const broken = await (await post(jarvis, token, { ...asked, stream: true, response_format: format })).text()
  expect(broken).toContain('"code":"format_not_met"')
  expect(broken).not.toContain('truenas')
  const failed = await client.responses
    .stream({ model: 'jarvis', input: 'Which?', text: { format: zodTextFormat(Stopped, 'stopped') } })
    .finalResponse()
    .catch((error: Error) => error)
  expect(JSON.stringify(failed instanceof Error ? failed.message : failed)).toContain('not in the format')
  await expect(
    client.chat.completions.create({ ...asked, model: 'jarvis/plain', response_format: { type: 'json_object' } }),
  ).rejects.toMatchObject({ ...notMet, message: expect.stringContaining('$ is array, not object.') })
  expect(jarvis.scriptIsDone()).toBe(true)
})

test('a tool that is asked for is called, or the answer fails; what was cut off says so', async () => {
  const call = calls(['light', { on: true }])
  const cut = ends({ content: [{ type: 'text', text: '{"stop' }], stopReason: 'max_tokens' })
  const model = { ...scripted(call, looks, call, wrong, wrong, cut), formats }
  const jarvis = await startJarvis({ model })
  const client = openaiOf(jarvis)
  const ask = (tool_choice: 'required' | typeof named) =>
    client.chat.completions.create({ ...asked, tools: light, tool_choice })
  const first = await ask(named)
  expect(first.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { content: null, tool_calls: [{ function: { name: 'light' } }] },
  })
  // JARVIS's own tools may run before it.
  expect((await ask('required')).choices[0]?.finish_reason).toBe('tool_calls')
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([{ name: 'light' }, 'any', 'any'])
  await expect(ask('required')).rejects.toMatchObject({ status: 502, code: 'tool_choice_not_met' })
  await expect(
    client.responses.create({
      model: 'jarvis',
      input: 'The light!',
      tool_choice: { type: 'function', name: 'light' },
      tools: [{ type: 'function', name: 'light', parameters: {}, strict: false }],
    }),
  ).rejects.toMatchObject({ code: 'tool_choice_not_met' })
  expect(model.requests.at(-1)?.toolChoice).toEqual({ name: 'light' })
  const long = await client.chat.completions.create({ ...asked, response_format: format })
  expect(long.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '{"stop' } })
})

const formats = ['json_object', 'json_schema'] as const
