import { expect, test } from 'vitest'
import { failingRows } from '../../../test/support/failing-rows.ts'
import { problemKey, Received } from './received.ts'

/** Reads an answer to a request of that method. */
function answered(method: string, answer: object, params: object = {}) {
  const received = new Received()
  received.sending({ jsonrpc: '2.0', id: 7, method, params })
  const [message] = received.messages({ jsonrpc: '2.0', id: 7, ...answer })
  return message as {
    id: unknown
    result?: Record<string, unknown>
    error?: { code: number; message: string }
  }
}
type Tool = { name: string; inputSchema: unknown; _meta?: Record<string, string> }
const listed = (...tools: unknown[]) => answered('tools/list', { result: { tools } }).result?.tools as Tool[]
const object = { type: 'object', properties: { a: { type: 'string' } } }

test('one odd tool or field costs that tool or field at most', async () => {
  const good = { name: 'good', inputSchema: object }
  const taken: [what: string, given: object, left: object][] = [
    ['null fields', { title: null, description: null, annotations: null, _meta: null, outputSchema: null }, {}],
    ['the empty lists that PHP writes', { annotations: [], _meta: [], outputSchema: [] }, {}],
    ['fields of another kind', { title: 5, description: { en: 'x' }, icons: 'x', execution: 1 }, {}],
    ['an output schema that is none', { outputSchema: true }, {}],
    [
      'one hint that is none',
      { annotations: { title: 'T', readOnlyHint: true, destructiveHint: 'no' } },
      { annotations: { title: 'T', readOnlyHint: true } },
    ],
    ['what is right', { title: 'T', description: 'D' }, { title: 'T', description: 'D' }],
    ['no properties', { inputSchema: { type: 'object' } }, { inputSchema: { type: 'object' } }],
    ['null for properties', { inputSchema: { type: 'object', properties: null } }, { inputSchema: { type: 'object' } }],
    ['a list for properties', { inputSchema: { type: 'object', properties: [] } }, { inputSchema: { type: 'object' } }],
    [
      'null for required',
      { inputSchema: { ...object, required: null, $schema: 'x' } },
      { inputSchema: { ...object, $schema: 'x' } },
    ],
    [
      'a number in required',
      { inputSchema: { ...object, required: ['a', 5] } },
      { inputSchema: { ...object, required: ['a'] } },
    ],
    ['an object that does not say so', { inputSchema: { properties: object.properties } }, {}],
    ['a list of types', { inputSchema: { ...object, type: ['object', 'null'] } }, {}],
    [
      'null for an argument',
      { inputSchema: { type: 'object', properties: { a: null } } },
      { inputSchema: { type: 'object', properties: { a: {} } } },
    ],
  ]
  const refused: [given: unknown, name: string, problem: string][] = [
    [{ name: 'odd' }, 'odd', 'It has no input schema.'],
    [{ name: 'odd', inputSchema: null }, 'odd', 'It has no input schema.'],
    [{ name: 'odd', inputSchema: {} }, 'odd', 'does not say that the input is an object'],
    [{ name: 'odd', inputSchema: { anyOf: [object, object] } }, 'odd', 'does not say that the input is an object'],
    [{ name: 'odd', inputSchema: true }, 'odd', 'is no object'],
    [{ name: 'odd', inputSchema: [] }, 'odd', 'is no object'],
    [{ name: 'odd', inputSchema: { type: 'string' } }, 'odd', 'Its input is not an object.'],
    [{ name: 'odd', inputSchema: { type: 'object', properties: ['a'] } }, 'odd', 'cannot be read'],
    [{ inputSchema: object }, 'number 2', 'It has no name.'],
    [{ name: null, inputSchema: object }, 'number 2', 'It has no name.'],
    [{ name: ' ', inputSchema: object }, ' ', 'Its name is no text.'],
    [{ name: 5, inputSchema: object }, '5', 'Its name is no text.'],
    [null, 'number 2', 'It is no object.'],
    ['a tool', 'number 2', 'It is no object.'],
  ]
  expect(
    await failingRows(taken, ([, given, left]) => {
      const [first, tool, last] = listed(good, { ...good, name: 'odd', ...given }, good)
      expect([first, last]).toEqual([good, good])
      expect(tool).toEqual({ ...good, name: 'odd', ...left })
    }),
  ).toEqual([])
  expect(
    await failingRows(refused, ([given, name, problem]) => {
      const [first, tool, last] = listed(good, given, good)
      expect([first, last]).toEqual([good, good])
      expect(tool).toMatchObject({ name, _meta: { [problemKey]: expect.stringContaining(problem) } })
    }),
  ).toEqual([])
})

