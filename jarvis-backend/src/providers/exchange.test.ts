import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { exchange, type Reader } from './exchange.ts'

const provider = { name: 'P', host: 'p', keyName: 'K', urlName: 'U', secrets: [] }
const usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
const answers = async () => {
  const body = Readable.from([Buffer.from('data: {}\n\n')]) as IncomingMessage
  return { body, headers: new Headers() } as unknown as Response
}
const throwing = (error: Error): Reader => ({
  take() {
    throw error
  },
  turn: () => ({ content: [], stopReason: 'end_turn', usage }),
  usage: () => usage,
})

test('a reader that stumbles over an event broke off with its stream, at what it cost so far', async () => {
  const cause = new TypeError("Cannot read properties of null (reading 'text')")
  await expect(
    exchange(provider, { send: answers, reader: throwing(cause), signal: new AbortController().signal }),
  ).rejects.toMatchObject({
    code: 'model_stream_broken',
    isRetryable: true,
    usage,
    cause,
  })
})

test('an answer of nothing that was cut by its length is a conversation that is too long', async () => {
  const cut = (outputTokens: number): Reader => ({
    take: () => true,
    turn: () => ({ content: [], stopReason: 'max_tokens', usage: { ...usage, outputTokens } }),
    usage: () => usage,
  })
  const { signal } = new AbortController()
  await expect(exchange(provider, { send: answers, reader: cut(0), signal })).rejects.toMatchObject({ isTooLong: true })
  expect(await exchange(provider, { send: answers, reader: cut(5), signal })).toMatchObject({
    stopReason: 'max_tokens',
  })
})

test('a request that cannot be made is a fault of ours', async () => {
  const bug = new TypeError('bug')
  const send = () => Promise.reject(bug)
  await expect(exchange(provider, { send, reader: throwing(bug), signal: new AbortController().signal })).rejects.toBe(
    bug,
  )
})
