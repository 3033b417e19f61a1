import type { TestJarvis } from './start-jarvis.ts'

type Answer = {
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

type Options = { capabilities?: object; headers?: Record<string, string> }

/** One request of a 2026-07-28 client, by hand, with the headers that the specification asks for. Its id is 7. */
export function currentRequest(
  token: string,
  method: string,
  params: Record<string, unknown> = {},
  { capabilities = {}, headers = {} }: Options = {},
) {
  const name = params.name ?? params.uri ?? params.taskId
  return {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'by-hand', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    }),
  }
}

/** The answer to it, whether it came as JSON or on a stream. */
export async function askCurrent(
  jarvis: Pick<TestJarvis, 'url'>,
  token: string,
  method: string,
  params: Record<string, unknown> = {},
  options: Options = {},
): Promise<Answer> {
  const response = await fetch(`${jarvis.url}/mcp`, currentRequest(token, method, params, options))
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return JSON.parse(text)
  const messages = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Answer)
  const answer = messages.find((message) => message.result !== undefined || message.error !== undefined)
  if (answer === undefined) throw new Error(`${method} had no answer`)
  return answer
}

export const withTasks = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
