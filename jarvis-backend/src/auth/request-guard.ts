import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Guards against DNS rebinding and foreign pages. The Host must be an IP address, `localhost` or an allowed name; an Origin must equal
 * the Host. Clients that are no browsers send no Origin.
 */
export function createRequestGuard(allowedHosts: readonly string[]) {
  const names = new Set(['localhost', ...allowedHosts])
  // Most requests name the same host as the one before, so one result is cached.
  let last: { header: string; allowed: string | undefined } | undefined
  const allowed = (header: string) => {
    const host = hostOf(`http://${header}`)
    return host !== undefined && (names.has(host.name) || isIP(host.name) !== 0) ? host.full : undefined
  }
  return ({ headers }: Pick<IncomingMessage, 'headers'>): boolean => {
    const header = headers.host ?? ''
    if (last?.header !== header) last = { header, allowed: allowed(header) }
    if (last.allowed === undefined) return false
    return headers.origin === undefined || hostOf(headers.origin)?.full === last.allowed
  }
}
export type RequestGuard = ReturnType<typeof createRequestGuard>

export function hostOf(url: string): { name: string; full: string } | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, host, username, pathname, protocol } = new URL(url)
  if (hostname === '' || username !== '' || pathname !== '/' || !/^https?:$/.test(protocol)) return undefined
  return { name: hostname.replace(/^\[|\]$/g, '').toLowerCase(), full: host.toLowerCase() }
}
