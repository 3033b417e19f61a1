import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import jwt from 'jsonwebtoken'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export const clientId = 'jarvis'
export const clientSecret = 'a-client-secret-of-32-characters-'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'key-1' })

/** A service's claims about a person. */
export type Claims = { sub: string; name?: string; email?: string }

/** A server on loopback that ends with the test. @param listener gets the origin */
async function listen(listener: (origin: string) => RequestListener): Promise<string> {
  let answer: RequestListener | undefined
  const server = createServer((asked, response) => answer?.(asked, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  answer = listener(origin)
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return origin
}

/** The environment of a JARVIS that signs in there. */
export const envOf = (issuer: string) => ({
  JARVIS_OIDC_ISSUER: issuer,
  JARVIS_OIDC_CLIENT_ID: clientId,
  JARVIS_OIDC_CLIENT_SECRET: clientSecret,
  JARVIS_OIDC_NAME: 'Home ID',
})

/** `oidc-provider`, where whoever comes is `who` and consents. @param redirectUris more may be added while it runs */
export async function startIdentityService(who: { now: Claims }, redirectUris: string[]) {
  return listen((issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${issuer}/none`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      cookies: { keys: ['a-key-of-the-test'] },
      jwks: { keys: [jwk(keys.privateKey)] },
      pkce: { required: () => true },
      claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => '/enter' },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ ...who.now, sub: id }) }),
      async loadExistingGrant(context: { oidc: { session: { accountId: string } } }) {
        const grant = new provider.Grant({ clientId, accountId: context.oidc.session.accountId })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
    })
    provider.Client.prototype.redirectUriAllowed = (uri: string) => redirectUris.includes(uri)
    const serve = provider.callback()
    return (asked, response) => {
      if (asked.url?.startsWith('/enter') !== true) serve(asked, response)
      else void provider.interactionFinished(asked, response, { login: { accountId: who.now.sub } })
    }
  })
}

/** Faults of a strict fake. */
export type Lie = {
  claims?: Record<string, unknown>
  /** Signs with another key, or with none, or with what the client knows. */
  signedBy?: 'another key' | 'none' | 'the client secret'
  /** Members of the answer in the browser. */
  answer?: Record<string, string>
  noIdToken?: true
  /** Members of its published metadata. */
  metadata?: Record<string, unknown>
  /** Claims of its UserInfo. */
  userInfo?: Claims
}

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** A service as strict as the real one (client, redirect, PKCE, one use of a code) that lies where it is told to. */
export async function startLyingService(who: { now: Claims }, lie: { now: Lie }) {
  const codes = new Map<string, { challenge: string; redirectUri: string; nonce: string }>()
  return listen((issuer) => (asked, response) => {
    const url = new URL(asked.url ?? '/', issuer)
    const json = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/userinfo') return json(lie.now.userInfo ?? {})
    if (url.pathname.endsWith('/.well-known/openid-configuration'))
      return json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        authorization_response_iss_parameter_supported: true,
        ...lie.now.metadata,
      })
    if (url.pathname === '/jwks') return json({ keys: [jwk(keys.publicKey)] })
    if (url.pathname === '/auth') {
      const read = (name: string) => url.searchParams.get(name) ?? ''
      const code = `code-${codes.size}`
      codes.set(code, { challenge: read('code_challenge'), redirectUri: read('redirect_uri'), nonce: read('nonce') })
      const back = new URL(read('redirect_uri'))
      const answer = { code, state: read('state'), iss: issuer, ...lie.now.answer }
      for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value)
      return void response.writeHead(303, { location: back.href }).end()
    }
    let body = ''
    asked.on('data', (chunk: Buffer) => {
      body += chunk
    })
    asked.on('end', () => {
      const given = new URLSearchParams(body)
      const code = codes.get(given.get('code') ?? '')
      codes.delete(given.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url')
      const [id, secret] = Buffer.from((asked.headers.authorization ?? '').slice('Basic '.length), 'base64')
        .toString()
        .split(':')
        .map(decodeURIComponent)
      if (
        code?.challenge !== challenge ||
        code.redirectUri !== given.get('redirect_uri') ||
        id !== clientId ||
        secret !== clientSecret
      )
        return json({ error: 'invalid_grant' }, 400)
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iss: issuer,
        aud: clientId,
        nonce: code.nonce,
        iat: now,
        exp: now + 60,
        ...who.now,
        ...lie.now.claims,
      }
      json({
        access_token: 'x',
        token_type: 'Bearer',
        expires_in: 60,
        ...(lie.now.noIdToken !== true && { id_token: signed(claims, lie.now.signedBy) }),
      })
    })
  })
}

function signed(given: object, by: Lie['signedBy']): string {
  // Claims that are undefined are left out.
  const claims = JSON.parse(JSON.stringify(given)) as object
  if (by === 'none') return jwt.sign(claims, '', { algorithm: 'none' })
  if (by === 'the client secret') return jwt.sign(claims, clientSecret, { algorithm: 'HS256', keyid: 'key-1' })
  const key =
    by === 'another key' ? otherKey : createPrivateKey(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return jwt.sign(claims, key, { algorithm: 'RS256', keyid: 'key-1' })
}

type Answer = { status: number; headers: Headers; text: string }

/**
 * A browser without pages: it keeps cookies by origin, and sends what our page's requests would.
 * @param names where public origins are served really
 */
export function createBrowser(names: Record<string, string> = {}) {
  const jar = new Map<string, Map<string, string>>()
  const cookiesOf = (host: string) => {
    const kept = jar.get(host) ?? new Map<string, string>()
    jar.set(host, kept)
    return kept
  }
  async function send(
    method: string,
    address: string,
    headers: Record<string, string> = {},
    json?: unknown,
  ): Promise<Answer> {
    const url = new URL(address)
    const kept = cookiesOf(url.host)
    const real = names[url.origin]
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
    const given = {
      ...(real !== undefined && { host: url.host }),
      ...(cookie !== '' && { cookie }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const answer = await new Promise<Answer>((resolve, reject) => {
      const asked = request(
        real === undefined ? url : new URL(url.pathname + url.search, real),
        { method, headers: given },
        async (response) => {
          const found = new Headers()
          for (let at = 0; at < response.rawHeaders.length; at += 2)
            found.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '')
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode ?? 0, headers: found, text })
        },
      )
      asked.on('error', reject)
      asked.end(json === undefined ? undefined : JSON.stringify(json))
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) kept.delete(name)
      else kept.set(name, value)
    }
    return answer
  }
  return {
    send,
    /** A request of our own page. */
    page: (base: string, method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
      send(method, base + path, { origin: base, 'sec-fetch-site': 'same-origin', ...headers }, json),
    /** Goes to an address and follows redirects until one leads to `until`. @returns that address */
    async go(address: string, until: (url: URL) => boolean): Promise<string> {
      let at = address
      for (let hops = 0; hops < 20; hops++) {
        if (until(new URL(at))) return at
        const { headers, status, text } = await send('GET', at)
        const next = headers.get('location')
        if (next === null) throw new Error(`${at} leads nowhere: ${status} ${text.slice(0, 300)}`)
        at = new URL(next, at).href
      }
      throw new Error('too many redirects')
    },
    cookies: (base: string) => cookiesOf(new URL(base).host),
  }
}
export type Browser = ReturnType<typeof createBrowser>
