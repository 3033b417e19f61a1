import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { tool } from './attached.ts'

type Code = { client: string; redirectUri: string; challenge: string; resource: string; scope: string; isUsed?: true }
type Grant = { client: string; resource: string; scope: string; expiresAt: number }

/** How the stand-in differs from one that does all it should. */
export type Odd = {
  /** Fields that its documents have otherwise; undefined leaves one out. */
  resource?: object
  metadata?: object
  /** True if it has no document of its own as a resource. */
  hasNoResource?: true
  /** True if its documents stand at OpenID's addresses alone. */
  isOpenId?: true
  /** True if it refuses to register anybody. */
  isClosed?: true
  /** Clients that it knows, with their secrets. */
  clients?: Record<string, string | undefined>
  /** Scope of tools/call. */
  callScope?: string
  /** Path of the issuer below the origin. */
  path?: string
  /** True if it speaks the older transport: one stream, and messages that are answered there. */
  isSse?: true
  /** When the secrets of clients that register end, Unix s; their clients have secrets then. */
  secretsEndAt?: number
}

/**
 * An MCP server over Streamable HTTP and its authorization server, on one port of loopback. It checks what the specifications ask for: PKCE, resource,
 * redirect address, client, one use of a code, rotation of refresh tokens with the family ended by a replay, audience and scope of tokens.
 */
