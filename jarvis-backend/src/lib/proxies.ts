import { BlockList, isIP } from 'node:net'
import { isHomeAddress } from './home-address.ts'
import { isOwnAddress } from './own-address.ts'

/** The proxy variables of the environment, as they are set. An empty variable counts as not set. */
export type ProxySettings = { http?: string; https?: string; except: string; names: { http: string; https: string } }

/** A proxy for connections. `place`: its URL for people, without name and password. */
export type ForwardProxy = {
  variable: string
  place: string
  isSecure: boolean
  host: string
  port: number
  /** The value of `Proxy-Authorization`. */
  authorization?: string
}

/** The proxies in use. `secrets`: parts of the settings that must not appear in logs or be sent to clients. */
export type Proxies = {
  /** The proxies in the settings, without duplicates. */
  all: readonly ForwardProxy[]
  /** Returns the proxy for a URL; undefined: the URL is reached directly. @throws ProxyFault if the variable for it cannot be used */
  of(url: URL): ForwardProxy | undefined
  /** Sentences about faults of the settings. */
  problems: readonly string[]
  secrets: readonly string[]
}

/**
 * A connection that failed at the proxy or because of the proxy settings. `message` continues a sentence and names the proxy without its password.
 * `isLasting`: another attempt would fail too.
 */
export class ProxyFault extends Error {
  readonly isLasting: boolean

  constructor(message: string, { isLasting = false, cause }: { isLasting?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isLasting = isLasting
  }
}

/**
 * Reads the proxy variables of an environment. The lower-case name takes precedence. `ALL_PROXY` is used if the variable of the scheme is not set.
 */
export function proxySettings(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const find = (...names: string[]) =>
    names.flatMap((name) => [name.toLowerCase(), name]).find((name) => (env[name] ?? '').trim() !== '')
  const http = find('HTTP_PROXY', 'ALL_PROXY')
  const https = find('HTTPS_PROXY', 'ALL_PROXY')
  const given = (name: string | undefined) => (name === undefined ? undefined : env[name]?.trim())
  const except = find('NO_PROXY')
  return {
    ...(http !== undefined && { http: given(http) ?? '' }),
    ...(https !== undefined && { https: given(https) ?? '' }),
    except: given(except) ?? '',
    names: { http: http ?? 'HTTP_PROXY', https: https ?? 'HTTPS_PROXY' },
  }
}

/**
 * Decides which URLs are reached through a proxy. This machine, private networks and names of a home network are always reached directly. All other
 * hosts are reached through the proxy, unless `NO_PROXY` lists them.
 */
export function readProxies({ http, https, except, names }: ProxySettings): Proxies {
  const read = { http: proxyOf(http, names.http), https: proxyOf(https, names.https) }
  const isException = exceptionsOf(except)
  const problems = [read.http, read.https].flatMap((one) => (typeof one === 'string' ? [one] : []))
  return {
    of(url) {
      const found = url.protocol === 'https:' || url.protocol === 'wss:' ? read.https : read.http
      if (found === undefined || isNearHost(url.hostname) || isException(url)) return undefined
      if (typeof found === 'string') throw new ProxyFault(found, { isLasting: true })
      return found
    },
    all: [read.http, read.https].flatMap((one, at, both) =>
      typeof one === 'object' && !(at === 1 && isSame(one, both[0])) ? [one] : [],
    ),
    problems: [...new Set(problems)],
    secrets: [...new Set([http, https].flatMap(secretsOf))],
  }
}

export const noProxies: Proxies = readProxies(proxySettings({}))

const isSame = (one: ForwardProxy, other: ForwardProxy | string | undefined) =>
  typeof other === 'object' && one.place === other.place && one.variable === other.variable

const example = 'such as http://proxy.lan:3128'

/** Parses a proxy variable. @returns the proxy; a sentence about the fault, if the variable cannot be used; undefined if it is not set */
function proxyOf(text: string | undefined, variable: string): ForwardProxy | string | undefined {
  if (text === undefined) return undefined
  const url = asUrl(text)
  if (url === undefined || url.hostname === '') return `${variable} cannot be read as an address, ${example}`
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `${variable} names a proxy of the kind ${url.protocol.replace(':', '')}, and JARVIS uses HTTP proxies alone, ${example}`
  const isSecure = url.protocol === 'https:'
  const user = decoded(url.username)
  const password = decoded(url.password)
  return {
    variable,
    place: `${url.protocol}//${url.host}`,
    isSecure,
    host: bare(url.hostname),
    port: Number(url.port || (isSecure ? 443 : 80)),
    ...((user !== '' || password !== '') && {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    }),
  }
}

/** Parses the URL of a proxy. The scheme may be missing. */
function asUrl(text: string): URL | undefined {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  return URL.canParse(whole) ? new URL(whole) : undefined
}

function secretsOf(text: string | undefined): string[] {
  // A text that is not a valid URL may still contain a password.
  const [, user = '', password = ''] = /^(?:[^/]*:\/\/)?([^:@/]*):(.*)@/.exec(text ?? '') ?? []
  const url = text === undefined ? undefined : asUrl(text)
  const given = [password, url?.password ?? '']
  const pair = Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64')
  return [...given, ...given.map(decoded), ...(password === '' ? [] : [pair])].filter((secret) => secret !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

const near = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  // Addresses between a provider and its customers (carrier-grade NAT); overlay networks such as Tailscale use them too.
  ['100.64.0.0', 10],
] as const)
  near.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['::', 127],
  ['fe80::', 10],
] as const)
  near.addSubnet(net, prefix, 'ipv6')

