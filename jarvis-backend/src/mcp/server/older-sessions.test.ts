import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InMemoryServerEventBus, Server } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { createOlderSessions } from './older-sessions.ts'
import { bodyOf } from './request-body.ts'

test('a session that never began listens to nothing', async () => {
  const changes = new InMemoryServerEventBus(() => {})
  const older = createOlderSessions({
    create: () => new Server({ name: 'jarvis', version: '0' }, { capabilities: {} }),
    changes,
    mayHear: () => true,
    onerror: () => {},
    report: () => {},
  })
  const caller = {
    token: { name: 'ops', doors: ['mcp' as const], scope: 'ask' as const, calls: 0, createdAt: 0 },
    gone: new AbortController().signal,
  }
  const http = createServer(async (request, response) => {
    await older.handle(request, response, { caller, id: undefined, body: await bodyOf(request) })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const initialize = async (params?: object) => {
    const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    })
    await response.text()
    return response.status
  }
  expect(await initialize()).toBe(400)
  expect(changes.listenerCount).toBe(0)
  const clientInfo = { name: 'x', version: '1' }
  expect(await initialize({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo })).toBe(200)
  expect(changes.listenerCount).toBe(1)
  await older.close()
})
