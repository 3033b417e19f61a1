import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { createToken } from './api-tokens.ts'
import type { TestJarvis } from './start-jarvis.ts'

export { createToken, revokeToken, type TokenOptions } from './api-tokens.ts'

export const headersOf = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

export async function connectMcp(jarvis: TestJarvis, token: string) {
  const client = new Client({ name: 'test-client', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${jarvis.url}/mcp`), headersOf(token)))
  onTestFinished(() => client.close())
  return client
}

/** A client with a token and a session of its own, and a screen that watches that session. */
export async function watchedMcp(jarvis: TestJarvis, name: string) {
  const client = await connectMcp(jarvis, createToken(jarvis, { name }))
  // The first call makes the session.
  await client.callTool({ name: 'get_cluster_status', arguments: {} })
  const sessionId = `ses_mcp_${name}`
  const operator = await jarvis.connect()
  await operator.ask('chat:attach', { sessionId })
  return { client, operator, sessionId }
}

/** The first card that nobody has decided. */
export async function firstCard(jarvis: TestJarvis) {
  const events = await jarvis.connect('/events')
  for (;;) {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as {
      items: { toolUseId: string; sessionId: string; decision?: string; toolName: string; requestedBy: object }[]
    }
    const pending = items.find(({ decision }) => decision === undefined)
    if (pending !== undefined) return pending
    await events.next('changed' as never)
  }
}