/** True if a URL’s host is this machine or in its network. A name is judged by its spelling and is not resolved. */
export function isNearHost(hostname: string): boolean {
  const host = bare(hostname).replace(/\.$/, '')
  if (isIP(host) === 0) return !host.includes('.') || /\.(?:localhost|local|lan|home|internal|home\.arpa)$/.test(host)
  return near.check(host, familyOf(host)) || isHomeAddress(host) || isOwnAddress(host)
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Parses `NO_PROXY`: names (which include their subdomains), addresses and networks, each with or without a port. `*` matches every host. */
function exceptionsOf(list: string): (url: URL) => boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(entryOf)
  return (url) => {
    const host = bare(url.hostname).replace(/\.$/, '').toLowerCase()
    const port = url.port || (url.protocol === 'https:' || url.protocol === 'wss:' ? '443' : '80')
    return entries.some((entry) => (entry.port === undefined || entry.port === port) && entry.has(host))
  }
}

type Entry = { port?: string; has(host: string): boolean }

function entryOf(text: string): Entry {
  if (text === '*') return { has: () => true }
  const network = networkOf(text)
  if (network !== undefined) return { has: network }
  // A text that is an IPv6 address without brackets has no port.
  const [, named = text, port] = isIP(text) === 6 ? [] : (/^(.+?)(?::(\d{1,5}))?$/.exec(text) ?? [])
  const name = bare(named).replace(/\.$/, '')
  const has = hostTest(name)
  return port === undefined ? { has } : { port, has }
}

function hostTest(name: string): Entry['has'] {
  const version = isIP(name)
  if (version !== 0) {
    const one = new BlockList()
    one.addAddress(name, familyOf(name))
    return (host) => isIP(host) !== 0 && one.check(host, familyOf(host))
  }
  if (name.endsWith('.*')) return (host) => host.startsWith(name.slice(0, -1))
  const suffix = name.replace(/^\*?\./, '')
  return (host) => host === suffix || host.endsWith(`.${suffix}`)
}

/** Parses a network such as `10.0.0.0/8` to a test for hosts. @returns undefined if the text is not a network */
function networkOf(text: string): Entry['has'] | undefined {
  const [, net = '', prefix = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const version = isIP(bare(net))
  if (version === 0 || Number(prefix) > (version === 6 ? 128 : 32)) return undefined
  const list = new BlockList()
  list.addSubnet(bare(net), Number(prefix), familyOf(bare(net)))
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host))
}
