import { createHash, createHmac } from 'node:crypto'

export type Address = { host: string; port: number }

/** One usable line of a known_hosts file. */
export type KnownHost = {
  /** Line number, from 1. */
  line: number
  isRevoked: boolean
  /** `ssh-ed25519`, `ssh-rsa`, … */
  type: string
  /** In wire format. */
  key: Buffer
  covers(name: string): boolean
}

export type HostKeyVerdict =
  | { verdict: 'known' }
  | { verdict: 'unknown' }
  /** Other keys are known for this address. */
  | { verdict: 'changed'; known: readonly KnownHost[] }
  | { verdict: 'revoked'; line: number }

/** An address as known_hosts names it: the host alone on port 22, else `[host]:port`. */
export const nameOf = ({ host, port }: Address): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`

/** `SHA256:…`, as ssh-keygen -l prints it. */
export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`

/** Reads the type from the first field of a key in wire format. */
export function typeOf(key: Buffer): string {
  const length = key.length < 4 ? 0 : key.readUInt32BE(0)
  return key.toString('latin1', 4, 4 + Math.min(length, 64))
}

/**
 * Parses known_hosts like OpenSSH: comma lists, `*`, `?` and `!` patterns, hashed names, `@revoked`. Skips unusable lines. Also skips certificate
 * authorities, because host certificates are not accepted.
 */
export function parseKnownHosts(text: string): KnownHost[] {
  return text.split(/\r?\n/).flatMap((content, index) => {
    const fields = content.trim().split(/[ \t]+/)
    const marker = fields[0]?.startsWith('@') ? fields.shift() : undefined
    if (marker !== undefined && marker !== '@revoked') return []
    const [names = '', type = '', base64 = ''] = fields
    if (names.startsWith('#')) return []
    const key = Buffer.from(base64, 'base64')
    if (type === '' || typeOf(key) !== type) return []
    return [{ line: index + 1, isRevoked: marker !== undefined, type, key, covers: coverOf(names) }]
  })
}

/** Judges a host key. A revoked key is refused even if another entry accepts it. @param key the key that the server shows */
export function judgeHostKey(entries: readonly KnownHost[], address: Address, key: Buffer): HostKeyVerdict {
  const names = [...new Set([nameOf(address), address.host.toLowerCase()])]
  const same = entries.filter((entry) => entry.key.equals(key) && names.some(entry.covers))
  const revoked = same.find(({ isRevoked }) => isRevoked)
  if (revoked !== undefined) return { verdict: 'revoked', line: revoked.line }
  // Like OpenSSH, accepts a key that is known for the host's port 22 on another port too.
  if (same.length > 0) return { verdict: 'known' }
  const known = knownFor(entries, address)
  return known.length === 0 ? { verdict: 'unknown' } : { verdict: 'changed', known }
}

/** Returns the entries for exactly this address, port included. */
export const knownFor = (entries: readonly KnownHost[], address: Address): KnownHost[] =>
  entries.filter(({ isRevoked, covers }) => !isRevoked && covers(nameOf(address)))

function coverOf(names: string): (name: string) => boolean {
  if (names.startsWith('|')) {
    const [, , salt = '', hash = ''] = names.split('|')
    const secret = Buffer.from(salt, 'base64')
    return (name) => names.startsWith('|1|') && createHmac('sha1', secret).update(name).digest('base64') === hash
  }
  const patterns = names
    .toLowerCase()
    .split(',')
    .filter((text) => text !== '')
    .map((text) => ({ isNegated: text.startsWith('!'), pattern: text.replace(/^!/, '') }))
  return (name) => {
    const hits = patterns.filter(({ pattern }) => covers(pattern, name))
    return hits.length > 0 && hits.every(({ isNegated }) => !isNegated)
  }
}

/**
 * True if a pattern with `*` and `?` matches a name. The search goes back only to the last `*`, so its time is at most the product of both lengths.
 */
function covers(pattern: string, name: string): boolean {
  let at = 0
  let star = -1
  let from = 0
  for (let read = 0; read < name.length; ) {
    if (pattern[at] === '*') {
      star = at
      at += 1
      from = read
    } else if (pattern[at] === '?' || pattern[at] === name[read]) {
      at += 1
      read += 1
    } else if (star >= 0) {
      at = star + 1
      from += 1
      read = from
    } else return false
  }
  return /^\**$/.test(pattern.slice(at))
}
