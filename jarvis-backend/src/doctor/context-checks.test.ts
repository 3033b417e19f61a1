import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { contextChecks } from './context-checks.ts'

/** Something that answers these paths, and 404 to all else. */
async function serve(answers: Record<string, unknown>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: 'not found' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const loaded = (context_length: number) => ({ models: [{ name: 'qwen3:latest', context_length }] })

test.each<[why: string, answers: Record<string, unknown>, health: string | undefined, text: string]>([
  ['a small window', { '/api/ps': loaded(4_096) }, 'warn', 'gives gpu/qwen3 4,096 tokens at once, and drops the rest'],
  ['a large one', { '/api/ps': loaded(32_768) }, 'ok', 'gives gpu/qwen3 32,768 tokens at once.'],
  [
    'one of its own file',
    { '/api/ps': { models: [] }, '/api/show': { parameters: 'stop "x"\nnum_ctx                        8192\n' } },
    'warn',
    '8,192 tokens',
  ],
  [
    'one that is not loaded',
    { '/api/ps': { models: [] }, '/api/show': {} },
    'warn',
    'is not known before Ollama has loaded it',
  ],
  ['another server', {}, undefined, ''],
])('Ollama is asked how much a model reads: %s', async (_, answers, health, text) => {
  const config = { provider: 'gpu', kind: 'openai-chat', model: 'qwen3', baseUrl: await serve(answers) } as const
  const [check] = await contextChecks(config, new AbortController().signal)
  expect(check?.health).toBe(health)
  expect(check?.text ?? '').toContain(text)
})
