import { systemClock } from 'node-kit/clock'
import { expect, test } from 'vitest'
import { createToken } from './support/mcp-client.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const version = '2026-07-28'
const prefix = 'io.modelcontextprotocol'
const envelope = {
  [`${prefix}/protocolVersion`]: version,
  [`${prefix}/clientInfo`]: { name: 'probe', version: '1' },
  [`${prefix}/clientCapabilities`]: {},
}
const call = (params: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'get_cluster_status', arguments: {}, ...params },
})

type Request = { body: unknown; headers?: Record<string, string | undefined> }

async function send(jarvis: TestJarvis, token: string, { body, headers = {} }: Request, signal?: AbortSignal) {
  const all = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  }
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  const response = await fetch(`${jarvis.url}/mcp`, {
    method: 'POST',
    headers: given as [string, string][],
    ...(signal && { signal }),
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const lines = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data) : text === '' ? [] : [text]
  return {
    status: response.status,
    messages: lines.map((line) => JSON.parse(line) as unknown),
    sessionId: response.headers.get('mcp-session-id') ?? undefined,
  }
}

test('what a read did is in the journal and in the session of its token', async () => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
  const body = call({ _meta: envelope })
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'get_cluster_status' }
  for (let count = 0; count < 2; count += 1) await send(jarvis, token, { body, headers })

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

test('a long read ends when its client cancels it or hangs up, and with the server', async () => {
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
  const { sessionId } = await send(jarvis, token, greeting)
  const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
  const body = call({ name: 'get_node_status', arguments: { node: 'pve' } })
  const cancel = { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers }

  let isBegun = nextBegun()
  const cancelled = send(jarvis, token, { body, headers })
  await isBegun
  expect((await send(jarvis, other, cancel)).status).toBe(404)
  expect(begun[0]?.aborted).toBe(false)
  expect((await send(jarvis, token, cancel)).status).toBe(202)
  expect(await cancelled).toMatchObject({ messages: [] })
  expect(begun[0]?.aborted).toBe(true)

  isBegun = nextBegun()
  const hangUp = new AbortController()
  const left = send(jarvis, token, { body, headers }, hangUp.signal)
  await isBegun
  hangUp.abort()
  await expect(left).rejects.toThrow()
  await new Promise<void>((resolve) => {
    if (begun[1]?.aborted) resolve()
    else begun[1]?.addEventListener('abort', () => resolve())
  })

  isBegun = nextBegun()
  const open = send(jarvis, token, { body, headers })
  await isBegun
  const stopped = jarvis.stop()
  const [message] = (await open).messages as [{ result: { isError: boolean; content: { text: string }[] } }]
  expect(message.result).toMatchObject({ isError: true })
  expect(message.result.content[0]?.text).toContain('JARVIS is shutting down')
  end()
  await stopped
})
