import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import type { Server, ServerEventBus } from '@modelcontextprotocol/server'
import { authInfoOf, type Caller } from './authenticate.ts'
import type { Subscriptions } from './create-server.ts'

/** Maximum number of sessions. To open one more, the least recently used session is closed. */
const mostSessions = 100

type Session = {
  server: Server
  transport: NodeStreamableHTTPServerTransport
  tokenName: string
  /** Ends the session's subscriptions. */
  end(): void
}

/**
 * Sessions for clients of specifications before 2026-07-28. Each has its own server and transport, so no answer can reach another client.
 * Such a client sends its name once, and changes can be pushed to it.
 */
export function createOlderSessions(parts: {
  create(caller: Caller, subscriptions: Subscriptions): Server
  changes: ServerEventBus
  /** True if a client may be notified that the content of a URI changed. */
  mayHear(uri: string, caller: Caller): boolean
  onerror(error: Error): void
  report(error: unknown, message: string): void
}) {
  // The sessions by id, the least recently used first.
  const sessions = new Map<string, Session>()

  async function open(caller: Caller): Promise<NodeStreamableHTTPServerTransport> {
    const subscribed = new Set<string>()
    const server = parts.create(caller, subscribed)
    const stopListening = parts.changes.subscribe((event) => {
      const isHeard =
        event.kind !== 'resource_updated' || (subscribed.has(event.uri) && parts.mayHear(event.uri, caller))
      if (!isHeard) return
      void tell(server, event).catch((error: unknown) => parts.report(error, 'an MCP client was not told'))
    })
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized(id) {
        sessions.set(id, { server, transport, tokenName: caller.token.name, end: stopListening })
        const own = [...sessions].filter(([, { tokenName }]) => tokenName === caller.token.name)
        const [oldest] = own
        if (own.length > mostSessions && oldest !== undefined) drop(oldest[0])
      },
    })
    server.onclose = () => {
      stopListening()
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    }
    server.onerror = parts.onerror
    await server.connect(transport)
    return transport
  }

  function drop(id: string) {
    const session = sessions.get(id)
    sessions.delete(id)
    session?.end()
    session?.server.close().catch((error: unknown) => parts.report(error, 'an MCP session could not be closed'))
  }

  return {
    /** True if a session has this id, whatever its token. */
    isKnown: (id: string) => sessions.has(id),
    /** Ends the sessions of a token that is no longer valid. */
    dropToken(name: string) {
      for (const [id, { tokenName }] of sessions) if (tokenName === name) drop(id)
    },
    /**
     * Answers one request. `id`: the session id that the client sent; undefined for `initialize`. @returns false if the client has no such session
     */
    async handle(
      request: IncomingMessage,
      response: ServerResponse,
      { caller, id, body }: { caller: Caller; id: string | undefined; body: unknown },
    ): Promise<boolean> {
      const known = id === undefined ? undefined : sessions.get(id)
      if (id !== undefined && known?.tokenName !== caller.token.name) return false
      if (id !== undefined && known !== undefined) {
        sessions.delete(id)
        sessions.set(id, known)
      }
      const transport = known?.transport ?? (await open(caller))
      await transport.handleRequest(Object.assign(request, { auth: authInfoOf(caller) }), response, body)
      // A cancelled call gets no answer, so its response stream would stay open as long as the session.
      const cancelled = cancelledIn(body)
      if (cancelled !== undefined) transport.closeSSEStream(cancelled)
      // `initialize` was refused, so the session is unreachable.
      if (transport.sessionId === undefined) await transport.close()
      return true
    },
    async close() {
      for (const id of [...sessions.keys()]) drop(id)
    },
  }
}

function cancelledIn(body: unknown): string | number | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: string | number } }
  return method === 'notifications/cancelled' ? params?.requestId : undefined
}

async function tell(server: Server, event: Parameters<Parameters<ServerEventBus['subscribe']>[0]>[0]) {
  switch (event.kind) {
    case 'resource_updated':
      await server.sendResourceUpdated({ uri: event.uri })
      return
    case 'resources_list_changed':
      await server.sendResourceListChanged()
      return
    case 'tools_list_changed':
      await server.sendToolListChanged()
      return
    case 'prompts_list_changed':
      return
    default:
      event satisfies never
  }
}
