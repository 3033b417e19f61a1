import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client'
import { type AttachedServerConfig, type AttachedSignIn, type AttachedSignInReply, JarvisError } from 'protocol'
import type { AttachedSignInStore, Journal, Transactions } from '../../../calls/ports.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { whyUnreachable } from '../../../lib/unreachable.ts'
import { visible } from '../text.ts'
import { callbackPath, clientFor, isRefusedClient, originOfDocument } from './client.ts'
import { type Challenge, discover, type Found, SignInRefused, scopesOf } from './discovery.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { type Kept, type Pin, secretsOfKept, tokensFrom } from './tokens.ts'

export const startPath = '/api/mcp-servers/sign-in/start'

/** How long an owner may take at the authorization server, ms. */
const flowMs = 10 * 60_000
const mostFlows = 50
/** A token is renewed so long before its end, ms. */
const earlyMs = 30_000

type HttpConfig = Extract<AttachedServerConfig, { url: string }>
type Flow = {
  server: string
  url: string
  by: string
  found: Found
  client: OAuthClientInformationMixed
  redirectUri: string
  address: string
  scopes: string[]
  state: string
  verifier: string
  until: number
  /** SHA-256 of the cookie of the browser that opened it. */
  browser?: string
  /** The client that an owner registered by hand. `isNamed`: the entry names its issuer. */
  own?: { client: string; isNamed: boolean } | undefined
}

/**
 * Signs JARVIS in to attached servers over HTTP by OAuth 2.1, for owners: code flow with PKCE, state, issuer and resource (RFC 7636, 9207, 8707). Tokens
 * are kept sealed, for one address of one server, and renewed one at a time. Each sign-in, its end and each refusal is journalled.
 */
export class SignIns {
  readonly #parts
  readonly #kept = new Map<string, Kept>()
  /** The sign-ins and scopes that servers asked for since their last sign-in. */
  readonly #asked = new Map<string, { url: string; challenge: Challenge; wants: string[] }>()
  readonly #renewing = new Map<string, Promise<Kept | undefined>>()
  readonly #flows = new Map<string, Flow>()
  /** Why the last sign-in to a server was refused. */
  readonly #refusals = new Map<string, string>()
  /** Where the secret of a server's hand-written client went first. */
  readonly #pins = new Map<string, Pin>()

  constructor(parts: {
    store: AttachedSignInStore
    journal: Journal
    transactions: Transactions
    clock: Clock
    redact: { text(text: string): string; add(secrets: readonly string[]): void }
    announce(text: string, level: 'info' | 'warning'): void
    /** Called when what clients are shown has changed. */
    changed(): void
    report(error: unknown, message: string): void
  }) {
    this.#parts = parts
    for (const [server, text] of parts.store.all()) {
      if (text === undefined) continue
      if (server.startsWith(pinPrefix)) {
        this.#pins.set(server.slice(pinPrefix.length), JSON.parse(text) as Pin)
        continue
      }
      const kept = JSON.parse(text) as Kept
      this.#kept.set(server, kept)
      parts.redact.add(secretsOfKept(kept))
    }
  }

  /** The standing of a server's sign-in; undefined where it asked for none. */
  of(server: string, url: string): AttachedSignIn | undefined {
    const kept = this.#keptFor(server, url)
    const asked = this.#asked.get(server)
    const isAsked = asked?.url === url
    if (kept === undefined) {
      if (!isAsked) return undefined
      const refusal = this.#refusals.get(server)
      return {
        state: 'needed',
        scopes: [],
        wants: asked.challenge.scopes ?? [],
        isRenewed: false,
        ...(refusal !== undefined && { problem: refusal }),
      }
    }
    const wants = isAsked ? asked.wants : []
    const { metadata, scopes, expiresAt, by, at, problem, accessToken, refreshToken } = kept
    return {
      state: accessToken === undefined ? 'again' : wants.length > 0 ? 'more' : 'signed_in',
      issuer: metadata.issuer,
      scopes,
      wants,
      isRenewed: refreshToken !== undefined,
      by,
      at,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(problem !== undefined && { problem }),
    }
  }

