import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createToken } from './support/mcp-client.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { decide } from './support/v1.ts'
import { asks, noting, obedient } from './support/v1-model.ts'

setTracingDisabled(true)

type Place = { baseURL: string; apiKey: string }
const lamp = { name: 'light', description: 'A lamp.', parameters: { type: 'object', properties: {} } }

/** Asks, and says what its client shows a person as the answer. */
type Ask = (place: Place, text: string) => Promise<string>

const openai = (place: Place) => new OpenAI({ ...place, maxRetries: 0 })
const aiModel = ({ baseURL, apiKey }: Place) =>
  createOpenAICompatible({ name: 'jarvis', baseURL, apiKey, includeUsage: true })('jarvis')

const clients: Record<string, Ask> = {
  'openai, in one piece': async (place, text) =>
    (await openai(place).chat.completions.create(asks(text))).choices[0]?.message.content ?? '',
  'openai, by iteration': async (place, text) => {
    let said = ''
    for await (const { choices } of await openai(place).chat.completions.create({ ...asks(text), stream: true }))
      said += choices[0]?.delta.content ?? ''
    return said
  },
  'openai, .stream()': async (place, text) =>
    (await openai(place).chat.completions.stream(asks(text)).finalContent()) ?? '',
  'openai, runTools': async (place, text) => {
    const light = { ...lamp, function: () => 'It is on.', parse: JSON.parse }
    const runner = openai(place).chat.completions.runTools({
      ...asks(text),
      tools: [{ type: 'function', function: light as never }],
    })
    return (await runner.finalContent()) ?? ''
  },
  'openai, runTools streamed': async (place, text) => {
    const light = { ...lamp, function: () => 'It is on.', parse: JSON.parse }
    const runner = openai(place).chat.completions.runTools({
      ...asks(text),
      stream: true,
      tools: [{ type: 'function', function: light as never }],
    })
    return (await runner.finalContent()) ?? ''
  },
  'ai, generateText': async (place, text) =>
    (await generateText({ model: aiModel(place), prompt: text, maxRetries: 0 })).text,
  'ai, streamText': async (place, text) => {
    let said = ''
    for await (const part of streamText({ model: aiModel(place), prompt: text, maxRetries: 0 }).fullStream) {
      if (part.type === 'text-delta') said += part.text
      if (part.type === 'error') throw part.error
    }
    return said
  },
  '@openai/agents': async (place, text) => {
    const agent = new Agent({ name: 'caller', model: new OpenAIChatCompletionsModel(openai(place) as never, 'jarvis') })
    return (await run(agent, text)).finalOutput ?? ''
  },
  '@openai/agents, streamed': async (place, text) => {
    const agent = new Agent({ name: 'caller', model: new OpenAIChatCompletionsModel(openai(place) as never, 'jarvis') })
    const result = await run(agent, text, { stream: true })
    await result.completed
    return result.finalOutput ?? ''
  },
}

test('every client hears the end of a green, an approved, a denied and a black call, and none of them can decide', async () => {
  const { tool: noteDown, lines } = noting()
  const jarvis = await startJarvis({ model: obedient(), tools: [noteDown] })
  for (const [name, ask] of Object.entries(clients)) {
    const place = {
      baseURL: `${jarvis.url}/v1`,
      apiKey: createToken(jarvis, { name: name.replace(/\W+/g, '-').replace(/^-/, '') }),
    }
    const says = async (text: string, words: string, meanwhile: Promise<void>[] = []) => {
      const [answer] = await Promise.all([ask(place, text), ...meanwhile])
      expect([name, text, answer]).toEqual([name, text, expect.stringContaining(words)])
    }
    await says('call get_cluster_status {}', 'It came to this')
    await says('call execute_ssh {"node":"pve","command":"df -h; reboot"}', 'Refused')
    const before = lines.length
    await says('call note_down {"line":"late"}', 'Written.', [decide(jarvis, true)])
    await says('call note_down {"line":"denied"}', 'The operator denied this', [decide(jarvis, false)])
    expect([name, lines.slice(before)]).toEqual([name, ['late']])
  }
})

test('a program’s own tools run in the program, beside JARVIS’s, by both SDKs that loop by themselves', async () => {
  const jarvis = await startJarvis({ model: obedient() })
  const place = { baseURL: `${jarvis.url}/v1`, apiKey: createToken(jarvis) }
  const text = 'call light {"on":true} call get_cluster_status {}'
  let switched = 0
  const light = () => {
    switched += 1
    return 'The lamp is on.'
  }
  const runner = openai(place).chat.completions.runTools({
    ...asks(text),
    tools: [{ type: 'function', function: { ...lamp, function: light, parse: JSON.parse } as never }],
  })
  expect(await runner.finalContent()).toBe('It came to this: The lamp is on.')
  const { text: said } = await generateText({
    model: aiModel(place),
    prompt: text,
    stopWhen: stepCountIs(3),
    tools: { light: tool({ description: 'A lamp.', inputSchema: z.object({ on: z.boolean() }), execute: light }) },
  })
  expect([said, switched]).toEqual(['It came to this: The lamp is on.', 2])
})