test('a list ends where its cursor says nothing, and one without an end is ended and says so', () => {
  for (const nextCursor of [null, '', undefined, false, {}])
    expect(answered('tools/list', { result: { tools: [], nextCursor } }).result).not.toHaveProperty('nextCursor')
  for (const result of [null, {}, { tools: null }, { tools: {} }, []])
    expect(answered('tools/list', { result }).result?.tools).toEqual([])
  expect(answered('tools/list', { result: { tools: 'none' } }).result?.tools).toMatchObject([
    { _meta: { [problemKey]: 'Its answer holds no list of tools.' } },
  ])

  /** Asks for all pages. @returns how many, and what was said of the last one */
  const walked = (page: (at: number) => object) => {
    const received = new Received()
    let cursor: unknown
    for (let at = 1; ; at += 1) {
      received.sending({ id: at, method: 'tools/list', params: cursor === undefined ? {} : { cursor } })
      const [message] = received.messages({ id: at, result: page(at) })
      const { tools, nextCursor } = (message?.result ?? {}) as { tools: Tool[]; nextCursor?: unknown }
      if (nextCursor === undefined) return { pages: at, said: tools.at(-1)?._meta?.[problemKey] }
      cursor = nextCursor
    }
  }
  const tool = (name: string) => ({ name, inputSchema: object })
  const said = expect.stringContaining('does not come to an end')
  expect(walked((at) => ({ tools: [tool(`t${at}`)], ...(at < 8 && { nextCursor: `c${at}` }) }))).toEqual({ pages: 8 })
  expect(walked((at) => ({ tools: [tool(`t${at}`)], ...(at < 3 && { nextCursor: at }) }))).toEqual({ pages: 3 })
  expect(walked(() => ({ tools: [tool('t')], nextCursor: 'same' }))).toEqual({ pages: 2, said })
  expect(walked((at) => ({ tools: [tool('t')], nextCursor: `c${at}` }))).toEqual({ pages: 2, said })
  expect(walked((at) => ({ tools: [tool(`t${at}`)], nextCursor: at % 2 ? 'a' : 'b' }))).toEqual({ pages: 3, said })
  expect(walked((at) => ({ tools: [], nextCursor: `c${at}` }))).toEqual({ pages: 64, said })
  expect(walked((at) => ({ tools: [tool(`t${at}`)], nextCursor: `c${at}` }))).toEqual({ pages: 64, said })
})

test('an odd answer to a call is an answer', async () => {
  const text = (...texts: string[]) => texts.map((one) => ({ type: 'text', text: one }))
  const rows: [result: unknown, shown: object][] = [
    [{ content: text('ok') }, { content: text('ok') }],
    [{ content: text('ok'), isError: null, structuredContent: null, _meta: null }, { content: text('ok') }],
    [{ content: null }, { content: [] }],
    [{}, { content: [] }],
    [null, { content: [] }],
    [undefined, { content: [] }],
    ['ok', { content: text('ok') }],
    [{ content: 'ok' }, { content: text('ok') }],
    [{ content: { type: 'text', text: 'ok' } }, { content: text('ok') }],
    [{ content: ['a', 5, null, { text: 'b' }] }, { content: text('a', '5', 'b') }],
    [
      { content: [{ type: 'text' }, { type: 'text', text: null }, { type: 'text', text: 5 }] },
      { content: text('', '', '5') },
    ],
    [
      { content: [{ type: 'chart', rows: [1] }, ...text('ok')] },
      { content: text('[content of an unknown kind: chart] {"type":"chart","rows":[1]}', 'ok') },
    ],
    [
      { content: [{ type: 'image', data: 5 }] },
      { content: text('[content of an unknown kind: image] {"type":"image","data":5}') },
    ],
    [
      { content: [{ type: 'image', mimeType: null, data: 'data:image/png;base64,aGk_\naGk-' }] },
      { content: [{ type: 'image', data: 'aGk/aGk+', mimeType: 'application/octet-stream' }] },
    ],
    [
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'x', mimeType: null } }] },
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'x' } }] },
    ],
    [
      { content: [{ type: 'resource_link', uri: 'a:b', name: null }] },
      { content: [{ type: 'resource_link', uri: 'a:b', name: 'a:b' }] },
    ],
    [
      { content: [], structuredContent: [1, 2] },
      { content: [], structuredContent: [1, 2] },
    ],
    [{ output: 'done' }, { content: text('{"output":"done"}') }],
    [
      { content: text('no'), isError: 'true' },
      { content: text('no'), isError: true },
    ],
  ]
  const judge = ([result, shown]: (typeof rows)[number]) => {
    const { isError, ...rest } = answered('tools/call', { result }).result as { isError?: boolean }
    expect({ ...rest, ...(isError && { isError }) }).toEqual({ ...shown, resultType: 'complete' })
  }
  expect(await failingRows(rows, judge)).toEqual([])
  const asks = { resultType: 'input_required', inputRequests: { a: {} } }
  expect(answered('tools/call', { result: asks }).result).toEqual(asks)
})