export async function startSignedInServer(odd: Odd = {}) {
  const codes = new Map<string, Code>()
  const access = new Map<string, Grant>()
  const refresh = new Map<string, Grant & { isUsed?: true }>()
  const clients = new Map<string, { secret?: string | undefined; redirectUris?: string[] }>(
    Object.entries(odd.clients ?? {}).map(([id, secret]) => [id, { secret }]),
  )
  const made = {
    url: '',
    issuer: '',
    now: () => Date.now(),
    /** Requests in order: method and path, then the grant type. */
    log: [] as string[],
    authorizations: [] as (string | undefined)[],
    refreshed: 0,
    revoked: [] as string[],
    registered: [] as Record<string, unknown>[],
    /** Runs before a refresh is looked at, and before new tokens are sent. */
    beforeRefresh: async () => {},
    beforeGiving: async () => {},
    tokenLifeS: 3600,
    /** True if its token endpoint answers with a fault of its own. */
    isDown: false,
    ran: 0,
    /** Ends every access token. */
    expire: () => access.clear(),
    endAll() {
      access.clear()
      refresh.clear()
    },
    forgetClients: () => clients.clear(),
    access,
    authorize,
    odd,
  }
  let stream: ServerResponse | undefined
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const path = odd.path ?? ''
  made.url = `${origin}/mcp`
  made.issuer = origin + path
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return made

  function metadata() {
    const issuer = made.issuer
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],

      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['read', 'write'],
      ...(odd.isOpenId && {
        jwks_uri: `${issuer}/jwks`,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      ...odd.metadata,
    }
  }

  /** The acts of a person there: opens the address, consents, and is sent back. @returns where the browser goes */
  function authorize(address: string): URL {
    const { searchParams: asked, pathname } = new URL(address)
    if (pathname !== `${path}/authorize`) throw new Error(`no ${pathname}`)
    const field = (name: string) => {
      const value = asked.get(name)
      if (value === null) throw new Error(`${name} is missing`)
      return value
    }
    const client = clients.get(field('client_id'))
    if (field('response_type') !== 'code' || field('code_challenge_method') !== 'S256') throw new Error('no PKCE')
    const redirectUri = field('redirect_uri')
    const isKnown = client !== undefined || /^https:\/\/.*\/client$/.test(field('client_id'))
    if (!isKnown || (client?.redirectUris && !client.redirectUris.includes(redirectUri)))
      throw new Error('an unknown client')
    const code = randomBytes(16).toString('hex')
    codes.set(code, {
      client: field('client_id'),
      redirectUri,
      challenge: field('code_challenge'),
      resource: field('resource'),
      scope: asked.get('scope') ?? '',
    })
    const back = new URL(redirectUri)
    for (const [name, value] of Object.entries({ code, state: field('state'), iss: made.issuer }))
      back.searchParams.set(name, value)
    return back
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { pathname } = new URL(request.url ?? '/', origin)
    const json = (status: number, body: unknown, headers = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    if (pathname === '/mcp' || pathname === '/messages') return resource(request, response, text)
    made.log.push(`${request.method} ${pathname}`)
    if (pathname === '/.well-known/oauth-protected-resource/mcp' && !odd.hasNoResource)
      return json(200, {
        resource: made.url,
        authorization_servers: [made.issuer],
        scopes_supported: ['read'],
        ...odd.resource,
      })
    const documents = odd.isOpenId
      ? [`/.well-known/openid-configuration${path}`, `${path}/.well-known/openid-configuration`].slice(
          path === '' ? 0 : 1,
        )
      : [`/.well-known/oauth-authorization-server${path}`]
    if (documents.includes(pathname)) return json(200, metadata())
    // A browser: whoever is there consents at once.
    if (pathname === `${path}/authorize`)
      return void response.writeHead(303, { location: authorize(origin + request.url).href }).end()
    if (pathname === `${path}/register`) {
      if (odd.isClosed) return json(403, { error: 'access_denied' })
      const asked = JSON.parse(text) as { redirect_uris: string[] }
      made.registered.push(asked)
      const id = `client-${made.registered.length}`
      const ends = odd.secretsEndAt
      const secret = ends === undefined ? undefined : `secret-${id}`
      clients.set(id, { redirectUris: asked.redirect_uris, secret })
      return json(201, {
        ...asked,
        client_id: id,
        ...(ends !== undefined && { client_secret: secret, client_secret_expires_at: ends }),
      })
    }
    const form = new URLSearchParams(text)
    const client = clientOf(request, form)
    if (pathname === `${path}/revoke`) {
      made.revoked.push(form.get('token') ?? '')
      access.delete(form.get('token') ?? '')
      refresh.delete(form.get('token') ?? '')
      return void response.writeHead(200).end()
    }
    if (pathname !== `${path}/token`) return void response.writeHead(404).end()
    if (made.isDown) return void response.writeHead(503).end('down')
    if (client === undefined) return json(401, { error: 'invalid_client' })
    const refuse = (error: string) => json(400, { error })
    const give = (grant: Omit<Grant, 'expiresAt'>) => {
      const [token, next] = [`access-${randomBytes(16).toString('hex')}`, `refresh-${randomBytes(16).toString('hex')}`]
      const full = { ...grant, expiresAt: made.now() + made.tokenLifeS * 1_000 }
      access.set(token, full)
      refresh.set(next, full)
      const said = {
        access_token: token,
        token_type: 'Bearer',
        expires_in: made.tokenLifeS,
        refresh_token: next,
        scope: grant.scope,
      }
      json(200, said, { 'cache-control': 'no-store' })
    }
    if (form.get('grant_type') === 'authorization_code') {
      const code = codes.get(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (code === undefined || code.isUsed || code.client !== client || code.challenge !== challenge)
        return refuse('invalid_grant')
      if (code.redirectUri !== form.get('redirect_uri')) return refuse('invalid_grant')
      if (code.resource !== form.get('resource')) return refuse('invalid_target')
      code.isUsed = true
      await made.beforeGiving()
      return give({ client, resource: code.resource, scope: code.scope })
    }
    made.refreshed += 1
    await made.beforeRefresh()
    const known = refresh.get(form.get('refresh_token') ?? '')
    if (known === undefined || known.client !== client || known.resource !== form.get('resource'))
      return refuse('invalid_grant')
    if (known.isUsed) {
      // Somebody else has it too, so that the whole family ends.
      made.endAll()
      return refuse('invalid_grant')
    }
    known.isUsed = true
    await made.beforeGiving()
    give(known)
  }

  function clientOf(request: IncomingMessage, form: URLSearchParams): string | undefined {
    const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const [id = form.get('client_id') ?? '', secret] =
      basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':')
    const known = clients.get(id)
    if (known === undefined) return /^https:\/\/.*\/client$/.test(id) ? id : undefined
    return known.secret === secret ? id : undefined
  }

  function resource(request: IncomingMessage, response: ServerResponse, text: string) {
    const { authorization } = request.headers
    made.authorizations.push(authorization)
    const grant = access.get(authorization?.replace(/^Bearer /, '') ?? '')
    const about = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    if (grant === undefined || grant.resource !== made.url || grant.expiresAt <= made.now()) {
      const challenge = odd.hasNoResource ? 'Bearer' : `Bearer ${about}`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    if (odd.isSse && request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write('event: endpoint\ndata: /messages\n\n')
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(text) as { id?: number; method: string }
    if (id === undefined) return void response.writeHead(202).end()
    const { callScope = 'read' } = odd
    if (method === 'tools/call' && !grant.scope.split(' ').includes(callScope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${callScope}", ${about}`
      return void response.writeHead(403, { 'www-authenticate': challenge }).end()
    }
    if (method === 'tools/call') made.ran += 1
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'notes', version: '1' },
      },
      'tools/list': { tools: [tool('add')] },
      'tools/call': { content: [{ type: 'text', text: 'added' }] },
    }
    const body = { jsonrpc: '2.0', id, result: results[method] ?? {} }
    if (odd.isSse) {
      response.writeHead(202).end()
      return void stream?.write(`event: message\ndata: ${JSON.stringify(body)}\n\n`)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}
export type SignedInServer = Awaited<ReturnType<typeof startSignedInServer>>
