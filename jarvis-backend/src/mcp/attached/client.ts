import type { Client, Transport } from '@modelcontextprotocol/client'
import type { AttachedServerConfig } from 'protocol'
import type { Askers } from './askers.ts'
import type { Listed } from './definition.ts'
import type { Elicited } from './elicitation.ts'
import { pinnedFetch } from './fetch.ts'
import type { AttachedLog } from './log.ts'
import { faultOf, notMcp, type Reach } from './reach.ts'
import { odd, Received } from './received.ts'
import { StdioTransport } from './stdio-transport.ts'

/** Maximum number of rounds of questions in one call of a server. */
const mostRounds = 5
/** A process that has not answered the probe by then is treated as an older server that is still starting. */
const probeMs = 5_000

type Parts = {
  config: AttachedServerConfig
  version: string
  /** The part of JARVIS's environment that the process receives. */
  env: Record<string, string>
  cwd: string
  log: AttachedLog
  /** Asks a person the server's questions. */
  askers: Pick<Askers, 'elicit'>
  /** Adds the token of a sign-in to requests. @param next a fetch that sends requests only to the server's origin */
  signedIn(next: typeof fetch): typeof fetch
}
/** Reads all tools of a server, including those that cannot be used. */
export type ListTools = (timeoutMs: number) => Promise<readonly Listed[]>
/** `ended`: the reason why its process ended. */
export type EndingTransport = Transport & { ended?: string | undefined }

/**
 * Creates the SDK's client for one attached server, and its transport. Sends nothing yet.
 * @param parts.asksFirst true: the server is asked for its version before `initialize`
 * @param parts.stale called when the server says that its tools have changed
 * @param parts.streamEnded called when a stream for the server's own messages ends
 * @returns `listTools` reads all tools, including those that cannot be used; `whyNot` replaces an error message of the SDK by the fault of the
 * address, if there is one
 */
export async function makeClient(parts: Parts & { asksFirst: boolean; stale(): void; streamEnded(): void }): Promise<{
  client: Client
  transport: EndingTransport
  listTools: ListTools
  whyNot(said: string): string
}> {
  const { config, log } = parts
  const sdk = await import('@modelcontextprotocol/client')
  let reach: Reach | undefined
  const received = new Received()
  const transport = transportTo(sdk, parts, {
    received,
    reached(how) {
      reach = how
    },
  })
  const client = new sdk.Client(
    { name: 'jarvis', title: 'JARVIS', version: parts.version },
    {
      versionNegotiation: parts.asksFirst ? { mode: 'auto', probe: { timeoutMs: probeMs } } : { mode: 'legacy' },
      // JARVIS fills in no defaults: a field that nobody answered stays without an answer.
      capabilities: { elicitation: { form: { applyDefaults: false }, url: {} } },
      inputRequired: { maxRounds: mostRounds },
      // Results are data. JARVIS does not require that they match the server's output schema.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => parts.stale() } },
    },
  )
  client.onerror = (error) => log.write('jarvis', error.message)
  client.setNotificationHandler('notifications/message', ({ params }) => {
    log.write(
      'server',
      `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`,
    )
  })
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
    parts.askers.elicit(params as Elicited, mcpReq.signal),
  )
  return {
    client,
    transport,
    async listTools(timeoutMs) {
      const { tools } = await client.listTools(undefined, { timeout: timeoutMs, cacheMode: 'refresh' })
      const dropped = received.toolNames().filter((name) => !tools.some((tool) => tool.name === name))
      return [...tools, ...dropped.map((name) => odd(name, oddHeader))] as readonly Listed[]
    },
    whyNot(said) {
      if (config.type === 'stdio') return said
      const url = new URL(config.url)
      const isSpoken = client.getServerVersion() !== undefined
      return faultOf(url, reach, config.type) ?? (reach === undefined || isSpoken ? said : notMcp(url))
    },
  }
}

/** Problem of a tool with an invalid `x-mcp-header`. The SDK leaves such tools out of its list. */
const oddHeader = 'An x-mcp-header in its input schema is not as the MCP specification has it.'

function transportTo(
  sdk: typeof import('@modelcontextprotocol/client'),
  parts: Parts & { streamEnded(): void },
  { received, reached }: { received: Received; reached(how: Reach): void },
): EndingTransport {
  const { config, log } = parts
  if (config.type === 'stdio') {
    const { command, args, env, cwd } = config
    const launch = { command, args, env: { ...parts.env, ...env }, cwd: cwd ?? parts.cwd }
    return new StdioTransport(launch, log.write, received)
  }
  const url = new URL(config.url)
  // In Streamable HTTP, a GET only opens a stream for events. A server may refuse it and still work, so its outcome is not reported.
  const told = (next: Reach, method: string) => {
    if (config.type === 'sse' || method !== 'GET') reached(next)
  }
  const options = {
    requestInit: { headers: config.headers },
    fetch: parts.signedIn(pinnedFetch(url, received, { told, streamEnded: parts.streamEnded })),
  }
  if (config.type === 'http') return new sdk.StreamableHTTPClientTransport(url, options)
  let streams = 0
  // A second stream would be a new session without `initialize`.
  const once: typeof fetch = (input, init) => {
    if ((init?.method ?? 'GET') !== 'GET' || ++streams === 1) return options.fetch(input, init)
    void transport.close()
    return Promise.reject(new Error('Its stream ended.'))
  }
  const transport = new sdk.SSEClientTransport(url, { ...options, fetch: once })
  return transport
}
