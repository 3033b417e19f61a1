import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { answerRequest, memoryProvider, openRequest, type Tokens } from './support/oauth-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

type Provider = ReturnType<typeof memoryProvider>['provider']
type AnyTransport = { finishAuth(code: string, iss?: string): Promise<void> }
/** The same steps with either package; their types do not agree under exactOptionalPropertyTypes. */
const sdks: Record<string, { transport(url: URL, authProvider: Provider): AnyTransport; client(): Client }> = {
  'the v1 SDK': {
    transport: (url, authProvider) => new StreamableHTTPClientTransport(url, { authProvider }),
    client: () => new Client({ name: 'v1', version: '1' }),
  },
  'the v2 SDK on 2025-11-25': {
    transport: (url, authProvider) => new CurrentTransport(url, { authProvider }),
    client: () => new CurrentClient({ name: 'v2', version: '1' }) as never,
  },
  'the v2 SDK on 2026-07-28': {
    transport: (url, authProvider) => new CurrentTransport(url, { authProvider }),
    client: () =>
      new CurrentClient({ name: 'v2', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }) as never,
  },
}

/** Given the address alone: is refused, finds its way to the consent page, and comes back with tokens. */
async function signIn(
  jarvis: TestJarvis,
  sdk: (typeof sdks)[string],
  { provider, kept }: ReturnType<typeof memoryProvider>,
) {
  const url = new URL(`${jarvis.url}/mcp`)
  const first = sdk.transport(url, provider)
  await expect(sdk.client().connect(first as never)).rejects.toThrow(/authoriz/i)
  const sentTo = kept.sentTo as URL
  expect(sentTo.origin + sentTo.pathname).toBe(`${jarvis.url}/oauth/authorize`)
  const ask = await openRequest(jarvis, sentTo.search)
  const answer = await answerRequest(jarvis, ask.id)
  expect(answer.searchParams.get('state')).toBe('a-state')
  await first.finishAuth(answer.searchParams.get('code') ?? '', answer.searchParams.get('iss') ?? '')
  const client = sdk.client()
  await client.connect(sdk.transport(url, provider) as never)
  onTestFinished(() => client.close())
  return { client, ask }
}

test.each(Object.keys(sdks))('%s signs itself in, calls a tool, and refreshes by itself', async (name) => {
  const jarvis = await startJarvis()
  const memory = memoryProvider()
  const { client, ask } = await signIn(jarvis, sdks[name] as never, memory)
  expect(ask).toEqual({
    id: ask.id,
    clientName: 'Test Editor',
    redirectHost: 'localhost:33418',
    isOnThisMachine: true,
    mayAsk: true,
  })

  const current: unknown = client
  if (current instanceof CurrentClient) expect(current.getNegotiatedProtocolVersion()).toBe(name.slice(-10))
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('restart_vm')
  expect((await client.callTool({ name: 'get_cluster_status', arguments: {} })).isError).not.toBe(true)

  const before = memory.kept.tokens as Tokens
  memory.kept.tokens = { ...before, access_token: 'jmat_of-another-day' }
  const tools = await client.listTools()
  expect(tools.tools.length).toBeGreaterThan(0)
  expect((memory.kept.tokens as Tokens).refresh_token).not.toBe(before.refresh_token)
})

test('a client whose id is an address is described by the document there', async () => {
  const id = 'https://editor.example/oauth/client.json'
  const asked: string[] = []
  const jarvis = await startJarvis({
    fetchDocument: async (url) => {
      asked.push(url.href)
      return {
        text: JSON.stringify({ client_id: id, client_name: 'Editor', redirect_uris: ['http://localhost/callback'] }),
        maxAgeS: 600,
      }
    },
  })
  const memory = memoryProvider({ clientMetadataUrl: id })
  const { client, ask } = await signIn(jarvis, sdks['the v2 SDK on 2026-07-28'] as never, memory)
  expect(ask).toMatchObject({ clientName: 'Editor', documentHost: 'editor.example', isOnThisMachine: true })
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
  expect(asked).toEqual([id])
})
