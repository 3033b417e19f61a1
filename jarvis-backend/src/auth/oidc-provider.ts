import type { Configuration } from 'openid-client'
import { JarvisError } from 'protocol'
import { isLoopbackHost } from '../lib/loopback.ts'

/** An account at another service. `subject` never changes at this issuer; `name` and `email` are claims of the service and prove nothing here. */
export type ForeignIdentity = { issuer: string; subject: string; name?: string; email?: string }

/** The values that the answer to one sign-in must match. */
export type Expected = { state: string; nonce: string; verifier: string }

/** A service that tells who somebody is (an OpenID provider). */
export interface IdentityProvider {
  /** The name of the service on the sign-in button. */
  readonly name: string
  /** Begins a sign-in. @returns the address to which the browser goes. @throws JarvisError `conflict` if the service cannot be reached */
  begin(redirectUri: string): Promise<{ url: string; expected: Expected }>
  /** Checks the answer that the browser brought back. @throws JarvisError `conflict`, `invalid_credentials` */
  finish(answer: URL, expected: Expected): Promise<ForeignIdentity>
}

/**
 * The signature algorithms that an ID token may use. Only the service holds their keys, so `none` and algorithms with a shared secret are excluded.
 */
const signatures = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** Time for which the service's published metadata is cached, ms. */
const keptMs = 60 * 60_000
const timeoutS = 10
/** Maximum time by which the service's clock may be ahead, ms. */
const skewMs = 60_000
const longestHint = 100

type Parts = {
  issuer: string
  clientId: string
  clientSecret?: string
  name: string
  now(): number
  report(error: unknown, message: string): void
}

/** A service that speaks OpenID Connect: code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). */
export class OidcProvider implements IdentityProvider {
  readonly name: string
  readonly #parts: Parts
  #kept: { at: number; config: Promise<Configuration> } | undefined

  constructor(parts: Parts) {
    this.name = parts.name
    this.#parts = parts
  }

  async begin(redirectUri: string): Promise<{ url: string; expected: Expected }> {
    const [oidc, config] = [await library(), await this.#configuration()]
    const expected = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() }
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: expected.state,
      nonce: expected.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(expected.verifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, expected }
  }

