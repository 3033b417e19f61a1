import { isIP, isIPv4 } from 'node:net'

/** The destination of a connection, before its name is resolved. `host`: in lower case without a final dot; IPv6 without brackets. */
export type Place = { host: string; port: number }

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/**
 * Reads `host:port`. A name may consist only of letters, digits, hyphens, underscores and dots, because a NUL, `%` or another script could mean one
 * host to the allow-list and another host to the resolver. @returns undefined for everything else
 */
export function placeOf(text: string, defaultPort?: number): Place | undefined {
  const [, v6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port === undefined || port < 1 || port > 65_535) return undefined
  if (v6 !== undefined) return isIP(v6) === 6 ? { host: v6.toLowerCase(), port } : undefined
  const host = name?.replace(/\.$/, '').toLowerCase() ?? ''
  const labels = host.split('.')
  if (host.length > 253 || !labels.every((part) => label.test(part))) return undefined
  // The resolver would read `2130706433`, `127.1` and `0x7f.1` as IP addresses.
  if (/^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? '') && !isIPv4(host)) return undefined
  return { host, port }
}

/** A place as text: `example.org:443`, `[2606:4700::1111]:443`. */
export const placeText = ({ host, port }: Place): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
