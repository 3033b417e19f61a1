import { request } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { Socket } from 'node:net'
import { systemClock } from 'node-kit/clock'
import type { Clock } from './clock.ts'
import { type ForwardProxy, ProxyFault } from './proxies.ts'
import { whyUnreachable } from './unreachable.ts'

/** The time that a proxy may take to open a tunnel, ms. */
const patienceMs = 15_000

/** Opens a way to a host through a proxy (CONNECT, RFC 9110 section 9.3.6). @param host IPv6 without brackets @throws ProxyFault */
export function tunnel(
  proxy: ForwardProxy,
  { host, port }: { host: string; port: number },
  clock: Clock = systemClock,
): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return new Promise((done, failed) => {
    const open = proxy.isSecure ? requestSecure : request
    const asked = open({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: authority,
      agent: false,
      headers: { host: authority, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) },
    })
    const disarm = clock.after(patienceMs, () => asked.destroy(new ProxyFault(silentWords(proxy, patienceMs))))
    asked.on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      disarm()
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        return done(socket)
      }
      socket.destroy()
      failed(refusedByProxy(proxy, statusCode, host))
    })
    asked.on('error', (cause) => {
      disarm()
      failed(cause instanceof ProxyFault ? cause : unreached(proxy, cause))
    })
    asked.end()
  })
}

const unreached = (proxy: ForwardProxy, cause: Error): ProxyFault =>
  new ProxyFault(`${nameOf(proxy)} cannot be reached: ${whyUnreachable(cause)}`, { cause })

const silentWords = (proxy: ForwardProxy, ms: number): string => `${nameOf(proxy)} did not answer within ${ms / 1000} s`

/** Returns the error for a proxy’s HTTP status. @param host the destination behind the proxy */
export function refusedByProxy(proxy: ForwardProxy, status: number, host: string): ProxyFault {
  const name = nameOf(proxy)
  if (status >= 500) return new ProxyFault(`${name} cannot reach ${host} (HTTP ${status})`)
  const words =
    status !== 407
      ? `refuses the way to ${host}`
      : proxy.authorization === undefined
        ? 'wants a name and a password'
        : 'refuses its name or password'
  return new ProxyFault(`${name} ${words} (HTTP ${status})`, { isLasting: status < 500 })
}

const nameOf = ({ place, variable }: ForwardProxy): string => `the proxy ${place} (${variable})`
