import { request as askPlain } from 'node:http'
import { request as askSecurely } from 'node:https'
import { isIP } from 'node:net'
import { isHomeAddress } from '../../../lib/home-address.ts'
import { type Judging, judgedAddresses } from '../../../lib/judged-addresses.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { isOwnAddress } from '../../../lib/own-address.ts'
import { isPublicAddress } from '../../../lib/public-address.ts'
import { agentTo } from '../../../lib/way-out.ts'

const timeoutMs = 10_000
const mostBytes = 256 * 1024
const mostRedirects = 3

/** True if secrets may go to an address: over TLS, or within this machine. */
export const isSafeUrl = ({ protocol, hostname, username, password }: URL): boolean =>
  username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)))

const isThisMachine = (address: string) =>
  isLoopbackHost(isIP(address) === 6 ? `[${address}]` : address) || isOwnAddress(address)

/**
 * Returns a fetch for the sign-in to an attached server. It is used for the server's metadata, and for the authorization server that the server
 * names. It allows only https; http is allowed on this machine or at the server itself. Addresses of the home network or of this machine are allowed
 * only if the attached server is there too. A name is resolved once. A public address is requested through its proxy, if there is one. Redirects are
 * followed within an origin, for GET only. Size and time are limited.
 */
export function guardedFetch(server: URL, resolve?: Judging['resolve']): typeof fetch {
  const judging = resolve === undefined ? {} : { resolve }
  return async (input, init) => {
    const method = init?.method ?? 'GET'
    let url = new URL(input instanceof Request ? input.url : input)
    for (let redirects = 0; ; redirects += 1) {
      if (!isSafeUrl(url) && url.origin !== server.origin)
        throw new Error(`${url.origin} is not asked for a sign-in: its address must be https, without a password.`)
      const signal = AbortSignal.timeout(timeoutMs)
      const own = await judgedAddresses(server.hostname, { ...judging, isAllowed: () => true }, signal)
      const isAllowed = (address: string) =>
        isPublicAddress(address) ||
        own.includes(address) ||
        (isHomeAddress(address) && own.some((one) => isHomeAddress(one) || isThisMachine(one))) ||
        (isThisMachine(address) && own.some(isThisMachine))
      const [address = ''] = await judgedAddresses(url.hostname, { ...judging, isAllowed }, signal)
      const response = await ask(url, address, {
        method,
        headers: new Headers(init?.headers),
        body: init?.body,
        signal,
      })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) return response
      const next = new URL(location, url)
      if (method !== 'GET' || next.origin !== url.origin || redirects === mostRedirects)
        throw new Error(`${url.host} redirects to ${next.host}, which is not followed.`)
      url = next
    }
  }
}

function ask(
  url: URL,
  address: string,
  { method, headers, body, signal }: { method: string; headers: Headers; body: unknown; signal: AbortSignal },
): Promise<Response> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const content = body === undefined || body === null ? undefined : String(body)
  const isNear = isHomeAddress(address) || isThisMachine(address)
  const through = isNear ? undefined : agentTo(url, { keepsAlive: false })
  headers.set('host', url.host)
  headers.set('accept-encoding', 'identity')
  if (content !== undefined) headers.set('content-length', String(Buffer.byteLength(content)))
  const isSecure = url.protocol === 'https:'
  return new Promise((done, failed) => {
    const asked = (isSecure ? askSecurely : askPlain)(
      {
        host: address,
        port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
        path: url.pathname + url.search,
        // Uses a new connection, so that no connection that was opened for another purpose is reused.
        method,
        headers: Object.fromEntries(headers),
        signal,
        agent: through ?? false,
        ...(isSecure && isIP(host) === 0 && { servername: host }),
      },
      (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > mostBytes) asked.destroy(new Error(`${url.host} sent more than ${mostBytes / 1024} kB.`))
          chunks.push(chunk)
        })
        response.on('error', failed)
        response.on('end', () => {
          const { statusCode: status = 500, headers: said } = response
          const pairs = Object.entries(said).flatMap(([name, value]) =>
            [value ?? []].flat().map((one) => [name, one] as [string, string]),
          )
          const isEmpty = status === 204 || status === 205 || status === 304
          done(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: pairs }))
        })
      },
    )
    asked.on('error', (cause) => failed(signal.aborted ? new Error(`${url.host} took too long.`, { cause }) : cause))
    asked.end(content)
  })
}
