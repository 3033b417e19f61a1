import { expect, test } from 'vitest'
import { createSimulator } from '../src/homelab/simulator/index.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createToken } from './support/mcp-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/**
 * The plainest calls are answered without the SDK. The same request with a charset in its content type, which says nothing
 * new, is not plain: it takes the SDK's way, and must come to the same.
 */
const quick = 'application/json'
const slow = 'application/json; charset=utf-8'

const version = '2026-07-28'
const prefix = 'io.modelcontextprotocol'
const envelope = {
  [`${prefix}/protocolVersion`]: version,
  [`${prefix}/clientInfo`]: { name: 'probe', version: '1' },
  [`${prefix}/clientCapabilities`]: {},
}
const call = (params: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'get_cluster_status', arguments: {}, ...params },
  ...more,
})
const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) })

type Case = { body: unknown; headers?: Record<string, string | undefined> }

/** What is asked by a client of either specification. */
const asked: [title: string, body: object][] = [
  ['no arguments', call()],
  ['arguments left out', call({ arguments: undefined })],
  ['arguments', call({ name: 'get_node_status', arguments: { node: 'pve' } })],
  ['an id that is text', call({}, { id: 'α "7"' })],
  ['an id of 0', call({}, { id: 0 })],
  ['an empty id', call({}, { id: '' })],
  ['a node that is not there', call({ name: 'get_node_status', arguments: { node: 'nowhere' } })],
  ['an argument of the wrong type', call({ name: 'get_node_status', arguments: { node: 7 } })],
  ['an argument that is not known', call({ arguments: { confirmed: true } })],
  ['arguments nested too deep', call({ arguments: deep(60) })],
  ['arguments that are null', call({ arguments: null })],
  ['arguments that are a list', call({ arguments: [] })],
  ['arguments that are text', call({ arguments: '{}' })],
  [
    'a key that no argument may have',
    JSON.parse(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_cluster_status","arguments":{"__proto__":{"a":1}}}}',
    ),
  ],
  ['a command that reads', call({ name: 'execute_ssh', arguments: { node: 'pve', command: 'uptime' } })],
  ['a command that is refused', call({ name: 'execute_ssh', arguments: { node: 'pve', command: 'cat /etc/shadow' } })],
  ['a tool that is not there', call({ name: 'no_such_tool' })],
  ['a tool named like a property', call({ name: 'constructor' })],
  ['a name that is no text', call({ name: 7 })],
  ['no name', call({ name: undefined })],
  ['a change that is refused', call({ name: 'restart_service', arguments: { node: 'pve', service: 'nonsense' } })],
  ['a method that is not there', call({}, { method: 'tools/calls' })],
  ['a key beside the method', call({}, { extra: 1 })],
  ['a key beside the name', call({ extra: 1 })],
  ['an id of null', call({}, { id: null })],
  ['an id with a fraction', call({}, { id: 7.5 })],
  ['an id that is a list', call({}, { id: [7] })],
  ['no id', call({}, { id: undefined })],
  ['another version of JSON-RPC', call({}, { jsonrpc: '1.0' })],
  ['no params', call({}, { params: undefined })],
  ['params that are a list', call({}, { params: [] })],
]

/** A cluster in which nothing happens between one request and the next. */
function standing() {
  const now = Date.now()
  return createSimulator({ clock: { ...systemClock, now: () => now }, protectedTargets: new Set(), speed: 1_000 })
}

type Answer = Awaited<ReturnType<typeof send>>

