import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { IsTrusted } from './client-address.ts'
import { forwardedHops } from './forwarded.ts'

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>
type Host = { name: string; full: string }

/** Tells if a request may be answered. Rewrites the Host of an allowed request to the browser's. */
export interface RequestGuard {
  (request: Asked): boolean
  /** The reason why a request is refused and the remedy, for its sender and the log. */
  why(request: Asked): string
}

/**
 * Guards against DNS rebinding and foreign pages. The Host must be an IP address, `localhost` or an allowed name; an Origin must equal the Host or
 * be the public URL's. Clients other than browsers send no Origin. The guard rewrites the Host of an allowed request to the browser's: with the name
 * and port that a trusted proxy names in `X-Forwarded-Host` or `Forwarded`, or with the public URL's port if a proxy dropped it. @param publicUrl
 * origin under which a proxy publishes this server
 */
export function createRequestGuard(parts: {
  allowedHosts: readonly string[]
  publicUrl: string | undefined
  isTrusted: IsTrusted
}): RequestGuard {
  const { isTrusted } = parts
  const names = new Set(['localhost', ...parts.allowedHosts])
  const known = parts.publicUrl === undefined ? undefined : hostOf(parts.publicUrl)
  const isAllowed = ({ name }: Host) => names.has(name) || isIP(name) !== 0
  const withPort = (host: Host): string =>
    host.full === bare(host) && host.name === known?.name ? known.full : host.full

  /** The Host as the browser has it; undefined if it is not allowed. */
  function shownHost({ headers, socket }: Asked): string | undefined {
    const forwarded = isTrusted(socket) ? forwardedOf(headers) : undefined
    const given = hostOf(`http://${headers.host ?? ''}`)
    // A page can set the forwarding header through a proxy that passes it on, so it never replaces a Host that is not allowed.
    if (headers.host !== undefined && headers.host !== '' && (given === undefined || !isAllowed(given)))
      return undefined
    const host = forwarded ?? given
    return host !== undefined && isAllowed(host) ? withPort(host) : undefined
  }
  // Most requests name the same host as the one before, so one result is cached.
  let last: { header: string | undefined; shown: string | undefined } | undefined
  function shown(request: Asked): string | undefined {
    const { host: header, 'x-forwarded-host': named, forwarded } = request.headers
    if (named !== undefined || forwarded !== undefined) return shownHost(request)
    if (last === undefined || (last.header !== header && last.shown !== header))
      last = { header, shown: shownHost(request) }
    return last.shown
  }
  function isAsked({ headers }: Asked, host: string | undefined): boolean {
    if (host === undefined) return false
    if (headers.origin === undefined) return true
    const origin = hostOf(headers.origin)?.full
    return origin === host || (origin !== undefined && origin === known?.full)
  }

  function guard(request: Asked): boolean {
    const host = shown(request)
    if (!isAsked(request, host)) return false
    request.headers.host = host
    return true
  }
  /** The reason why a request is refused and the remedy, for its sender and the log. */
  guard.why = (request: Asked): string => {
    const { headers, socket } = request
    const given = hostOf(`http://${headers.host ?? ''}`)
    const origin = hostOf(headers.origin ?? '')
    if (headers.host === undefined || headers.host === '')
      return `The request names no host: a proxy in front of JARVIS leaves it out. Over HTTP/3 nginx’s $http_host is empty. ${passes('$host:$server_port')}`
    const isProxied = ['x-forwarded-host', 'x-forwarded-for', 'forwarded'].some((name) => headers[name] !== undefined)
    if (given === undefined || !isAllowed(given)) {
      const name = given?.name ?? 'this name'
      const peer = socket.remoteAddress ?? 'its address'
      return `The host name ${name} is not allowed. If it is JARVIS’s own, add it: JARVIS_ALLOWED_HOSTS=${name}. If a proxy puts it in place of the browser’s: ${passes('$http_host')}${
        isProxied && !isTrusted(socket) ? ` The proxy is ${peer}, which JARVIS_TRUSTED_PROXIES does not name.` : ''
      }`
    }
    const at = origin?.full ?? 'an origin without a name'
    if (origin?.name === given.name)
      return `The browser is at ${at}, and the request names ${given.full}: a proxy in front of JARVIS changes the port, or the page is another service’s. ${passes('$http_host')}`
    return origin !== undefined && origin.name !== 'localhost' && names.has(origin.name)
      ? `The browser is at ${at}, and a proxy in front of JARVIS passes ${given.full} in its place. ${passes('$http_host')}`
      : `A page at ${at} may ask nothing of JARVIS at ${given.full}. Open JARVIS by its address. If a proxy is in front of it: ${passes('$http_host')}`
  }
  return guard
}

/** Returns the settings that make a proxy forward the Host header. */
const passes = (variable: string) =>
  `In nginx and in Nginx Proxy Manager (Advanced) write proxy_set_header Host ${variable}; Caddy and Traefik pass it unless header_up Host or passHostHeader: false changes it; in Apache ProxyPreserveHost On. Or set JARVIS_PUBLIC_URL to the address in the browser.`

const bare = ({ name }: Host) => (isIP(name) === 6 ? `[${name}]` : name)

/**
 * The host that a proxy names. A list in `X-Forwarded-Host` comes from several proxies; the entry nearest to the browser counts, which is the first.
 * Each proxy appends to `Forwarded`, so its last hop counts: the client may have written the earlier ones.
 */
function forwardedOf(headers: IncomingMessage['headers']): Host | undefined {
  if (headers['x-forwarded-host'] === undefined) {
    const named = forwardedHops(headers.forwarded).at(-1)?.host
    return named === undefined ? undefined : hostOf(`http://${named}`)
  }
  const [first = ''] = String(headers['x-forwarded-host'] ?? '').split(',')
  const host = first.trim() === '' ? undefined : hostOf(`http://${first.trim()}`)
  const [port = ''] = String(headers['x-forwarded-port'] ?? '').split(',')
  if (host === undefined || host.full !== bare(host) || !/^\d+$/.test(port.trim())) return host
  return hostOf(`http://${host.full}:${port.trim()}`)
}

/**
 * The host of an origin. Leaves out the default ports of HTTP and HTTPS, because a proxy may receive one protocol and forward the other. Leaves out
 * the final dot of a full name.
 */
export function hostOf(url: string): Host | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, port, username, pathname, protocol } = new URL(url)
  if (hostname === '' || username !== '' || pathname !== '/' || !/^https?:$/.test(protocol)) return undefined
  const name = hostname.toLowerCase().replace(/\.$/, '')
  if (name === '') return undefined
  return {
    name: name.replace(/^\[|\]$/g, ''),
    full: port === '' || port === '443' || port === '80' ? name : `${name}:${port}`,
  }
}
