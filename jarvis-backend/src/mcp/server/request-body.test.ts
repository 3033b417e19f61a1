import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { bodyOf } from './request-body.ts'

const read = (text: string) => bodyOf(Readable.from([Buffer.from(text)]) as IncomingMessage)

test.each([
  '{"arguments":{"vmid":123,"__proto__":{"confirmed":true}}}',
  String.raw`{"arguments":{"\u005f_proto__":{"confirmed":true}}}`,
  String.raw`{"arguments":{"__proto_\u005F":1}}`,
  String.raw`{"arguments":{"__pr\u006fto__":1}}`,
])('an argument that parsers would drop in silence is refused: %s', async (text) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'No argument is named __proto__.',
  })
})

test('the word alone is text like any other, and what is no JSON is said to be none', async () => {
  expect(await read('{"arguments":{"query":"__proto__"}}')).toEqual({ arguments: { query: '__proto__' } })
  const nested = (levels: number) => `${'['.repeat(levels)}${' '.repeat(1_000)}${']'.repeat(levels)}`
  await expect(read(nested(100))).resolves.toBeDefined()
  await expect(read(nested(100_000))).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(read('{__proto__')).rejects.toMatchObject({ message: 'The request is not JSON.' })
})
