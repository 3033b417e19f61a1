import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createTokenIn } from '../test/support/api-tokens.ts'

const clients = 16
const calls = 640
const agent = new Agent({ keepAlive: true, maxSockets: clients })
const call = { name: 'get_cluster_status', arguments: {} }
const me = { name: 'bench', version: '1' }

export const mcpToken = (dataDir: string, name = 'bench'): string => createTokenIn(dataDir, { name })

/** Keeps the tool's answer in a file, for a server that must answer the same. */
export async function keepAnswer(url: string, token: string, dir: string): Promise<string> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...call, _meta: envelope } }
  const { result } = JSON.parse((await send(`${url}/mcp`, { token, headers: currentHeaders, body: body })).text) as {
    result: object
  }
  const { content, structuredContent } = result as Record<string, unknown>
  const path = join(dir, 'answer.json')
  writeFileSync(path, JSON.stringify({ content, structuredContent }))
  return path
}

/** Calls a green tool from 16 clients at a time, each waiting for its answer. @returns how many calls. */
export async function callOverMcp(url: string, token: string, era: 'current' | 'older'): Promise<{ length: number }> {
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await send(`${url}/mcp`, { token, headers: headers, body: body })
    if (!('id' in body)) return answer
    if (answer.status !== 200 || !answer.text.includes('isQuorate')) {
      if (!answer.text.includes('protocolVersion')) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`)
    }
    return answer
  }
  let left = calls
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const headers = era === 'current' ? currentHeaders : await greet(post)
      while (left-- > 0) {
        const _meta = era === 'current' ? { _meta: envelope } : {}
        await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...call, ..._meta } }, headers)
      }
    }),
  )
  return { length: calls }
}

const version = '2026-07-28'
const currentHeaders = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': call.name }
const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': me,
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Sent = { token: string; headers: Record<string, string>; body: object }
type Answer = { status: number; text: string; sessionId: string }
type Post = (body: object, headers?: Record<string, string>) => Promise<Answer>

async function greet(post: Post): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: me }
  const { sessionId } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  return headers
}

function send(url: string, { token, headers, body }: Sent) {
  return new Promise<Answer>((resolve, reject) => {
    const asking = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const sessionId = String(response.headers['mcp-session-id'] ?? '')
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), sessionId })
        })
        response.on('error', reject)
      },
    )
    asking.on('error', reject)
    asking.end(JSON.stringify(body))
  })
}