  /**
   * Begins a sign-in: finds out where, and as which client.
   * @param origin where the owner's browser reaches JARVIS
   * @throws JarvisError `conflict` where it cannot be done, with what to do
   */
  async begin(
    server: string,
    config: HttpConfig,
    { origin, by }: { origin: string; by: string },
  ): Promise<AttachedSignInReply> {
    const problem = placeProblem(origin)
    if (problem !== undefined) throw new JarvisError('conflict', problem)
    const sdk = await import('@modelcontextprotocol/client')
    const url = new URL(config.url)
    const asked = this.#asked.get(server)
    const isAsked = asked?.url === config.url
    try {
      const fetchFn = guardedFetch(url)
      const own = ownClient(config)
      const wanted = own && (config.oauth?.issuer ?? this.#pinOf(server, own)?.issuer)
      const found = await discover(url, isAsked ? asked.challenge : {}, { fetchFn, wanted })
      this.#requireIssuer(server, found.metadata.issuer, config)
      const before = this.#keptFor(server, config.url)
      const offersRenewal = found.metadata.scopes_supported?.includes('offline_access') === true
      const scopes = [
        ...new Set([
          ...(before?.accessToken === undefined ? [] : before.scopes),
          ...(config.oauth?.scopes ?? found.scopes),
          ...(isAsked ? asked.wants : []),
          ...(offersRenewal ? ['offline_access'] : []),
        ]),
      ]
      const redirectUri = origin + callbackPath
      const client = await clientFor(found, config, {
        redirectUri,
        origin,
        before,
        scopes,
        fetchFn,
        now: this.#now(),
        isDocumentUnread: this.#isUnanswered(server, found.metadata.issuer, origin),
      })
      const state = randomBytes(32).toString('base64url')
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(found.metadata.issuer, {
        metadata: found.metadata,
        clientInformation: client,
        redirectUrl: redirectUri,
        state,
        // The type takes a URL, and a URL would write the resource otherwise than the server does.
        resource: found.resource as unknown as URL,
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      })
      const id = randomBytes(32).toString('base64url')
      for (const [known, flow] of this.#flows) if (flow.until <= this.#now()) this.#flows.delete(known)
      if (this.#flows.size >= mostFlows)
        throw new SignInRefused('Too many sign-ins are open. Finish one, or wait ten minutes.')
      this.#flows.set(hashOf(id), {
        server,
        url: config.url,
        by,
        found,
        client,
        redirectUri,
        scopes,
        state,
        own: own === undefined ? undefined : { client: own, isNamed: config.oauth?.issuer !== undefined },
        address: authorizationUrl.href,
        verifier: codeVerifier,
        until: this.#now() + flowMs,
      })
      return { address: `${origin}${startPath}?flow=${id}`, issuer: found.metadata.issuer, scopes }
    } catch (error) {
      this.#refused(server, by, wordsOf(error))
      throw new JarvisError('conflict', `${wordsOf(error).replace(/\.$/, '')}.`, { cause: error })
    }
  }

  /** Opens a flow in one browser, once. @returns the cookie for this browser, and where it goes. @throws JarvisError `expired` */
  start(id: string): { cookie: string; address: string } {
    const flow = this.#flows.get(hashOf(id))
    if (flow === undefined || flow.browser !== undefined || flow.until <= this.#now()) throw over()
    const cookie = randomBytes(32).toString('base64url')
    flow.browser = hashOf(cookie)
    return { cookie, address: flow.address }
  }

  /**
   * Ends a flow with the answer that the browser brought back; whatever the answer is, the flow takes no other.
   * @param isStill whether the server still has this address
   * @returns the server @throws JarvisError `expired` for a browser without a flow, `conflict` for an answer that does not count
   */
  async finish(
    cookie: string | undefined,
    answer: URLSearchParams,
    isStill: (server: string, url: string) => boolean,
  ): Promise<string> {
    const browser = cookie === undefined ? undefined : hashOf(cookie)
    const [id, flow] = [...this.#flows].find(([, one]) => one.browser !== undefined && one.browser === browser) ?? []
    if (id === undefined || flow === undefined || flow.until <= this.#now()) throw over()
    this.#flows.delete(id)
    const { server, url, by, found, client } = flow
    try {
      const sdk = await import('@modelcontextprotocol/client')
      if (!isSameText(answer.get('state') ?? '', flow.state))
        throw new SignInRefused('The answer is to another sign-in')
      const iss = answer.get('iss') ?? undefined
      sdk.validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: found.metadata.issuer,
        issParameterSupported: found.metadata.authorization_response_iss_parameter_supported === true,
      })
      const refusal = answer.get('error')
      if (refusal !== null)
        throw new SignInRefused(
          `It was refused there: ${visible(`${refusal} ${answer.get('error_description') ?? ''}`.trim(), 200)}`,
        )
      const code = answer.get('code')
      if (code === null || answer.getAll('code').length > 1) throw new SignInRefused('The answer has no code')
      if (!isStill(server, url)) throw new SignInRefused(movedWords(server))
      this.#pin(server, flow)
      const tokens = await sdk.exchangeAuthorization(found.metadata.issuer, {
        metadata: found.metadata,
        clientInformation: client,
        authorizationCode: code,
        ...(iss !== undefined && { iss }),
        codeVerifier: flow.verifier,
        redirectUri: flow.redirectUri,
        fetchFn: guardedFetch(new URL(url)),
        resource: found.resource as unknown as URL,
      })
      const kept: Kept = {
        url,
        resource: found.resource,
        metadata: found.metadata,
        client,
        redirectUri: flow.redirectUri,
        by,
        at: this.#now(),
        ...tokensFrom(tokens, flow.scopes, this.#now()),
        ...(flow.own !== undefined && { isOwnClient: true as const }),
      }
      if (!isStill(server, url)) {
        await this.#revoke(kept)
        throw new SignInRefused(movedWords(server))
      }
      this.#keep(server, kept, {
        change: 'signed_in',
        issuer: found.metadata.issuer,
        resource: found.resource,
        scopes: kept.scopes,
        by,
      })
      this.#asked.delete(server)
      this.#refusals.delete(server)
      this.#parts.announce(
        `The MCP server ${server} is signed in to, at ${new URL(found.metadata.issuer).host}.`,
        'info',
      )
      this.#parts.changed()
      return server
    } catch (error) {
      const before = this.#keptFor(server, url)
      if (before?.client.client_id === client.client_id && isRefusedClient(error))
        this.#keep(server, { ...before, isClientRefused: true })
      this.#refused(server, by, wordsOf(error))
      throw new JarvisError('conflict', `${wordsOf(error).replace(/\.$/, '')}. Nothing was kept; begin again.`, {
        cause: error,
      })
    }
  }

