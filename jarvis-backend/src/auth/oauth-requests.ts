import { randomBytes } from 'node:crypto'
import { JarvisError, type OAuthAsk, type OAuthProblem } from 'protocol'
import type { OAuthClients } from './oauth-clients.ts'
import { OAuthError } from './oauth-error.ts'
import { isLoopbackRedirect, isSameRedirect, redirectHost, withQuery } from './oauth-redirects.ts'
import type { OAuthClient } from './oauth-store.ts'
import type { Identity } from './tokens.ts'

export const scopes = { read: 'jarvis:read', ask: 'jarvis:ask' } as const

/** A client's request for access after it was validated. */
export type AccessRequest = {
  client: OAuthClient
  redirectUri: string
  challenge: string
  resource: string
  issuer: string
  state: string | undefined
  mayAsk: boolean
}
/** A request that an operator allowed. */
export type Allowed = { request: AccessRequest; isReadOnly: boolean; requestsPerMinute?: number; by: string }

const requestMs = 10 * 60_000
const mostRequests = 100

export interface OAuthRequests {
  /**
   * Validates a request. `query`, `origin`: the query and the origin of the address to which the client sent the browser.
   * @throws JarvisError `invalid_request` if it is not safe to redirect the browser back
   */
  open(query: string, origin: string): Promise<OAuthAsk | OAuthProblem>
  /**
   * Records an operator's decision, which can be made once. @returns the address to which the browser goes. @throws JarvisError `expired`,
   * `invalid_request`
   */
  decide(
    id: string,
    decision: { allow: boolean; isReadOnly: boolean; requestsPerMinute?: number | undefined },
    by: Identity,
  ): string
}

/**
 * Keeps validated requests while a person looks at the consent page. A decision applies to the stored request, so a changed address in the browser
 * cannot change what is allowed.
 */
export function createOAuthRequests(parts: {
  clients: OAuthClients
  /** Makes the authorization code. */
  allow(allowed: Allowed): string
  /** Writes to the journal. */
  denied(request: AccessRequest, by: string): void
  now(): number
}): OAuthRequests {
  const { clients, now } = parts
  const waiting = new Map<string, { request: AccessRequest; until: number }>()

  return {
    async open(query: string, origin: string): Promise<OAuthAsk | OAuthProblem> {
      const params = new URLSearchParams(query)
      const one = (name: string) => params.get(name) ?? undefined
      const client = await clients.find(one('client_id') ?? '')
      const redirectUri = one('redirect_uri') ?? ''
      const isOnce = (name: string) => params.getAll(name).length === 1
      if (
        !isOnce('client_id') ||
        !isOnce('redirect_uri') ||
        !client.redirectUris.some((uri) => isSameRedirect(uri, redirectUri))
      ) {
        throw new JarvisError('invalid_request', `redirect_uri: ${client.name} did not register this address.`)
      }
      const back = { state: one('state'), iss: origin }
      try {
        const request = {
          client,
          redirectUri,
          issuer: origin,
          state: back.state,
          ...readRequest(params, resourceOf(origin)),
        }
        const id = randomBytes(16).toString('base64url')
        for (const [known, { until }] of waiting) {
          if (until > now() && waiting.size < mostRequests) break
          waiting.delete(known)
        }
        waiting.set(id, { request, until: now() + requestMs })
        const documentHost = /^https:/.test(client.id) ? { documentHost: new URL(client.id).host } : {}
        return {
          id,
          clientName: client.name,
          ...documentHost,
          redirectHost: redirectHost(redirectUri),
          isOnThisMachine: isLoopbackRedirect(redirectUri),
          mayAsk: request.mayAsk,
        }
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        const { code, message } = error
        return {
          problem: message,
          redirectHost: redirectHost(redirectUri),
          returnTo: withQuery(redirectUri, { error: code, error_description: message, ...back }),
        }
      }
    },

    decide(
      id: string,
      decision: { allow: boolean; isReadOnly: boolean; requestsPerMinute?: number | undefined },
      { sub }: Identity,
    ): string {
      const known = waiting.get(id)
      if (known === undefined || known.until <= now()) {
        throw new JarvisError('expired', 'This was answered, or is too long ago. Start again in the client.')
      }
      const { request } = known
      if (decision.allow && !decision.isReadOnly && !request.mayAsk) {
        throw new JarvisError('invalid_request', `${request.client.name} asked to read, nothing else.`)
      }
      waiting.delete(id)
      const back = { state: request.state, iss: request.issuer }
      if (!decision.allow) {
        parts.denied(request, sub)
        return withQuery(request.redirectUri, { error: 'access_denied', ...back })
      }
      const { isReadOnly, requestsPerMinute } = decision
      const rate = requestsPerMinute === undefined ? {} : { requestsPerMinute }
      const code = parts.allow({ request, isReadOnly, ...rate, by: sub })
      return withQuery(request.redirectUri, { code, ...back })
    },
  }
}

/** The only OAuth resource of an origin: its MCP endpoint. */
export const resourceOf = (origin: string): string => `${origin}/mcp`

/** Checks that `given` names `resource`, ignoring the case of scheme and host. @throws OAuthError `invalid_target` */
export function requireResource(given: string, resource: string): void {
  if (URL.canParse(given) && !given.includes('#') && new URL(given).href === resource) return
  throw new OAuthError('invalid_target', `Access is given to ${resource} alone.`)
}

function readRequest(
  params: URLSearchParams,
  resource: string,
): Pick<AccessRequest, 'challenge' | 'resource' | 'mayAsk'> {
  const names = [...params.keys()]
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw new OAuthError(twice === 'resource' ? 'invalid_target' : 'invalid_request', `${twice} is there twice.`)
  if (params.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'Only response_type=code is served.')
  }
  const challenge = params.get('code_challenge') ?? ''
  if (params.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw new OAuthError('invalid_request', 'PKCE with S256 is required.')
  }
  // Clients of older specifications name no resource. Their tokens are bound to this resource too.
  requireResource(params.get('resource') ?? resource, resource)
  const asked = (params.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  const known: readonly string[] = Object.values(scopes)
  if (asked.length > 0 && !asked.some((scope) => known.includes(scope))) {
    throw new OAuthError('invalid_scope', `The scopes are ${known.join(' and ')}.`)
  }
  return { challenge, resource, mayAsk: asked.length === 0 || asked.includes(scopes.ask) }
}
