import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ModelRequest } from '../src/agent/model.ts'
import { sentId } from '../src/providers/conversation.ts'
import { anthropicModel, openAiCompatibleModel } from '../src/providers/index.ts'
import { countingRequest } from '../src/providers/openai-api/counting.ts'

const request: ModelRequest = {
  system: 'Be brief.',
  tools: [{ name: 'get_vms', description: 'Lists.', inputSchema: { type: 'object' } }],
  mayCallTools: true,
  messages: [
    { role: 'user', results: [], text: 'Which VMs?' },
    {
      role: 'assistant',
      model: 'a/b',
      content: [{ type: 'tool_call', toolUseId: 'tu_1', toolName: 'get_vms', toolInput: {} }],
    },
    { role: 'user', results: [{ toolUseId: 'tu_1', toolName: 'get_vms', text: 'None.', isError: false }], text: '' },
  ],
}

test('Anthropic counts a request without answering it, and a refusal says why', async () => {
  const asked: { url: string | undefined; body: Record<string, unknown> }[] = []
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    incoming.on('end', () => {
      asked.push({ url: incoming.url, body: JSON.parse(body) })
      const isRefused = asked.length > 1
      response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isRefused ? { error: { type: 'authentication_error' } } : { input_tokens: 1_234 }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const model = anthropicModel({ baseUrl, apiKey: 'sk-test', model: 'claude-sonnet-5-5', maxTokens: 100 })
  expect(await model.count?.(request, new AbortController().signal)).toBe(1_234)
  expect(asked[0]?.url).toBe('/v1/messages/count_tokens')
  expect(Object.keys(asked[0]?.body ?? {}).sort()).toEqual(['messages', 'model', 'system', 'tools'])
  await expect(model.count?.(request, new AbortController().signal)).rejects.toMatchObject({ code: 'model_auth' })
})

test('OpenAI itself is asked in the form of its Responses API; other servers cannot count', () => {
  expect(openAiCompatibleModel({ model: 'gpt-5.2', apiKey: 'k' }).count).toBeDefined()
  expect(openAiCompatibleModel({ model: 'llama', baseUrl: 'http://127.0.0.1:1/v1' }).count).toBeUndefined()
  expect(countingRequest(request, 'gpt-5.2').input).toEqual([
    { role: 'user', content: 'Which VMs?' },
    { type: 'function_call', call_id: sentId('tu_1'), name: 'get_vms', arguments: '{}' },
    { type: 'function_call_output', call_id: sentId('tu_1'), output: 'None.' },
  ])
})
