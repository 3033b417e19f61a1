import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connected, serversOf, setTier, tool } from './support/attached.ts'
import { failingRows } from './support/failing-rows.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

type Form = 'json' | 'stream' | 'plain'
/** A server's answer: the members of the message. `status`: of the HTTP answer. */
type Peer = {
  form?: Form
  /** Answers are lists of one. */
  isBatch?: true
  initialize?: object
  /** It speaks the newest version, which is asked for before `initialize`. */
  isModern?: true
  lists?: (cursor: unknown) => object
  call?: { status?: number; isBare?: true; text?: string; [field: string]: unknown }
}
const peers = new Map<string, Peer>()
const ran = new Map<string, number>()
let base = ''

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'p', version: '1' },
}
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const name = String(request.url).slice(1)
  const peer = peers.get(name)
  if (request.method !== 'POST' || peer === undefined) return void response.writeHead(405).end()
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return void response.writeHead(202).end()
  const { form = 'json', isBatch } = peer
  const answer = (message: object, status = 200) => {
    const text = JSON.stringify(isBatch ? [message] : message)
    const type = { json: 'application/json', stream: 'text/event-stream', plain: 'text/plain' }[form]
    response.writeHead(status, { 'content-type': type }).end(form === 'stream' ? `data: ${text}\n\n` : text)
  }
  const head = { jsonrpc: '2.0', id }
  if (method === 'server/discover' && peer.isModern)
    return answer({ ...head, result: { ...greeting, supportedVersions: ['2026-07-28'], resultType: 'complete' } })
  if (method === 'initialize') return answer({ ...head, result: { ...greeting, ...peer.initialize } })
  if (method === 'tools/list')
    return answer({ ...head, result: peer.lists?.(params?.cursor) ?? { tools: [tool('add')] } })
  if (method !== 'tools/call') return answer({ ...head, error: { code: -32601, message: 'Method not found' } })
  ran.set(name, (ran.get(name) ?? 0) + 1)
  const { status = 200, isBare, text, ...rest } = peer.call ?? {}
  if (text !== undefined) return void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  answer(isBare ? rest : { ...head, ...rest }, status)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

let made = 0
/** Attaches a server that answers so. @returns its name, once it is connected */
async function attach(peer: Peer): Promise<string> {
  made += 1
  const name = `p${made}`
  peers.set(name, peer)
  await jarvis.rest('/api/mcp-servers', { method: 'POST', json: { name, url: `${base}/${name}` } })
  await connected(jarvis, name)
  return name
}
const shown = async (name: string) => (await serversOf(jarvis)).items.find((one) => one.name === name)

