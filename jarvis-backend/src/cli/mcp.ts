import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { version } from '../version.ts'
import type { Input } from './options.ts'
import { addressOf, isLoggedIn, keptLogin } from './remote/logins.ts'
import { localToken, localUrl, proverOf } from './remote/reach.ts'

/** The token for MCP over stdio. */
const kept = { name: 'stdio', file: 'mcp-stdio-token', doors: ['mcp'] } as const
const probeMs = 2_000
const graceMs = 5_000

/**
 * `jarvis mcp` with a word manages attached servers. Without words it serves MCP over stdio through the running server, or through a server that it
 * starts and stops itself.
 */
export async function mcp(config: Config, { values, positionals }: Input<{ url?: string }>): Promise<void> {
  if (positionals.length > 0) return (await import('./mcp-servers.ts')).mcpServers(config, positionals, values.url)
  // Standard output carries the protocol only, so all other output goes to standard error.
  const output = { write: process.stdout.write.bind(process.stdout) }
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write
  const server = await serverFor(config, values.url)
  try {
    const token = config.mcpToken ?? (await tokenFor(config, values.url))
    const ask = config.mcpToken === undefined && isOwn(values.url) ? proverOf(config.dataDir, server.url) : undefined
    await ask?.(`${server.url}/health`, {})
    const { bridgeStdio } = await import('../mcp/server/stdio-bridge.ts')
    const report = (message: string) => console.error(message)
    await bridgeStdio({ url: `${server.url}/mcp`, token, ask, input: process.stdin, output, report })
  } finally {
    await server.stop()
  }
}

/** The token for a server: the one that `login` stored for it. The data dir's own token is sent to no other machine. */
function tokenFor(config: Config, url: string | undefined): string | Promise<string> {
  return isOwn(url) ? localToken(config, kept) : keptLogin(url).token
}

const isOwn = (url: string | undefined): url is undefined =>
  url === undefined || (isLoopback(addressOf(url)) && !isLoggedIn(url))

const isLoopback = (url: string) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

type Reached = { url: string; stop(): Promise<void> }

async function serverFor(config: Config, given: string | undefined): Promise<Reached> {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const url = (given ?? localUrl(config)).replace(/\/$/, '')
  if (await isThere(url)) return { url, stop: async () => {} }
  if (given !== undefined) throw new JarvisError('not_found', `No JARVIS answers at ${url}.`)
  const { compose, demoFor } = await import('../process.ts')
  const dashboardDir = fileURLToPath(new URL('../../jarvis-frontend/dist', import.meta.url))
  const jarvis = compose(config, { version, dashboardDir }, { demo: await demoFor(config) })
  await new Promise<void>((resolve, reject) => {
    jarvis.http.once('error', reject)
    jarvis.http.listen(config.port, host, resolve)
  })
  const { port } = jarvis.http.address() as AddressInfo
  console.error(`No JARVIS was running: this one is at http://${host}:${port} until the client leaves.`)
  if (jarvis.newPassword !== undefined) console.error(`Password: ${jarvis.newPassword}  (made now, shown this once)`)
  return { url: `http://${host}:${port}`, stop: () => jarvis.stop(graceMs) }
}

async function isThere(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(probeMs) })).ok
  } catch {
    return false
  }
}
