import { Agent, type AgentOptions } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { type ForwardProxy, noProxies, type Proxies } from './proxies.ts'
import { tunnel } from './tunnel.ts'

/** The proxies of the process. */
let proxies: Proxies = noProxies
const agents = new Map<string, Agent>()

/**
 * Sends what leaves for the internet through these proxies from now on: each `fetch` of this thread, and whatever asks `agentTo` or `proxyOf`.
 * Node's own reading of the variables (`NODE_USE_ENV_PROXY`) is replaced.
 */
export async function goOutBy(next: Proxies): Promise<void> {
  const isNew = next.all.length + next.problems.length > 0
  const wasSet = proxies.all.length + proxies.problems.length > 0
  proxies = next
  for (const agent of agents.values()) agent.destroy()
  agents.clear()
  if (!isNew && !wasSet) return
  // Loaded only where there is a proxy: it takes a tenth of a second.
  const { routeFetch, routeNoFetch } = await import('./route-fetch.ts')
  if (isNew) routeFetch(next)
  else routeNoFetch()
}

/** The proxy of an address; undefined: it is reached directly. @throws ProxyFault */
export const proxyOf = (url: URL): ForwardProxy | undefined => proxies.of(url)

/**
 * An agent of node:http or node:https whose connections go through the proxy of a URL; undefined where it is reached directly. Whichever
 * host a request names is what the proxy is asked for, so an address that was judged stays the one that is connected to.
 * @throws ProxyFault
 */
export function agentTo(url: URL, { keepsAlive = true } = {}): Agent | undefined {
  const proxy = proxies.of(url)
  if (proxy === undefined) return undefined
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:'
  if (!keepsAlive) return through(proxy, isSecure, {})
  const key = `${isSecure} ${proxy.variable}`
  const agent = agents.get(key) ?? through(proxy, isSecure, { keepAlive: true, timeout: 30_000 })
  agents.set(key, agent)
  return agent
}

type Made = (error: Error | null, socket?: Duplex) => void
type Wanted = { host: string; port: number; servername?: string }

/** Connects through a proxy. TLS, where wanted, is with the server behind it. */
function through(proxy: ForwardProxy, isSecure: boolean, options: AgentOptions): Agent {
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const connect = agent.createConnection.bind(agent) as (options: object) => Duplex
  const open = (wanted: Wanted, made: Made) => {
    tunnel(proxy, wanted).then((socket) => made(null, isSecure ? connect({ ...wanted, socket }) : socket), made)
  }
  return Object.assign(agent, { createConnection: open })
}