test('an attached server with odd lists or an odd greeting keeps its good tools, and says what is wrong with others', async () => {
  const good = tool('good')
  const withHeader = (header: string, name = 'odd') =>
    tool(name, { inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': header } } } })
  const rows: [what: string, peer: Peer, refused: object[]][] = [
    ['a null cursor', { lists: () => ({ tools: [good], nextCursor: null }) }, []],
    ['an empty cursor', { lists: () => ({ tools: [good], nextCursor: '' }) }, []],
    ['an output schema without a type', { lists: () => ({ tools: [{ ...good, outputSchema: { anyOf: [{}] } }] }) }, []],
    ['null fields', { lists: () => ({ tools: [{ ...good, title: null, annotations: null, _meta: null }] }) }, []],
    [
      'an odd tool beside it',
      { lists: () => ({ tools: [{ name: 'odd', inputSchema: {} }, good, { inputSchema: {} }, null] }) },
      [{ toolName: 'odd' }, { toolName: 'number 3' }, { toolName: 'number 4' }],
    ],
    [
      'the same twice',
      { lists: () => ({ tools: [good, good, good] }) },
      [{ toolName: 'good', problem: expect.stringContaining('listed twice') }],
    ],
    [
      'a cursor that never advances',
      { lists: () => ({ tools: [good], nextCursor: 'same' }) },
      [{ toolName: 'tools/list', problem: expect.stringContaining('does not come to an end') }, { toolName: 'good' }],
    ],
    [
      'two pages',
      {
        lists: (cursor) => ({ tools: cursor === 'b' ? [good] : [], ...(cursor === undefined && { nextCursor: 'b' }) }),
      },
      [],
    ],
    ['no capabilities', { initialize: { capabilities: null }, lists: () => ({ tools: [good] }) }, []],
    [
      'no version and odd words',
      { initialize: { serverInfo: { name: 'n' }, instructions: null }, lists: () => ({ tools: [good] }) },
      [],
    ],
    [
      'a tool whose x-mcp-header is no header name',
      { isModern: true, lists: () => ({ tools: [withHeader('two words'), good, withHeader('Region', 'fine')] }) },
      [{ toolName: 'odd', problem: expect.stringContaining('x-mcp-header') }],
    ],
    ['events', { form: 'stream', lists: () => ({ tools: [good], nextCursor: null }) }, []],
    ['no content type', { form: 'plain', lists: () => ({ tools: [good] }) }, []],
  ]
  const judge = async ([, peer, refused]: (typeof rows)[number]) => {
    const name = await attach(peer)
    const found = await shown(name)
    expect(found?.tools.map((one) => one.name).filter((one) => !one.endsWith('fine'))).toEqual([`${name}__good`])
    expect(found?.refused).toMatchObject(refused)
    expect(found?.refused).toHaveLength(refused.length)
  }
  expect(await failingRows(rows, judge)).toEqual([])
})

test('an odd answer to a call is an answer, and a lost one stays unknown; nothing runs twice', async () => {
  const text = [{ type: 'text', text: 'ok' }]
  const output = { lists: () => ({ tools: [tool('add', { outputSchema: { type: 'object', required: ['x'] } })] }) }
  const answer = { isError: false, result: 'ok' }
  const failure = { isError: true, result: expect.stringContaining('does not do it: ') }
  const unknown = { isError: true, isUnknown: true }
  const rows: [what: string, peer: Peer, outcome: object][] = [
    ['text beside an output schema', { ...output, call: { result: { content: text } } }, answer],
    [
      'an unknown block',
      { call: { result: { content: [{ type: 'chart' }] } } },
      { isError: false, result: expect.stringContaining('chart') },
    ],
    ['null content', { call: { result: { content: null } } }, { isError: false }],
    ['no content', { call: { result: {} } }, { isError: false }],
    [
      'null fields',
      { call: { result: { content: text, isError: null, structuredContent: null, _meta: null } } },
      answer,
    ],
    ['null for an error', { call: { result: { content: text }, error: null } }, answer],
    ['a batch of one', { isBatch: true, call: { result: { content: text } } }, answer],
    [
      'a code in words',
      { call: { error: { code: 'E_NO', message: 'not now' } } },
      { ...failure, result: expect.stringContaining('not now') },
    ],
    ['an error without words', { call: { error: { code: 5 } } }, failure],
    [
      'an error without an id',
      { call: { isBare: true, jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } } },
      failure,
    ],
    [
      'an error with 400',
      { call: { status: 400, error: { code: -32602, message: 'wrong' } } },
      { ...failure, result: expect.stringContaining('wrong') },
    ],
    ['events', { form: 'stream', call: { result: { content: null } } }, { isError: false }],
    ['JSON that does not say so', { form: 'plain', call: { result: { content: text } } }, answer],
    ['half an answer', { call: { text: '{"jsonrpc":"2.0","id":' } }, unknown],
    ['a fault of a proxy', { call: { status: 502, text: 'Bad gateway' } }, unknown],
    ['an error that says it gave up', { call: { error: { code: -32001, message: 'Request timed out' } } }, unknown],
  ]
  const operator = await jarvis.connect()
  const judge = async ([, peer, outcome]: (typeof rows)[number]) => {
    const name = await attach(peer)
    await setTier(jarvis, `${name}__add`, 'yellow')
    await operator.ask('chat:send', { message: `/${name}__add text=hi` })
    const result = await operator.next('chat:tool_result')
    expect(result).toMatchObject(outcome)
    if (!('isUnknown' in outcome)) expect(result.isUnknown).toBeUndefined()
    expect(ran.get(name)).toBe(1)
  }
  expect(await failingRows(rows, judge)).toEqual([])
})
