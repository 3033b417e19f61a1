import { Agent, type AgentOptions } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { type ForwardProxy, noProxies, type Proxies } from './proxies.ts'
import { tunnel } from './tunnel.ts'

/** The proxies that this process uses. */
let proxies: Proxies = noProxies
const agents = new Map<string, Agent>()

/**
 * Makes all connections to the internet use these proxies from now on: each `fetch` of this thread, and all callers of `agentTo` and `proxyOf`.
 * Replaces Node’s own handling of the variables (`NODE_USE_ENV_PROXY`).
 */
export async function goOutBy(next: Proxies): Promise<void> {
  const isNew = next.all.length + next.problems.length > 0
  const wasSet = proxies.all.length + proxies.problems.length > 0
  proxies = next
  for (const agent of agents.values()) agent.destroy()
  agents.clear()
  if (!isNew && !wasSet) return
  // Loaded only if there is a proxy, because loading takes a tenth of a second.
  const { routeFetch, routeNoFetch } = await import('./route-fetch.ts')
  if (isNew) routeFetch(next)
  else routeNoFetch()
}

/** Returns the proxy for a URL; undefined: the URL is reached directly. @throws ProxyFault */
export const proxyOf = (url: URL): ForwardProxy | undefined => proxies.of(url)

/**
 * Returns an agent of node:http or node:https that connects through the proxy for a URL; undefined if the URL is reached directly. The agent asks the
 * proxy for the host that the request names. If a caller checked an IP address and names it in the request, the proxy connects to that IP address.
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

/** Creates an agent that connects through a proxy. If TLS is used, it is with the server behind the proxy. */
function through(proxy: ForwardProxy, isSecure: boolean, options: AgentOptions): Agent {
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const connect = agent.createConnection.bind(agent) as (options: object) => Duplex
  const open = (wanted: Wanted, made: Made) => {
    tunnel(proxy, wanted).then((socket) => made(null, isSecure ? connect({ ...wanted, socket }) : socket), made)
  }
  return Object.assign(agent, { createConnection: open })
}