  async finish(answer: URL, { state, nonce, verifier }: Expected): Promise<ForeignIdentity> {
    const [oidc, config] = [await library(), await this.#configuration()]
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const answered = await oidc.authorizationCodeGrant(config, answer, checks)
      const claims = answered.claims()
      if (claims === undefined || claims.sub.length === 0 || claims.sub.length > 255) throw new Error('no subject')
      // The library does not check for a token that was made for another client, or one that was issued in the future.
      if (claims.azp !== undefined && claims.azp !== this.#parts.clientId) throw new Error('a foreign azp')
      if (claims.iat * 1_000 > this.#parts.now() + skewMs) throw new Error('an iat to come')
      const more = await this.#furtherClaims(config, answered.access_token, claims)
      const name =
        hint(claims.name) ?? hint(more.name) ?? hint(claims.preferred_username) ?? hint(more.preferred_username)
      return { issuer: claims.iss, subject: claims.sub, name, email: hint(claims.email) ?? hint(more.email) }
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  /** Reports why an answer is refused. @returns the error that the person is shown */
  #refusal(error: unknown): JarvisError {
    const { issuer, report } = this.#parts
    const alg = otherAlgorithm(error)
    // The error's message may contain what was sent, so only its code is reported.
    report(
      new Error(codeOf(error)),
      `an answer of ${issuer} was refused${alg === undefined ? '' : `: signed with ${alg}`}`,
    )
    return new JarvisError(
      'invalid_credentials',
      alg === undefined
        ? `What ${this.name} answered does not count. Try again.`
        : `${this.name} signs with ${alg}, and JARVIS takes only signatures by a key that the service alone holds. Set RS256 or ES256 for this client there (in Authentik a signing key).`,
    )
  }

  async #configuration(): Promise<Configuration> {
    const { issuer, now, report } = this.#parts
    if (this.#kept === undefined || this.#kept.at + keptMs <= now())
      this.#kept = { at: now(), config: this.#discover() }
    try {
      return await this.#kept.config
    } catch (error) {
      this.#kept = undefined
      const other = otherIssuer(error)
      const problem =
        other === undefined
          ? `${this.name} could not be reached, or is not what JARVIS_OIDC_ISSUER says. Sign in otherwise.`
          : `JARVIS_OIDC_ISSUER is ${issuer}, and ${this.name} calls itself ${other}. Set JARVIS_OIDC_ISSUER to that, if it is your service.`
      report(error, `${issuer} cannot be used to sign in${other === undefined ? '' : `: it calls itself ${other}`}`)
      throw new JarvisError('conflict', problem, { cause: error })
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#parts
    const oidc = await library()
    const isLocal = isLoopbackHost(new URL(issuer).hostname)
    const extras = [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])]
    const client = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret)
    const options = { execute: extras, timeout: timeoutS }
    const ask = (address: string) => oidc.discovery(new URL(address), clientId, undefined, client, options)
    // Both spellings fetch the same document. Only the spelling in the document is valid, and tokens must name it.
    const found = await ask(issuer).catch((error: unknown) => {
      if (otherIssuer(error) !== slashed(issuer)) throw error
      return ask(slashed(issuer))
    })
    const { supportsPKCE: _, ...facts } = found.serverMetadata()
    const signed = facts.id_token_signing_alg_values_supported?.filter((one) => signatures.includes(one)) ?? ['RS256']
    const posts = facts.token_endpoint_auth_methods_supported
    const byPost = posts?.includes('client_secret_post') === true && !posts.includes('client_secret_basic')
    const config = new oidc.Configuration(
      { ...facts, id_token_signing_alg_values_supported: signed },
      clientId,
      undefined,
      clientSecret !== undefined && byPost ? oidc.ClientSecretPost(clientSecret) : client,
    )
    config.timeout = timeoutS
    for (const extra of extras) extra(config)
    return config
  }

  /** Reads the claims of UserInfo, because the ID token of some services holds no name. UserInfo proves nothing, so the sign-in goes on if it fails. */
  async #furtherClaims(
    config: Configuration,
    accessToken: string,
    { sub, name: known, email }: Record<string, unknown> & { sub: string },
  ): Promise<Record<string, unknown>> {
    if ((hint(known) !== undefined && hint(email) !== undefined) || !config.serverMetadata().userinfo_endpoint)
      return {}
    try {
      return await (await library()).fetchUserInfo(config, accessToken, sub)
    } catch (error) {
      this.#parts.report(new Error(codeOf(error)), `UserInfo of ${this.#parts.issuer} could not be read`)
      return {}
    }
  }
}

/** Loads the library with the first sign-in, because most installations have no such service. */
const library = () => import('openid-client')

const hint = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim().slice(0, longestHint) : undefined

/** The same address with a slash added at its end, or with the final slash removed. */
const slashed = (issuer: string) => (issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`)

/** Returns the issuer that a service names itself if it differs from the configured one; undefined for other failures. */
function otherIssuer(error: unknown): string | undefined {
  const { attribute, body } = detailOf(error) as { attribute?: unknown; body?: { issuer?: unknown } }
  return attribute === 'issuer' && typeof body?.issuer === 'string' && URL.canParse(body.issuer)
    ? body.issuer.slice(0, 300)
    : undefined
}

/** The algorithm of a signature that was refused because of its algorithm; undefined for other errors. */
function otherAlgorithm(error: unknown): string | undefined {
  const { header, expected } = detailOf(error) as { header?: { alg?: unknown }; expected?: unknown }
  return expected !== undefined && typeof header?.alg === 'string' && /^[\w-]{1,20}$/.test(header.alg)
    ? header.alg
    : undefined
}

/** Returns the innermost cause of an error, in which the library keeps the details. */
function detailOf(error: unknown): object {
  if (typeof error !== 'object' || error === null) return {}
  return 'cause' in error ? detailOf(error.cause) : error
}

const codeOf = (error: unknown) => {
  const { code, error: said, name } = error as { code?: unknown; error?: unknown; name?: unknown }
  return [name, code, said].filter((part) => typeof part === 'string' && /^\w+$/.test(part)).join(' ')
}
