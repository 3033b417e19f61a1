import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'

/** `isThisMachine`: asked from a loopback address, and by no proxy that says so. */
export type ClientAddress = { address: string; isThisMachine: boolean }
export type ClientAddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => ClientAddress

/**
 * Where a request comes from. `X-Forwarded-For` is read from the right, and only as far as the addresses in it are
 * `trustedProxies`: whatever stands further left the client may have written itself.
 * @param trustedProxies IP addresses
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddressOf {
  const trusted = new Set(trustedProxies.map(plain))
  return ({ headers, socket }) => {
    const peer = plain(socket.remoteAddress ?? '')
    const forwarded = String(headers['x-forwarded-for'] ?? '')
    const hops = forwarded === '' ? [] : forwarded.split(',').map(withoutPort)
    let address = peer
    while (trusted.has(address)) {
      const before = hops.pop()
      if (before === undefined || isIP(before) === 0) break
      address = plain(before)
    }
    const isProxied = forwarded !== '' || headers.forwarded !== undefined
    return { address, isThisMachine: isLoopback(peer) && !isProxied }
  }
}

/** What one subscriber holds: an IPv4 address, or the /64 of an IPv6 one. All loopback addresses are one. */
export function networkOf(address: string): string {
  const known = plain(address)
  if (isLoopback(known)) return 'loopback'
  return isIP(known) === 6 ? `${groupsOf(known).slice(0, 4).join(':')}::/64` : known
}

const isLoopback = (address: string) => address === '::1' || (isIPv4(address) && address.startsWith('127.'))

/** An IPv4 address that is written as an IPv6 one becomes IPv4; no zone. */
function plain(address: string): string {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const groups = groupsOf(bare)
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return bare.toLowerCase()
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups in hex, without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser writes every form of an address the same way.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  return tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
}

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string) =>
  hop
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