async function send(
  jarvis: TestJarvis,
  token: string,
  { body, headers = {} }: Case,
  contentType: string,
  signal?: AbortSignal,
) {
  const all = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream', ...headers }
  const given = Object.entries({ ...all, 'content-type': contentType }).filter(([, value]) => value !== undefined)
  const response = await fetch(`${jarvis.url}/mcp`, {
    method: 'POST',
    headers: given as [string, string][],
    ...(signal && { signal }),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const lines = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data) : text === '' ? [] : [text]
  return {
    status: response.status,
    messages: lines.map((line) => JSON.parse(line) as unknown),
    sessionId: response.headers.get('mcp-session-id') ?? undefined,
    isWhole: response.headers.has('content-length') && !isStream,
  }
}

/** Sends each both ways. @returns the titles of those that were answered quickly. */
async function bothWays(jarvis: TestJarvis, token: string, cases: [title: string, given: Case][]): Promise<string[]> {
  const answers: Record<'quick' | 'slow', Record<string, Omit<Answer, 'isWhole'>>> = { quick: {}, slow: {} }
  const taken: string[] = []
  for (const [title, given] of cases) {
    const { isWhole, ...quickly } = await send(jarvis, token, given, quick)
    const { isWhole: isSlowWhole, ...slowly } = await send(jarvis, token, given, slow)
    Object.assign(answers.quick, { [title]: quickly })
    Object.assign(answers.slow, { [title]: slowly })
    if (isWhole && !isSlowWhole) taken.push(title)
  }
  expect(Object.keys(answers.quick)).toHaveLength(cases.length)
  expect(answers.quick).toEqual(answers.slow)
  return taken
}

/** What both kinds of client are answered quickly, of `asked`. */
const plain = [
  'no arguments',
  'arguments left out',
  'arguments',
  'an id that is text',
  'an id of 0',
  'an empty id',
  'arguments nested too deep',
]

/** What the request says of itself besides its body. */
const accepts: [title: string, headers: Record<string, string | undefined>][] = [
  ['accepts JSON alone', { accept: 'application/json' }],
  ['accepts a stream alone', { accept: 'text/event-stream' }],
  ['accepts anything', { accept: '*/*' }],
  ['does not say what it accepts', { accept: undefined }],
]

test('a current client is answered the same whether the SDK has a hand in it or not', async () => {
  const jarvis = await startJarvis({ homelab: standing() })
  const token = createToken(jarvis)
  const headersOf = ({ method, params }: { method?: string; params?: { name?: unknown } }) => ({
    'mcp-protocol-version': version,
    'mcp-method': method ?? 'tools/call',
    'mcp-name': typeof params?.name === 'string' ? params.name : 'get_cluster_status',
  })
  const said = asked.map(([title, body]): [string, Case] => {
    const { params } = body as { params?: object }
    const isWithout = params === undefined || Array.isArray(params)
    const whole = isWithout ? body : { ...body, params: { ...params, _meta: envelope } }
    return [title, { body: whole, headers: headersOf(body) }]
  })
  expect(await bothWays(jarvis, token, said)).toEqual(plain)

  const headers = headersOf(call())
  const body = call({ _meta: envelope })
  const withMeta = (more: object) => ({ body: call({ _meta: { ...envelope, ...more } }), headers })
  const taken = await bothWays(jarvis, token, [
    ...accepts.map(([title, more]): [string, Case] => [title, { body, headers: { ...headers, ...more } }]),
    ['no version in the header', { body, headers: { ...headers, 'mcp-protocol-version': undefined } }],
    ['an older version in the header', { body, headers: { ...headers, 'mcp-protocol-version': '2025-11-25' } }],
    ['no method in the header', { body, headers: { ...headers, 'mcp-method': undefined } }],
    ['another method in the header', { body, headers: { ...headers, 'mcp-method': 'tools/list' } }],
    ['no name in the header', { body, headers: { ...headers, 'mcp-name': undefined } }],
    ['another name in the header', { body, headers: { ...headers, 'mcp-name': 'get_vms' } }],
    ['a session that is none', { body, headers: { ...headers, 'mcp-session-id': 'none' } }],
    ['nothing of itself', { body: call(), headers }],
    ['nothing of itself, nor in the header', { body: call() }],
    ['a list of calls', { body: [body], headers }],
    ['no JSON', { body: '{', headers }],
    ['nothing at all', { body: '', headers }],
    ['an unknown version', withMeta({ [`${prefix}/protocolVersion`]: '2099-01-01' })],
    ['a client without a name', withMeta({ [`${prefix}/clientInfo`]: { version: '1' } })],
    ['a client without a version', withMeta({ [`${prefix}/clientInfo`]: { name: 'probe' } })],
    ['a client that is text', withMeta({ [`${prefix}/clientInfo`]: 'probe' })],
    ['a client that says no more', withMeta({ [`${prefix}/clientInfo`]: undefined })],
    ['a client with icons', withMeta({ [`${prefix}/clientInfo`]: { name: 'p', version: '1', icons: [{ src: 7 }] } })],
    ['no capabilities', withMeta({ [`${prefix}/clientCapabilities`]: undefined })],
    ['capabilities that are text', withMeta({ [`${prefix}/clientCapabilities`]: 'all' })],
    ['a capability that is a number', withMeta({ [`${prefix}/clientCapabilities`]: { sampling: 7 } })],
    ['capabilities', withMeta({ [`${prefix}/clientCapabilities`]: { sampling: {}, elicitation: { form: {} } } })],
    ['tasks', withMeta({ [`${prefix}/clientCapabilities`]: { extensions: { [`${prefix}/tasks`]: {} } } })],
    ['a wish for progress', withMeta({ progressToken: 7 })],
    ['a wish for a log', withMeta({ [`${prefix}/logLevel`]: 'debug' })],
    ['a way to wait', { body, headers: { ...headers, 'jarvis-confirmation': 'pending' } }],
  ])
  expect(taken).toEqual(['a client that says no more', 'capabilities', 'a way to wait'])
})

test('an older client is answered the same whether the SDK has a hand in it or not', async () => {
  const jarvis = await startJarvis({ homelab: standing() })
  const token = createToken(jarvis)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } }
  const greeting = { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } }
  const { sessionId } = await send(jarvis, token, greeting, slow)
  const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
  const said = asked.map(([title, body]): [string, Case] => [title, { body, headers }])
  expect(await bothWays(jarvis, token, said)).toEqual(plain)

  const inVersion = (said: string | undefined) => ({
    body: call(),
    headers: { ...headers, 'mcp-protocol-version': said },
  })
  const inSession = (id: string | undefined) => ({ body: call(), headers: { ...headers, 'mcp-session-id': id } })
  const taken = await bothWays(jarvis, token, [
    ...accepts.map(([title, more]): [string, Case] => [title, { body: call(), headers: { ...headers, ...more } }]),
    ['version 2025-06-18', inVersion('2025-06-18')],
    ['version 2025-03-26', inVersion('2025-03-26')],
    ['version 2024-11-05', inVersion('2024-11-05')],
    ['the current version', inVersion(version)],
    ['an unknown version', inVersion('2099-01-01')],
    ['no version', inVersion(undefined)],
    ['a session that is none', inSession('none')],
    ['no session', inSession(undefined)],
    ['what only current clients say', { body: call({ _meta: envelope }), headers }],
    ['a list of calls', { body: [call(), call({}, { id: 8 })], headers }],
    ['no JSON', { body: '{', headers }],
    ['a wish for progress', { body: call({ _meta: { progressToken: 7 } }), headers }],
    ['a wish for a task', { body: call({ task: {} }), headers }],
    [
      'a cancellation of nothing',
      { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers },
    ],
  ])
  expect(taken).toEqual(['version 2025-06-18', 'version 2025-03-26'])

  const other = createToken(jarvis, { name: 'other' })
  expect(await bothWays(jarvis, other, [['another’s session', { body: call(), headers }]])).toEqual([])
})

