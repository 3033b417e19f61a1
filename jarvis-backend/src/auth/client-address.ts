import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { forwardedHops } from './forwarded.ts'

/** `isThisMachine`: the request came from a loopback address and has no proxy header. */
export type ClientAddress = { address: string; isThisMachine: boolean }
export type ClientAddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => ClientAddress

/** True if the other end of the connection is a trusted proxy, so its forwarding headers are believed. */
export type IsTrusted = (socket: Pick<IncomingMessage['socket'], 'remoteAddress'>) => boolean

/** @param trustedProxies IP addresses */
export function createIsTrusted(trustedProxies: readonly string[]): IsTrusted {
  const trusted = new Set(trustedProxies.map(plain))
  return ({ remoteAddress }) => trusted.has(plain(remoteAddress ?? ''))
}

/**
 * Finds the address of a request's client. `X-Forwarded-For`, or `Forwarded` (RFC 7239) if there is none, is read from the right for as long as its
 * addresses are trusted proxies. The client may have forged the entries further left. @param trustedProxies IP addresses
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddressOf {
  const trusted = new Set(trustedProxies.map(plain))
  return ({ headers, socket }) => {
    const peer = plain(socket.remoteAddress ?? '')
    const listed = String(headers['x-forwarded-for'] ?? '')
    const named = listed === '' ? forwardedHops(headers.forwarded).map((hop) => hop.for ?? '') : listed.split(',')
    const hops = named.map(withoutPort)
    let address = peer
    while (trusted.has(address)) {
      const before = hops.pop()
      if (before === undefined || isIP(before) === 0) break
      address = plain(before)
    }
    const isProxied = listed !== '' || headers.forwarded !== undefined
    return { address, isThisMachine: isLoopback(peer) && !isProxied }
  }
}

/** The network by which failures are counted: an IPv4 address or the /64 of an IPv6 address. All loopback addresses count as one. */
export function networkOf(address: string): string {
  const known = plain(address)
  if (isLoopback(known)) return 'loopback'
  return isIP(known) === 6 ? `${groupsOf(known).slice(0, 4).join(':')}::/64` : known
}

const isLoopback = (address: string) => address === '::1' || (isIPv4(address) && address.startsWith('127.'))

/** Writes an IPv4-mapped IPv6 address as IPv4 and drops the zone. */
function plain(address: string): string {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const groups = groupsOf(bare)
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return bare.toLowerCase()
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address in hex, without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser normalises every form of an address.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  return tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
}

/** Removes the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string) =>
  hop
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
