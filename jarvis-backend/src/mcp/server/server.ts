import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { errorStatus, JarvisError, type PersonRef } from 'protocol'
import type { ApiToken } from '../../auth/api-tokens.ts'
import type { Bearer } from '../../auth/bearer.ts'
import type { OpenRequests } from '../../auth/open-requests.ts'
import { requireWholeSight } from '../../auth/roles.ts'
import { authInfoOf, type Caller, callerOf } from './authenticate.ts'
import type { CallParts } from './call-tool.ts'
import { createChanges, type Watched } from './changes.ts'
import { Servers } from './create-server.ts'
import { createLostSessions } from './lost-sessions.ts'
import { createOlderSessions } from './older-sessions.ts'
import { clusterPrompts } from './prompts.ts'
import { bodyOf } from './request-body.ts'
import { type ClusterResourceParts, clusterResources } from './resources.ts'
import type { Surface } from './surface.ts'

/**
 * Serves `/mcp`: catalog, resources and prompts over Streamable HTTP, through the same runs and gate as the chat. Each request of a
 * current client gets a new server and each session of an older client its own, so no answer can reach another client. Expensive parts
 * are made once.
 */
export function createMcpRoute(
  parts: CallParts & {
    bearer: Bearer
    open: OpenRequests
    watched: Watched
    version: string
    report(error: unknown, message: string): void
    redact(text: string): string
    log(text: string, level: 'info'): void
  },
): RequestListener {
  const { bearer, open, report } = parts
  /** The SDK also reports clients that disconnect or send invalid requests. These are not faults of JARVIS, so they are logged only. */
  const onerror = (error: Error) => parts.log(`an MCP request failed: ${error.message}`, 'info')
  const servers = new Servers(parts)
  const changes = createChanges({ ...parts.watched, watchTools: parts.surface.watchTools }, report)
  const current = toNodeHandler(
    createMcpHandler(
      ({ authInfo, requestInfo, era }) =>
        servers.create(
          callerOf(authInfo),
          // An older client that lost its session still expects the capabilities that older servers declare.
          callerOf(authInfo).hasLostSession && era === 'legacy' ? { add() {}, delete() {} } : undefined,
          era === 'modern' ? (requestInfo?.headers.get('mcp-method') ?? undefined) : undefined,
        ),
      { bus: changes, onerror },
    ),
    { onerror },
  )
  const { resources } = parts.surface
  const mayHear = (uri: string, { token }: Caller) => resources.mayHear?.(uri, token) !== false
  const older = createOlderSessions({
    create: (caller, subscriptions) => servers.create(caller, subscriptions),
    changes,
    mayHear,
    onerror,
    report,
  })
  const lost = createLostSessions()

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, person }: { caller: Caller; person: PersonRef },
  ) {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined
    const begins = methodOf(body) === 'initialize' && !isCurrent(body)
    // A client that lost its session may send the old id with `initialize`.
    const id = begins ? undefined : sessionIdOf(request)
    const listens = methodOf(body) === 'subscriptions/listen'
    if (request.method === 'GET' || listens) open.isStream(response)
    // A listener gets notifications of all changes, so its person must be allowed to see the whole cluster.
    if (listens) requireWholeSight(person.role)
    if (begins || (id !== undefined && older.isKnown(id))) {
      if (await older.handle(request, response, { caller, id, body })) return
      throw new JarvisError('not_found', 'There is no such MCP session. Initialize again.')
    }
    const served = id === undefined ? caller : lost.callerOf(caller, id, body)
    if (served === undefined)
      throw new JarvisError('not_found', 'There is no such MCP session any more. Initialize again.')
    try {
      await current(Object.assign(request, { auth: authInfoOf(served) }) as NodeIncomingMessageLike, response, body)
    } finally {
      lost.over(served)
    }
  }

  return (request, response) => {
    const refuse = (error: unknown) => {
      if (!(error instanceof JarvisError)) {
        report(error, 'an MCP request failed')
        if (!response.headersSent) response.writeHead(500).end()
        return
      }
      if (error.code === 'unauthorized' || error.code === 'token_expired') {
        response.setHeader('WWW-Authenticate', bearer.challenge(request))
      }
      const { code, message, retryAfterS } = error
      if (retryAfterS !== undefined) response.setHeader('Retry-After', String(retryAfterS))
      if (!request.complete) response.setHeader('Connection', 'close')
      response.writeHead(errorStatus[code], { 'content-type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify({ error: { code, message: parts.redact(message) } }))
    }
    try {
      const verified = bearer.verify(request, 'mcp')
      const { token } = verified
      const gone = open.add(response, verified, () => older.dropToken(token.name))
      serve(request, response, { caller: { token, gone }, person: verified.person }).catch(refuse)
    } catch (error) {
      refuse(error)
    }
  }
}

/** The resources and prompts about the cluster and the journal. */
export function clusterSurface(parts: ClusterResourceParts): Surface {
  const resources = clusterResources(parts)
  const cluster = (token: ApiToken) => parts.sightOf(token)?.(parts.cluster()) ?? parts.cluster()
  return { resources, prompts: clusterPrompts(cluster, resources) }
}

function sessionIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['mcp-session-id']
  return (Array.isArray(id) ? id[0] : id) || undefined
}

/** True for a request of a current client: it contains the version of the specification and is not `initialize`. */
const isCurrent = (body: unknown) =>
  (body as { params?: { _meta?: object } }).params?._meta?.[PROTOCOL_VERSION_META_KEY as never] !== undefined

const methodOf = (body: unknown) =>
  typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined
