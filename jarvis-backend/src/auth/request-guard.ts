import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Against DNS rebinding and foreign pages: the Host must be an address, `localhost` or a configured name, and a page's
 * Origin must be the very host it asks. Clients that are no browsers send no Origin.
 */
export function createRequestGuard(allowedHosts: readonly string[]) {
  const names = new Set(['localhost', ...allowedHosts])
  return (request: Pick<IncomingMessage, 'headers'>): boolean => {
    const host = hostOf(`http://${request.headers.host ?? ''}`)
    if (host === undefined || !(names.has(host.name) || isIP(host.name) !== 0)) return false
    const { origin } = request.headers
    return origin === undefined || hostOf(origin)?.full === host.full
  }
}
export type RequestGuard = ReturnType<typeof createRequestGuard>

export function hostOf(url: string): { name: string; full: string } | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, host, username, pathname, protocol } = new URL(url)
  if (hostname === '' || username !== '' || pathname !== '/' || !/^https?:$/.test(protocol)) return undefined
  return { name: hostname.replace(/^\[|\]$/g, '').toLowerCase(), full: host.toLowerCase() }
}
