import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type AttachedSignIn, type AttachedSignInReply, JarvisError } from 'protocol'
import { visible } from '../text.ts'
import { Asked } from './asked.ts'
import { callbackPath, clientFor, isRefusedClient } from './client.ts'
import { discover, SignInRefused } from './discovery.ts'
import { notSent, placeProblem, wordsOf } from './failures.ts'
import { Flows } from './flows.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { KeptSignIns, type Parts } from './kept-sign-ins.ts'
import { type HttpConfig, ownClient, Pins } from './pins.ts'
import { revoke } from './revoke.ts'
import { type Kept, tokensFrom } from './tokens.ts'

export const startPath = '/api/mcp-servers/sign-in/start'

/**
 * Signs JARVIS in to attached servers over HTTP with OAuth 2.1, for owners: code flow with PKCE, state, issuer and resource (RFC 7636, RFC 9207, RFC
 * 8707). Tokens are stored sealed, for one address of one server, and renewed one at a time. Each sign-in, its end and each refusal are journalled.
 */
export class SignIns {
  readonly #parts: Parts
  readonly #kept: KeptSignIns
  readonly #asked = new Asked()
  readonly #flows: Flows
  /** Reason why the last sign-in to a server was refused, by server. */
  readonly #refusals = new Map<string, string>()
  readonly #pins: Pins

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kept = new KeptSignIns(parts)
    this.#flows = new Flows(() => parts.clock.now())
    this.#pins = new Pins(parts.store)
    for (const [server, text] of parts.store.all()) {
      if (text === undefined || this.#pins.read(server, text)) continue
      this.#kept.read(server, text)
    }
  }

  /** Returns the state of a server's sign-in; undefined if the server asked for none. */
  of(server: string, url: string): AttachedSignIn | undefined {
    const kept = this.#kept.of(server, url)
    const asked = this.#asked.of(server, url)
    if (kept === undefined) {
      if (asked === undefined) return undefined
      const refusal = this.#refusals.get(server)
      return {
        state: 'needed',
        scopes: [],
        wants: asked.challenge.scopes ?? [],
        isRenewed: false,
        problem: refusal,
      }
    }
    const wants = asked?.wants ?? []
    const { metadata, scopes, expiresAt, by, at, problem, accessToken, refreshToken } = kept
    return {
      state: accessToken === undefined ? 'again' : wants.length > 0 ? 'more' : 'signed_in',
      issuer: metadata.issuer,
      scopes,
      wants,
      isRenewed: refreshToken !== undefined,
      by,
      at,
      expiresAt,
      problem,
    }
  }

  /**
   * Begins a sign-in: finds the authorization server and the client. @param origin the origin at which the owner's browser reaches JARVIS @throws
   * JarvisError `conflict` if the sign-in is not possible, with what to do
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
    const asked = this.#asked.of(server, config.url)
    try {
      const fetchFn = guardedFetch(url)
      const own = ownClient(config)
      const wanted = own && (config.oauth?.issuer ?? this.#pins.issuerOf(server, own))
      const found = await discover(url, asked?.challenge ?? {}, { fetchFn, wanted })
      this.#pins.requireIssuer(server, found.metadata.issuer, config)
      const before = this.#kept.of(server, config.url)
      const offersRenewal = found.metadata.scopes_supported?.includes('offline_access') === true
      const scopes = [
        ...new Set([
          ...(before?.accessToken === undefined ? [] : before.scopes),
          ...(config.oauth?.scopes ?? found.scopes),
          ...(asked?.wants ?? []),
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
        isDocumentUnread: this.#flows.isUnanswered(server, found.metadata.issuer, origin),
      })
      const state = randomBytes(32).toString('base64url')
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(found.metadata.issuer, {
        metadata: found.metadata,
        clientInformation: client,
        redirectUrl: redirectUri,
        state,
        // The type requires a URL, but a URL object might write the resource in another form than the server does.
        resource: found.resource as unknown as URL,
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      })
      const id = this.#flows.add({
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
      })
      return { address: `${origin}${startPath}?flow=${id}`, issuer: found.metadata.issuer, scopes }
    } catch (error) {
      this.#refused(server, by, wordsOf(error))
      throw new JarvisError('conflict', `${wordsOf(error).replace(/\.$/, '')}.`, { cause: error })
    }
  }

  /**
   * Opens a flow in one browser; a flow can be opened only once. @returns the cookie for this browser, and the address that the browser must go to.
   * @throws JarvisError `expired`
   */
  start(id: string): { cookie: string; address: string } {
    return this.#flows.start(id)
  }

