import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readEvents } from './sse.ts'

async function eventsIn(...chunks: string[]): Promise<string[]> {
  const came: string[] = []
  await readEvents(Readable.from(chunks.map((chunk) => Buffer.from(chunk))) as IncomingMessage, (data) => {
    came.push(data.replaceAll(/\s/g, ''))
    return data === '[DONE]'
  })
  return came
}

test.each<[string, string[]]>([
  ['an empty line', ['data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n']],
  ['one newline', ['data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n']],
  ['CRLF, split anywhere', ['data: {"a"', ':1}\r', '\n\r\ndata:', ' {"b":2}\r\n\r\n', 'data: [DONE]']],
  ['no space behind the colon', ['data:{"a":1}\n\ndata:{"b":2}\n\ndata:[DONE]\n\n']],
  ['lines of JSON', ['{"a":1}\n{"b":2}\n[DONE]\n']],
  [
    'names and comments',
    [': hi\nevent: x\nid: 1\ndata: {"a":1}\n\nretry: 5\ndata: {\ndata: "b":2}\n\ndata: [DONE]\n\n'],
  ],
])('events are found by %s', async (_, chunks) => {
  expect(await eventsIn(...chunks)).toEqual(['{"a":1}', '{"b":2}', '[DONE]'])
})

test('a body may be one object', async () => {
  expect(await eventsIn('{\n "a": {\n', '  "b": 1\n }\n}\n')).toEqual(['{"a":{"b":1}}'])
})
