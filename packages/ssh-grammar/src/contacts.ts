import { sortWords } from './grammar.ts'
import { networkPrograms } from './programs/network.ts'
import type { Stages } from './words.ts'

/** Types and classes of DNS records, which dig and host accept in place of a name. */
const recordType =
  /^(?:a|aaaa|any|axfr|caa|cname|dnskey|ds|hinfo|https|in|loc|mx|naptr|ns|nsec3?|ptr|rrsig|soa|srv|sshfp|svcb|tlsa|txt)$/i

/** Tests if lsof and ss read a word as an address. They look up any other word as a name. */
const isAddress = (word: string) =>
  /^(?:\*|\d+(?:\.\d+){0,3}|(?=[\da-f.]*:)[\da-f:.]+)(?:\/\d+)?(?::[\w*-]+)?$/i.test(word)

const rest = (words: readonly string[]) => words.filter((word) => !word.startsWith('-'))

/**
 * The hosts that each program contacts or looks up. A look-up reaches the DNS servers of the name's owner. So a name alone can carry a secret away,
 * and so can the choice among many addresses.
 */
const contacts: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  ...Object.fromEntries(
    ['ping', 'traceroute', 'tracepath', 'mtr', 'rpcinfo', 'arp'].map((program) => [
      program,
      (words: readonly string[]) => operandsOf(program, words),
    ]),
  ),
  dig: (words) =>
    words.flatMap((word, at) => {
      if (/^-[xq]$/.test(words[at - 1] ?? '')) return [word]
      if (/^-[ptc]$/.test(words[at - 1] ?? '')) return recordType.test(word) || /^\d+$/.test(word) ? [] : [word]
      if (/^-[xq]./.test(word)) return [word.slice(2)]
      if (word.startsWith('-') || word.startsWith('+') || word === '.') return []
      return recordType.test(word) ? [] : [word.replace(/^@/, '')]
    }),
  host: (words) =>
    words.flatMap((word, at) =>
      word.startsWith('-') || (words[at - 1] === '-t' && recordType.test(word)) ? [] : [word],
    ),
  nslookup: rest,
  getent: ([database = '', ...names]) => (/^(?:ahosts|hosts|networks)/.test(database) ? names : []),
  showmount: rest,
  // Proxmox looks up the name of an unknown node.
  pvesh: (words) => words.flatMap((word) => /^\/?nodes\/([^/]+)/.exec(word)?.[1] ?? []),
  resolvectl: (words) => (words.includes('query') ? rest(words).filter((word) => word !== 'query') : []),
  chronyc: (words) => (words.includes('ntpdata') ? rest(words).filter((word) => word !== 'ntpdata') : []),
  // `ups@host:port`, or a host after -l.
  upsc: (words) =>
    rest(words)
      .slice(0, 1)
      .filter((word) => word.includes('@') || words.some((option) => /^-[lL]$/.test(option)))
      .map((word) => word.replace(/^.*@/, '').replace(/:\d{1,5}$/, '')),
  lsof: (words) =>
    words.flatMap((word) => /@([\w.[\]-]+)/.exec(word)?.[1] ?? []).filter((word) => !isAddress(word) && word !== '['),
  ss(words) {
    const parts = words.join(' ').split(/[\s()=!<>&|,]+/)
    const hosts = parts.filter(
      (part, at) => /^(?:dst|src)$/.test(parts[at - 1] ?? '') || (part.includes('.') && /[a-z]/i.test(part)),
    )
    return hosts.filter((part) => !isAddress(part) && !/^(?:\[.*\])?:[\w-]*$/.test(part))
  },
}

function operandsOf(program: string, words: readonly string[]): readonly string[] {
  const usage = sortWords(program, networkPrograms[program] ?? {}, words)
  return typeof usage === 'string' ? rest(words) : usage.operands
}

/** Returns the hosts that a command contacts or looks up, as written; empty for most commands. */
export function hostsContacted([[program = '', ...words] = []]: Stages): readonly string[] {
  const own = Object.hasOwn(contacts, program) ? (contacts[program]?.(words) ?? []) : []
  return [...own, ...words.flatMap((word) => mountedFrom.exec(word)?.[1] ?? [])]
}

/** Matches a path that names a host: below these folders, automounters look the host up and connect to it. */
const mountedFrom = /(?:^|[=:])\/+(?:\.\/+)*(?:net|afs|hosts)\/+(?:\.\/+)*([^/]+)/

/** Public resolvers and websites that people use to test a connection. Only their owners see the request. */
const wellKnown = new Set([
  ...['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '9.9.9.9', '149.112.112.112', '208.67.222.222', '208.67.220.220'],
  ...['2606:4700:4700::1111', '2606:4700:4700::1001', '2001:4860:4860::8888', '2001:4860:4860::8844', '2620:fe::fe'],
  ...['example.com', 'example.org', 'google.com', 'www.google.com', 'cloudflare.com', 'one.one.one.one', 'dns.google'],
  ...['debian.org', 'deb.debian.org', 'security.debian.org', 'proxmox.com', 'download.proxmox.com', 'github.com'],
  ...['enterprise.proxmox.com', 'registry-1.docker.io', 'pool.ntp.org', 'localhost', '::1', '127.0.0.1'],
])
/** Suffixes of the local network that may follow a known name. */
const ofTheHouse = /\.(?:lan|local|internal|home|home\.arpa|localdomain)$/

/** Normalises a host: lower case, without brackets, without the zone of an address, without the final dot. */
const plain = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/%[\w.-]+$/, '')
    .replace(/\.$/, '')

/**
 * Returns the first host of a command that is not known and that the operator did not write; undefined: there is none.
 * @param known nodes, guests, and hosts in the policy
 * @param said all texts of the operator
 */
export function unnamedHost(stages: Stages, known: ReadonlySet<string>, said: readonly string[]): string | undefined {
  return hostsContacted(stages).find((written) => {
    const host = plain(written)
    if (wellKnown.has(host) || known.has(host) || known.has(host.replace(ofTheHouse, ''))) return false
    return !said.some((text) => isNamedIn(text, host))
  })
}

/** Tests if `text` names exactly this host: `a.b.example` does not name `b.example`. */
function isNamedIn(text: string, host: string): boolean {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(host); at !== -1; at = lower.indexOf(host, at + 1)) {
    const before = lower.charAt(at - 1)
    const after = lower.slice(at + host.length)
    // A full stop ends the name, unless it is followed by another part of a name.
    if (!/[\w.:-]/.test(before) && !/^(?:[\w-]|[.:][\w-])/.test(after)) return true
  }
  return false
}
