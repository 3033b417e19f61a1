import { type JSONRPCMessage, ProtocolError, ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { TaskServer } from './task-server.ts'

test.each(['tools/list', 'tools/call', 'resources/read', 'prompts/get', 'completion/complete'] as const)(
  'what fails in %s is told in JARVIS’s words, never in those of the error',
  async (method) => {
    const told: JSONRPCMessage[] = []
    const failures: unknown[] = []
    const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} }
    const server = new TaskServer({ name: 'jarvis', version: '1' }, { capabilities }, (error) => {
      failures.push(error)
      return new ProtocolError(ProtocolErrorCode.InternalError, 'It failed.')
    })
    const fault = new Error('connect postgres://jarvis:Winter-2031-xq@nas')
    server.setRequestHandler(method, () => {
      throw fault
    })
    let answered = () => {}
    const answer = new Promise<void>((resolve) => {
      answered = resolve
    })
    const transport: Transport = {
      start: async () => {},
      close: async () => {},
      async send(message) {
        told.push(message)
        if ('error' in message && message.id === 2) answered()
      },
    }
    await server.connect(transport)
    const ask = (id: number, asked: string, params: Record<string, unknown>) =>
      transport.onmessage?.({ jsonrpc: '2.0', id, method: asked, params })
    ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } })
    ask(2, method, {
      name: 'x',
      uri: 'cluster://x',
      arguments: {},
      ...(method === 'completion/complete' && {
        ref: { type: 'ref/prompt', name: 'x' },
        argument: { name: 'a', value: '' },
      }),
    })
    await answer
    expect(failures).toEqual([fault])
    expect(told.find((one) => 'id' in one && one.id === 2)).toMatchObject({ error: { message: 'It failed.' } })
    expect(JSON.stringify(told)).not.toContain('Winter')
  },
)