  /** Signs a server out that was signed in to at another address than it has now. */
  async leave(server: string, url: string | undefined, by: string): Promise<void> {
    if (url === undefined && this.#pins.delete(server)) this.#parts.store.forget(pinPrefix + server)
    if (this.#kept.get(server)?.url !== url) await this.signOut(server, by)
  }

  /** Signs a server out, and takes its tokens back at the authorization server (RFC 7009) where that offers it. */
  async signOut(server: string, by: string): Promise<void> {
    const kept = this.#kept.get(server)
    if (kept === undefined) return
    this.#kept.delete(server)
    this.#asked.delete(server)
    this.#parts.store.forget(server)
    const isRevoked = await this.#revoke(kept)
    this.#parts.transactions.durably(() =>
      this.#parts.journal.append('mcp_server', {
        change: 'signed_out',
        server,
        issuer: kept.metadata.issuer,
        isRevoked,
        by,
      }),
    )
    this.#parts.announce(
      isRevoked || kept.accessToken === undefined
        ? `The MCP server ${server} is signed out.`
        : `The MCP server ${server} is signed out here. ${new URL(kept.metadata.issuer).host} did not take the token back: it counts there until its end.`,
      isRevoked ? 'info' : 'warning',
    )
    this.#parts.changed()
  }

  /**
   * A fetch that carries a server's token, renews it and sees what the server asks for. The token goes to no other origin, because `next` refuses them.
   * @param next asks the server's own origin alone
   */
  fetchOf(server: string, url: string, next: typeof fetch): typeof fetch {
    return async (input, init) => {
      const kept = await this.#fresh(server, url)
      const first = await next(input, withToken(init, kept))
      if (first.status === 403) {
        const wants = await this.#stepUp(server, url, first)
        if (wants !== undefined)
          throw notSent(
            403,
            `It asks for more rights (${wants.join(', ')}), which an owner gives under Settings, MCP servers.`,
          )
      }
      if (first.status !== 401) return first
      await this.#challenged(server, url, first)
      // A 401 that does not ask for a token may come from what the server itself asked, after a part of the work.
      const asksForToken = /\bbearer\b/i.test(first.headers.get('www-authenticate') ?? '')
      if (kept?.accessToken === undefined || !asksForToken) return first
      const renewed = kept.refreshToken === undefined ? undefined : await this.#renew(server, kept)
      if (renewed?.accessToken === undefined) {
        if (this.#kept.get(server) === kept) this.#lose(server, kept, 'The server refuses its token')
        return first
      }
      await first.body?.cancel()
      const second = await next(input, withToken(init, renewed))
      if (second.status === 401 && this.#kept.get(server) === renewed)
        this.#lose(server, renewed, 'The server refuses the token that it was just given')
      return second
    }
  }

  #now = () => this.#parts.clock.now()

  #keptFor(server: string, url: string): Kept | undefined {
    const kept = this.#kept.get(server)
    return kept?.url === url ? kept : undefined
  }

  #pinOf(server: string, own: string): Pin | undefined {
    const pin = this.#pins.get(server)
    return pin?.client === own ? pin : undefined
  }

  /** A client that an owner wrote down is used at its own issuer alone. @throws SignInRefused at another one */
  #requireIssuer(server: string, issuer: string, config: HttpConfig): void {
    const own = ownClient(config)
    if (own === undefined) return
    const named = config.oauth?.issuer
    const allowed = named ?? this.#pinOf(server, own)?.issuer
    if (allowed === undefined || isSameIssuer(allowed, issuer)) return
    throw new SignInRefused(
      `The client in mcp.json ${named === undefined ? 'was first used at' : 'is for'} ${allowed}, and ${server} names ${visible(issuer, 200)} now. Its secret goes nowhere else, and nothing was sent. If ${visible(issuer, 200)} is right, write it as oauth.issuer of ${server} into mcp.json.`,
    )
  }

  /** Remembers where a hand-written client is used, before its secret goes there. @throws SignInRefused where it was used elsewhere meanwhile */
  #pin(server: string, { own, found }: Flow): void {
    if (own === undefined || own.isNamed) return
    const { issuer } = found.metadata
    const pin = this.#pinOf(server, own.client)
    if (pin !== undefined && !isSameIssuer(pin.issuer, issuer))
      throw new SignInRefused(`The client in mcp.json was used at ${pin.issuer} meanwhile`)
    if (pin !== undefined) return
    const next = { issuer, client: own.client }
    this.#parts.store.keep(pinPrefix + server, JSON.stringify(next))
    this.#pins.set(server, next)
  }

  /** True if a browser was sent to the authorization server with JARVIS's client document and did not come back. The server may be unable to read the document. */
  #isUnanswered(server: string, issuer: string, origin: string): boolean {
    return [...this.#flows.values()].some(
      ({ server: of, found, client, browser }) =>
        of === server &&
        browser !== undefined &&
        found.metadata.issuer === issuer &&
        originOfDocument(client) === origin,
    )
  }

  /** @throws Error where the token has ended and cannot be renewed now */
  async #fresh(server: string, url: string): Promise<Kept | undefined> {
    const kept = this.#keptFor(server, url)
    const { accessToken, refreshToken, expiresAt } = kept ?? {}
    if (kept === undefined || accessToken === undefined || expiresAt === undefined) return kept
    if (expiresAt - earlyMs > this.#now() && !this.#renewing.has(server)) return kept
    const renewed = refreshToken === undefined ? undefined : this.#renew(server, kept)
    // Until its end it serves, also while it cannot be renewed.
    if (expiresAt > this.#now()) return renewed?.catch(() => kept) ?? kept
    if (renewed !== undefined) return renewed
    this.#lose(server, kept, 'Its token has ended')
    return this.#kept.get(server)
  }

  /** Renews a token, one at a time. @returns undefined where the sign-in has ended @throws Error where the authorization server cannot be asked now */
  async #renew(server: string, used: Kept): Promise<Kept | undefined> {
    const now = this.#kept.get(server)
    // Another request renewed it meanwhile.
    if (now !== used) return now?.url === used.url ? now : undefined
    const running =
      this.#renewing.get(server) ?? this.#renewed(server, used).finally(() => this.#renewing.delete(server))
    this.#renewing.set(server, running)
    return running
  }

  async #renewed(server: string, used: Kept): Promise<Kept | undefined> {
    const sdk = await import('@modelcontextprotocol/client')
    try {
      const answer = await sdk.refreshAuthorization(used.metadata.issuer, {
        metadata: used.metadata,
        clientInformation: used.client,
        refreshToken: used.refreshToken ?? '',
        resource: used.resource as unknown as URL,
        fetchFn: guardedFetch(new URL(used.url)),
      })
      const kept = { ...used, ...tokensFrom(answer, used.scopes, this.#now()) }
      // It was signed out of meanwhile, which took back the tokens before these.
      if (this.#kept.get(server) !== used) {
        await this.#revoke(kept)
        return undefined
      }
      this.#keep(server, kept)
      this.#parts.changed()
      return kept
    } catch (error) {
      const isPassing =
        !(error instanceof sdk.OAuthError) ||
        /^(?:server_error|temporarily_unavailable|too_many_requests)$/.test(error.code)
      if (isPassing) throw notSent(401, `Its sign-in could not be renewed: ${wordsOf(error)}`)
      const lost = isRefusedClient(error) ? { ...used, isClientRefused: true as const } : used
      if (this.#kept.get(server) === used) this.#lose(server, lost, `It was not renewed: ${visible(error.code, 60)}`)
      return undefined
    }
  }

  /** Ends a sign-in that no longer counts. The client stays, so that the next one needs no registration. */
  #lose(server: string, kept: Kept, why: string): void {
    const problem = `${why}. Sign in again.`
    const { accessToken: _, refreshToken: __, expiresAt: ___, ...rest } = kept
    this.#keep(
      server,
      { ...rest, problem },
      { change: 'sign_in_lost', issuer: kept.metadata.issuer, reason: why, by: 'jarvis' },
    )
    this.#parts.announce(`The sign-in to the MCP server ${server} has ended: ${problem}`, 'warning')
    this.#parts.changed()
  }

  #keep(server: string, kept: Kept, entry?: Record<string, unknown>): void {
    this.#parts.redact.add(secretsOfKept(kept))
    this.#parts.transactions.durably(() => {
      this.#parts.store.keep(server, JSON.stringify(kept))
      if (entry !== undefined) this.#parts.journal.append('mcp_server', { server, ...entry })
    })
    this.#kept.set(server, kept)
  }

  #refused(server: string, by: string, why: string): void {
    const reason = this.#parts.redact.text(`${why.replace(/\.$/, '')}.`)
    this.#refusals.set(server, reason)
    this.#parts.changed()
    this.#parts.transactions.durably(() =>
      this.#parts.journal.append('mcp_server', {
        change: 'sign_in_refused',
        server,
        reason,
        by,
      }),
    )
  }

  async #challenged(server: string, url: string, response: Response): Promise<void> {
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    const wants = this.#asked.get(server)?.wants ?? []
    const challenge = {
      ...(resourceMetadataUrl && { metadataUrl: resourceMetadataUrl.href }),
      ...(scope !== undefined && { scopes: scopesOf(scope) }),
    }
    this.#asked.set(server, { url, challenge, wants })
  }

  /** Keeps the scopes that a refused request wanted, for an owner to give. @returns them, undefined where it was refused for something else */
  async #stepUp(server: string, url: string, response: Response): Promise<string[] | undefined> {
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response)
    const kept = this.#keptFor(server, url)
    if (error !== 'insufficient_scope' || kept?.accessToken === undefined) return undefined
    const before = this.#asked.get(server)
    const wanted = scopesOf(scope).filter((one) => !kept.scopes.includes(one))
    const wants = [...new Set([...(before?.wants ?? []), ...wanted])].slice(0, 50)
    if (wants.length === 0) return undefined
    const shown = wants.map((one) => visible(one, 100))
    if (wants.length === (before?.wants.length ?? 0)) return shown
    this.#asked.set(server, {
      url,
      wants,
      challenge: before?.challenge ?? (resourceMetadataUrl ? { metadataUrl: resourceMetadataUrl.href } : {}),
    })
    this.#parts.transactions.durably(() =>
      this.#parts.journal.append('mcp_server', { change: 'sign_in_wants', server, scopes: shown, by: 'jarvis' }),
    )
    this.#parts.announce(
      `The MCP server ${server} asks for more rights: ${shown.join(', ')}. An owner gives them under Settings, MCP servers, with another sign-in.`,
      'warning',
    )
    this.#parts.changed()
    return shown
  }

  async #revoke(kept: Kept): Promise<boolean> {
    const { metadata, client, refreshToken, accessToken } = kept
    const place = metadata.revocation_endpoint
    const tokens = [
      ...(refreshToken === undefined ? [] : [['refresh_token', refreshToken] as const]),
      ...(accessToken === undefined ? [] : [['access_token', accessToken] as const]),
    ]
    if (typeof place !== 'string' || tokens.length === 0) return false
    try {
      const ask = guardedFetch(new URL(kept.url))
      for (const [hint, token] of tokens) {
        const body = new URLSearchParams({ token, token_type_hint: hint })
        const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
        const { client_id: id, client_secret: secret } = client
        const methods =
          metadata.revocation_endpoint_auth_methods_supported ?? metadata.token_endpoint_auth_methods_supported
        if (secret !== undefined && (methods === undefined || methods.includes('client_secret_basic')))
          headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
        else {
          body.set('client_id', id)
          if (secret !== undefined) body.set('client_secret', secret)
        }
        const response = await ask(place, { method: 'POST', headers, body })
        if (!response.ok) return false
      }
      return true
    } catch (error) {
      this.#parts.report(error, `a token was not revoked at ${new URL(metadata.issuer).host}`)
      return false
    }
  }
}