test('an error in any form has a number and words, and null beside a result is none', async () => {
  const rows: [answer: object, error: object | undefined][] = [
    [{ error: { code: -32602, message: 'no' } }, { code: -32602, message: 'no' }],
    [{ error: { code: 'NOT_FOUND', message: 'no' } }, { code: -32603, message: 'NOT_FOUND: no' }],
    [{ error: { code: '-32602', message: 'no' } }, { code: -32602, message: 'no' }],
    [{ error: { code: 1.5, message: null, msg: 'no' } }, { code: 1, message: 'no' }],
    [{ error: { code: 5 } }, { code: 5, message: '{"code":5}' }],
    [{ error: 'no' }, { code: -32603, message: 'no' }],
    [{ error: { message: 'no', data: null } }, { code: -32603, message: 'no' }],
    [
      { error: { code: 5, message: 'no' }, result: null },
      { code: 5, message: 'no' },
    ],
    [{ error: null, result: { content: [] } }, undefined],
    [{ error: {}, result: { content: [] } }, undefined],
    [{ result: { content: [] }, took: 5 }, undefined],
  ]
  const judge = ([answer, error]: (typeof rows)[number]) => {
    const message = answered('tools/call', answer)
    expect(message.error).toEqual(error)
    expect(Object.keys(message)).toEqual(['jsonrpc', 'id', error === undefined ? 'result' : 'error'])
  }
  expect(await failingRows(rows, judge)).toEqual([])
})

test('an answer goes to its request, with an id as text, in a batch, or as the only one that can be meant', () => {
  const received = new Received()
  const ask = (id: number) => received.sending({ id, method: 'tools/call', params: {} })
  ask(1)
  expect(received.messages({ jsonrpc: '1.0', id: '1', result: 'a' })).toMatchObject([{ jsonrpc: '2.0', id: 1 }])
  ask(2)
  ask(3)
  expect(received.messages([{ id: 2, result: 'a' }, { id: 3, result: 'b' }, 'x'])).toMatchObject([{ id: 2 }, { id: 3 }])
  const only = ask(4)
  expect(received.messages({ error: { code: 5, message: 'no' }, id: null }, only)).toMatchObject([{ id: 4 }])
  // No request is known under that id, so that nobody is told.
  expect(received.messages({ id: 9, result: 'a' }, only)).toMatchObject([{ id: 9, result: {} }])
})

test('a server whose greeting has odd fields is asked for its tools', async () => {
  const offered = { protocolVersion: '2025-11-25' }
  const rows: [given: object, kept: object][] = [
    [
      {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'n', version: '1' },
      },
      {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'n', version: '1' },
      },
    ],
    [
      { protocolVersion: '2025-06-18' },
      { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: '', version: '' } },
    ],
    [
      { protocolVersion: null, capabilities: null, serverInfo: null, instructions: null, _meta: null },
      { ...offered, capabilities: { tools: {} }, serverInfo: { name: '', version: '' } },
    ],
    [
      { ...offered, capabilities: { tools: [], logging: [] }, serverInfo: { name: 'n', version: 2 }, instructions: 5 },
      { ...offered, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '2' } },
    ],
  ]
  const judge = ([given, kept]: (typeof rows)[number]) =>
    expect(answered('initialize', { result: given }, offered).result).toEqual(kept)
  expect(await failingRows(rows, judge)).toEqual([])

  const received = new Received()
  received.sending({ id: 1, method: 'initialize', params: offered })
  received.messages({ id: 1, result: { ...offered, capabilities: {}, serverInfo: {} } })
  received.sending({ id: 2, method: 'tools/list' })
  const none = { id: 2, error: { code: -32601, message: 'Method not found' } }
  expect(received.messages(none)).toMatchObject([{ result: { tools: [] } }])
  // It said that it has tools, so that the refusal counts.
  expect(answered('tools/list', none)).toMatchObject({ error: { code: -32601 } })
})

test('a notice with null fields is read without them', () => {
  const received = new Received()
  expect(
    received.messages({
      jsonrpc: '2.0',
      id: null,
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1, total: null, _meta: null },
    }),
  ).toEqual([{ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }])
  expect(received.messages({ method: 'notifications/tools/list_changed', params: null })).toEqual([
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  ])
})
