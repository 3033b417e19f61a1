import type { Configuration } from 'openid-client'
import { isLoopbackHost } from '../lib/loopback.ts'
import { JarvisError } from '../protocol/index.ts'

/** Who somebody is elsewhere. `subject` is theirs for ever at this issuer; `name` and `email` are the service's word and prove nothing here. */
export type ForeignIdentity = { issuer: string; subject: string; name?: string; email?: string }

/** What one sign-in is checked against when its answer comes. */
export type Expected = { state: string; nonce: string; verifier: string }

/** A service that says who somebody is. */
export interface IdentityProvider {
  /** What the button calls it. */
  readonly name: string
  /** Where the browser goes. @throws JarvisError `conflict` where the service cannot be reached */
  begin(redirectUri: string): Promise<{ url: string; expected: Expected }>
  /** Checks the answer that the browser brought back. @throws JarvisError `conflict`, `invalid_credentials` */
  finish(answer: URL, expected: Expected): Promise<ForeignIdentity>
}

/** Signatures that an ID token may have: by keys that the service alone holds, so neither `none` nor a secret that we know too. */
const signatures = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** How long what the service publishes of itself is kept, ms. */
const keptMs = 60 * 60_000
const timeoutS = 10
/** How far the service's clock may be ahead, ms. */
const skewMs = 60_000
const longestHint = 100

/** A service that speaks OpenID Connect: code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). */
export function createOidcProvider(parts: {
  issuer: string
  clientId: string
  clientSecret?: string
  name: string
  now(): number
  report(error: unknown, message: string): void
}): IdentityProvider {
  const { issuer, clientId, clientSecret, name, now, report } = parts
  let kept: { at: number; config: Promise<Configuration> } | undefined

  /** The library is loaded with the first sign-in, for most installations have no such service. */
  const library = () => import('openid-client')

  async function discover(): Promise<Configuration> {
    const oidc = await library()
    const isLocal = isLoopbackHost(new URL(issuer).hostname)
    const extras = [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])]
    const client = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret)
    const options = { execute: extras, timeout: timeoutS }
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, client, options)
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
  async function configuration(): Promise<Configuration> {
    if (kept === undefined || kept.at + keptMs <= now()) kept = { at: now(), config: discover() }
    try {
      return await kept.config
    } catch (error) {
      kept = undefined
      report(error, `${issuer} cannot be used to sign in`)
      throw new JarvisError(
        'conflict',
        `${name} could not be reached, or is not what JARVIS_OIDC_ISSUER says. Sign in otherwise.`,
        {
          cause: error,
        },
      )
    }
  }

  return {
    name,
    async begin(redirectUri) {
      const [oidc, config] = [await library(), await configuration()]
      const expected = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() }
      const url = oidc.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: 'openid profile email', state: expected.state, nonce: expected.nonce },
        ...{ code_challenge: await oidc.calculatePKCECodeChallenge(expected.verifier), code_challenge_method: 'S256' },
      })
      return { url: url.href, expected }
    },
    async finish(answer, { state, nonce, verifier }) {
      const [oidc, config] = [await library(), await configuration()]
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const claims = (await oidc.authorizationCodeGrant(config, answer, checks)).claims()
        if (claims === undefined || claims.sub.length === 0 || claims.sub.length > 255) throw new Error('no subject')
        // The library looks at neither: a token that was made for another client, and one of a time to come.
        if (claims.azp !== undefined && claims.azp !== clientId) throw new Error('a foreign azp')
        if (claims.iat * 1_000 > now() + skewMs) throw new Error('an iat to come')
        const [known, email] = [hint(claims.name) ?? hint(claims.preferred_username), hint(claims.email)]
        return {
          ...{ issuer: claims.iss, subject: claims.sub },
          ...(known !== undefined && { name: known }),
          ...(email !== undefined && { email }),
        }
      } catch (error) {
        // Its message may hold what was sent, so the code alone is told.
        report(new Error(codeOf(error)), `an answer of ${issuer} was refused`)
        throw new JarvisError('invalid_credentials', `What ${name} answered does not count. Try again.`)
      }
    },
  }
}

const hint = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim().slice(0, longestHint) : undefined

const codeOf = (error: unknown) => {
  const { code, error: said, name } = error as { code?: unknown; error?: unknown; name?: unknown }
  return [name, code, said].filter((part) => typeof part === 'string' && /^\w+$/.test(part)).join(' ')
}