  /**
   * Ends a flow with the answer that the browser brought back. The flow ends even if the answer is not valid.
   * @param isStill returns true if the server still has this address
   * @returns the server @throws JarvisError `expired` for a browser without a flow, `conflict` for an answer that is not valid
   */
  async finish(
    cookie: string | undefined,
    answer: URLSearchParams,
    isStill: (server: string, url: string) => boolean,
  ): Promise<string> {
    const flow = this.#flows.take(cookie)
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
      this.#pins.keep(server, flow.own, found.metadata.issuer)
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
        await revoke(kept, this.#parts)
        throw new SignInRefused(movedWords(server))
      }
      this.#kept.keep(server, kept, {
        change: 'signed_in',
        issuer: found.metadata.issuer,
        resource: found.resource,
        scopes: kept.scopes,
        by,
      })
      this.#asked.forget(server)
      this.#refusals.delete(server)
      this.#parts.announce(
        `The MCP server ${server} is signed in to, at ${new URL(found.metadata.issuer).host}.`,
        'info',
      )
      this.#parts.changed()
      return server
    } catch (error) {
      const before = this.#kept.of(server, url)
      if (before?.client.client_id === client.client_id && isRefusedClient(error))
        this.#kept.keep(server, { ...before, isClientRefused: true })
      this.#refused(server, by, wordsOf(error))
      throw new JarvisError('conflict', `${wordsOf(error).replace(/\.$/, '')}. Nothing was kept; begin again.`, {
        cause: error,
      })
    }
  }

  /**
   * Signs a server out if its sign-in was for an address other than `url`. @param url the server's present address; undefined: the server was
   * removed, or takes no sign-in
   */
  async leave(server: string, url: string | undefined, by: string): Promise<void> {
    if (url === undefined) this.#pins.forget(server)
    if (this.#kept.get(server)?.url !== url) await this.signOut(server, by)
  }

  /** Signs a server out, and revokes its tokens at the authorization server (RFC 7009) if that is offered. */
  async signOut(server: string, by: string): Promise<void> {
    const kept = this.#kept.get(server)
    if (kept === undefined) return
    this.#kept.forget(server)
    this.#asked.forget(server)
    this.#parts.store.forget(server)
    const isRevoked = await revoke(kept, this.#parts)
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
   * Returns a fetch that adds a server's token, renews it, and records what the server asks for. The token is not sent to other origins, because
   * `next` refuses them. @param next a fetch that sends requests only to the server's own origin
   */
  fetchOf(server: string, url: string, next: typeof fetch): typeof fetch {
    return async (input, init) => {
      const kept = await this.#kept.fresh(server, url)
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
      await this.#asked.challenge(server, url, first)
      // Without a Bearer challenge, the 401 may come from a service behind the attached server, which may already have done part of the work. So the
      // request is not sent again.
      const asksForToken = /\bbearer\b/i.test(first.headers.get('www-authenticate') ?? '')
      if (kept?.accessToken === undefined || !asksForToken) return first
      const renewed = kept.refreshToken === undefined ? undefined : await this.#kept.renew(server, kept)
      if (renewed?.accessToken === undefined) {
        if (this.#kept.get(server) === kept) this.#kept.lose(server, kept, 'The server refuses its token')
        return first
      }
      await first.body?.cancel()
      const second = await next(input, withToken(init, renewed))
      if (second.status === 401 && this.#kept.get(server) === renewed)
        this.#kept.lose(server, renewed, 'The server refuses the token that it was just given')
      return second
    }
  }

  #now = () => this.#parts.clock.now()

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

  /**
   * Stores the scopes that a refused request needed, so that an owner can grant them. @returns the scopes; undefined if the request was refused for
   * another reason
   */
  async #stepUp(server: string, url: string, response: Response): Promise<string[] | undefined> {
    const heldScopes = () => {
      const kept = this.#kept.of(server, url)
      return kept?.accessToken === undefined ? undefined : kept.scopes
    }
    const asked = await this.#asked.stepUp(server, url, { response, heldScopes })
    if (asked === undefined) return undefined
    const { wants, isNew } = asked
    if (!isNew) return wants
    this.#parts.transactions.durably(() =>
      this.#parts.journal.append('mcp_server', { change: 'sign_in_wants', server, scopes: wants, by: 'jarvis' }),
    )
    this.#parts.announce(
      `The MCP server ${server} asks for more rights: ${wants.join(', ')}. An owner gives them under Settings, MCP servers, with another sign-in.`,
      'warning',
    )
    this.#parts.changed()
    return wants
  }
}

function withToken(init: RequestInit | undefined, kept: Kept | undefined): RequestInit {
  const headers = new Headers(init?.headers)
  if (kept?.accessToken !== undefined) headers.set('authorization', `Bearer ${kept.accessToken}`)
  return { ...init, headers }
}

const movedWords = (server: string) => `The server ${server} was removed, or has another address by now`

const isSameText = (a: string, b: string) =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