test('what a quick call did is in the journal and in the session of its token, as any call', async () => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
  const body = call({ _meta: envelope })
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'get_cluster_status' }
  for (const way of [quick, slow]) await send(jarvis, token, { body, headers }, way)

  const { items } = (await (await jarvis.rest('/api/journal?kind=call')).json()) as { items: { body: object }[] }
  const [second, first] = items.map(({ body }) => ({ ...body, toolUseId: '' }))
  expect(first).toMatchObject({ toolName: 'get_cluster_status', outcome: 'done', tier: 'green' })
  expect(first).toMatchObject({ requestedBy: { kind: 'mcp', name: 'probe', token: 'ops-laptop' } })
  expect(second).toEqual(first)

  const { sessionId: _, ...kept } = (await (await jarvis.rest('/api/sessions/ses_mcp_ops-laptop/entries')).json()) as {
    sessionId?: string
    items: { type: string; runId: string }[]
  }
  const runs = [...new Set(kept.items.map(({ runId }) => runId))]
  const typesOf = (run: string | undefined) => kept.items.filter(({ runId }) => runId === run).map(({ type }) => type)
  expect(runs).toHaveLength(2)
  expect(typesOf(runs[0])).toEqual(['assistant', 'tool_use', 'tool_result', 'done'])
  expect(typesOf(runs[1])).toEqual(typesOf(runs[0]))
})

test('a quick call that takes long ends when its client cancels it or hangs up, and with the server', async () => {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const begun: AbortSignal[] = []
  let tell = () => {}
  let end = () => {}
  const nextBegun = () => new Promise<void>((resolve) => (tell = resolve))
  const cluster = {
    ...homelab.cluster,
    nodeDetail: (_node: string, { signal }: { signal: AbortSignal }) => {
      begun.push(signal)
      tell()
      return new Promise<never>((_, reject) => {
        end = () => reject(new Error('over'))
        signal.addEventListener('abort', end)
      })
    },
  }
  const jarvis = await startJarvis({ remote: { ...homelab, cluster: cluster as typeof homelab.cluster } })
  const token = createToken(jarvis)
  const other = createToken(jarvis, { name: 'other' })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } }
  const greeting = { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } }
  const { sessionId } = await send(jarvis, token, greeting, slow)
  const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
  const body = call({ name: 'get_node_status', arguments: { node: 'pve' } })
  const cancel = { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers }

  let isBegun = nextBegun()
  const cancelled = send(jarvis, token, { body, headers }, quick)
  await isBegun
  expect((await send(jarvis, other, cancel, quick)).status).toBe(404)
  expect(begun[0]?.aborted).toBe(false)
  expect((await send(jarvis, token, cancel, quick)).status).toBe(202)
  expect(await cancelled).toMatchObject({ status: 202, messages: [] })
  expect(begun[0]?.aborted).toBe(true)

  isBegun = nextBegun()
  const hangUp = new AbortController()
  const left = send(jarvis, token, { body, headers }, quick, hangUp.signal)
  await isBegun
  hangUp.abort()
  await expect(left).rejects.toThrow()
  await new Promise<void>((resolve) => {
    if (begun[1]?.aborted) resolve()
    else begun[1]?.addEventListener('abort', () => resolve())
  })

  isBegun = nextBegun()
  const open = send(jarvis, token, { body, headers }, quick)
  await isBegun
  const stopped = jarvis.stop()
  const [message] = (await open).messages as [{ result: { isError: boolean; content: { text: string }[] } }]
  expect(message.result).toMatchObject({ isError: true })
  expect(message.result.content[0]?.text).toContain('JARVIS is shutting down')
  end()
  await stopped
})
