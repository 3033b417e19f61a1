import type { TestJarvis } from './start-jarvis.ts'

type Answer = {
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

/** One request of a 2026-07-28 client, by hand, with the headers that the specification asks for. */
export async function askCurrent(
  jarvis: Pick<TestJarvis, 'url'>,
  token: string,
  method: string,
  params: Record<string, unknown> = {},
  options: { capabilities?: object; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Answer> {
  const name = params.name ?? params.uri ?? params.taskId
  const response = await fetch(`${jarvis.url}/mcp`, {
    method: 'POST',
    ...(options.signal && { signal: options.signal }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...options.headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'by-hand', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? {},
        },
      },
    }),
  })
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return JSON.parse(text)
  const messages = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Answer)
  const answer = messages.find((message) => message.result !== undefined || message.error !== undefined)
  if (answer === undefined) throw new Error(`${method} had no answer`)
  return answer
}

export const withTasks = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