/** Why no authorization server would send a browser back to an origin. */
function placeProblem(origin: string): string | undefined {
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined
  return `A sign-in is sent back to JARVIS at https or on this machine alone, not at ${origin}. Open JARVIS at its https address (JARVIS_PUBLIC_URL), or at localhost.`
}

function withToken(init: RequestInit | undefined, kept: Kept | undefined): RequestInit {
  const headers = new Headers(init?.headers)
  if (kept?.accessToken !== undefined) headers.set('authorization', `Bearer ${kept.accessToken}`)
  return { ...init, headers }
}

/** An error that says, as an answer of this status does, that nothing was run. */
const notSent = (status: number, message: string) => Object.assign(new Error(message), { status })

const pinPrefix = 'pin:'
const isSameIssuer = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '')
/** SHA-256 of the client that an owner wrote down with a secret. */
const ownClient = ({ oauth }: HttpConfig): string | undefined =>
  oauth?.clientId === undefined ? undefined : hashOf(JSON.stringify([oauth.clientId, oauth.clientSecret]))
const movedWords = (server: string) => `The server ${server} was removed, or has another address by now`

const over = () => new JarvisError('expired', 'This sign-in is over, or was begun in another browser. Begin again.')
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const isSameText = (a: string, b: string) =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

/** A failure in words, without anything that was sent. */
function wordsOf(error: unknown): string {
  if (error instanceof SignInRefused) return error.message
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name === 'IssuerMismatchError') return 'The answer came from another authorization server'
  if (name === 'OAuthError' && typeof code === 'string') return `The authorization server refused: ${visible(code, 60)}`
  if (error instanceof Error && typeof code === 'string')
    return `The authorization server cannot be reached: ${whyUnreachable(error)}`
  return error instanceof Error ? visible(error.message, 300) : 'The answer is not understood'
}
