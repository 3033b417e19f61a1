import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionSummary } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { anthropicModel, openAiCompatibleModel } from '../src/providers/index.ts'
import { modelServer, type Play, stalls, tears } from './contracts/model-server.ts'
import { pauses, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const event = (data: { type: string; [key: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const begun = [
  event({
    type: 'message_start',
    message: { id: 'msg_1', usage: { input_tokens: 139, cache_read_input_tokens: 4_000, output_tokens: 1 } },
  }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me see' } }),
]
const counted = { inputTokens: 139, outputTokens: 1, cacheReadTokens: 4_000, cacheWriteTokens: 0 }
const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

async function claude(...plays: Play[]) {
  const server = await modelServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  server.plays.push(...plays)
  return anthropicModel({ baseUrl: server.url, apiKey: 'sk-test', model: 'claude-sonnet-5-5', maxTokens: 1_000 })
}

test('an answer that was stopped, and one that broke off, count what the provider had named', async () => {
  const jarvis = await startJarvis({ model: await claude(stalls(begun), tears(begun)) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'One.' })
  await operator.next('chat:token')
  await operator.ask('chat:abort', { sessionId })
  expect(await operator.next('chat:done')).toMatchObject({
    stopReason: 'aborted',
    usage: counted,
    isUsagePartial: true,
  })

  await operator.ask('chat:send', { sessionId, message: 'Two.' })
  expect(await operator.next('chat:error')).toMatchObject({
    code: 'model_stream_broken',
    usage: counted,
    isUsagePartial: true,
  })
  const summary = (await (await jarvis.rest(`/api/sessions/${sessionId}`)).json()) as SessionSummary
  expect(summary).toMatchObject({
    usage: { inputTokens: 278, outputTokens: 2, cacheReadTokens: 8_000 },
    isUsagePartial: true,
  })
  const metrics = await (await jarvis.rest('/metrics')).text()
  expect(metrics).toContain('jarvis_model_tokens_total{model="anthropic/claude-sonnet-5-5",kind="cache_read"} 8000')
  expect(metrics).toContain('jarvis_model_replies_partly_counted_total{model="anthropic/claude-sonnet-5-5"} 2')
})

test('what an answer cost before the server went down is not forgotten', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-usage-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startJarvis({ dataDir, model: await claude(stalls(begun)) })
  const screen = await first.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'One.' })
  await screen.next('chat:token')
  await first.stop()

  const goesOn = pauses('Here', ' it is.')
  const second = await startJarvis({ dataDir, model: scripted(goesOn) })
  const operator = await second.connect()
  await operator.ask('chat:attach', { sessionId })
  goesOn.release()
  expect(await operator.next('chat:done')).toMatchObject({
    usage: { inputTokens: 149, outputTokens: 6, cacheReadTokens: 4_003 },
    isUsagePartial: true,
  })
})

test('where the provider had named nothing yet, the use is said to be unknown', async () => {
  const server = await modelServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const said = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Well' } }] })}\n\n`
  server.plays.push(stalls([said]))
  const jarvis = await startJarvis({ model: openAiCompatibleModel({ baseUrl: server.url, model: 'm' }) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'One.' })
  await operator.next('chat:token')
  await operator.ask('chat:abort', { sessionId })
  const done = await operator.next('chat:done')
  expect(done).toMatchObject({ usage: none, isUsagePartial: true })
  expect(done).not.toHaveProperty('costUsd')
})
