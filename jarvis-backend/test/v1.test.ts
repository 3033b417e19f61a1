import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createToken, firstCard, type TokenOptions } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const clientOf = (jarvis: TestJarvis, options: TokenOptions = {}) =>
  new OpenAI({ apiKey: createToken(jarvis, options), baseURL: `${jarvis.url}/v1`, maxRetries: 0 })
const asks = (content: string) => ({ model: 'jarvis', messages: [{ role: 'user' as const, content }] })

test('a program asks, JARVIS calls its tools, and the answer has all tokens of the run', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['get_vms', {}]), says('Six.')) })
  const answer = await clientOf(jarvis).chat.completions.create(asks('How many VMs?'))
  expect(answer.choices).toMatchObject([{ message: { role: 'assistant', content: 'Six.' }, finish_reason: 'stop' }])
  expect(answer.choices[0]?.message).not.toHaveProperty('tool_calls')
  expect(answer.usage).toEqual({
    ...{ prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 },
    prompt_tokens_details: { cached_tokens: 6 },
  })
})

test('a red call is a card of the program; the stream shows it, stays open and goes on with the result', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 103 }]), says('Stopped.')) })
  const stream = await clientOf(jarvis).chat.completions.create({ ...asks('Stop 103.'), stream: true })
  const card = await firstCard(jarvis)
  expect(card).toMatchObject({ toolName: 'stop_vm', requestedBy: { kind: 'v1', token: 'ops-laptop' } })
  expect(card).not.toHaveProperty('isGrantable')
  await jarvis.rest(`/api/confirmations/${card.toolUseId}`, { method: 'POST', json: { confirmed: true } })
  let [text, thought] = ['', '']
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined
    text += delta?.content ?? ''
    thought += delta?.reasoning_content ?? ''
  }
  expect([text, thought]).toEqual(['Stopped.', expect.stringContaining('truenas')])
  expect(jarvis.guest(103)?.status).toBe('stopped')
})
