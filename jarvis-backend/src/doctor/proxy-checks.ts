import type { DoctorCheck } from 'protocol'
import type { Config } from '../config/config.ts'
import { readMcpFile } from '../config/mcp-file.ts'
import { type ForwardProxy, readProxies } from '../lib/proxies.ts'
import { addressOf } from '../providers/index.ts'
import { bad, ok, warn } from './check.ts'

const area = 'Proxy'

/** Checks the proxy variables and names what goes through them; no line if none is set. Sends nothing. */
export function proxyChecks(config: Config): DoctorCheck[] {
  const { http, https } = config.proxies
  const proxies = readProxies(config.proxies)
  if (http === undefined && https === undefined) return []
  const places = placesOf(config)
  type Way = ForwardProxy | undefined | 'none'
  const wayOf = (url: URL): Way => {
    try {
      return proxies.of(url)
    } catch {
      return 'none'
    }
  }
  const listed = (isIt: (way: Way) => boolean) => [
    ...new Set(places.filter(({ url }) => isIt(wayOf(url))).map(({ name, url }) => `${name} (${url.host})`)),
  ]
  const used = proxies.all.map((proxy) => {
    const names = listed((way) => typeof way === 'object' && way.place === proxy.place)
    const serves = names.length === 0 ? 'nothing that is configured' : names.join(', ')
    return ok(area, `${proxy.place} (${proxy.variable}) serves ${serves}.`)
  })
  const direct = listed((way) => way === undefined)
  return [
    ...proxies.problems.map((problem) =>
      bad(area, `${problem}. What would go through it is not sent.`, 'Correct it, or name the servers in NO_PROXY.'),
    ),
    ...used,
    ...(https === undefined
      ? [
          warn(
            area,
            'HTTPS_PROXY is not set, so https:// addresses are reached directly.',
            'Set HTTPS_PROXY too, mostly to the same address.',
          ),
        ]
      : []),
    ok(area, `Directly: the cluster, its nodes, mail${direct.map((name) => `, ${name}`).join('')}.`),
  ]
}

function placesOf(config: Config): { name: string; url: URL }[] {
  const { embeddings, transcriptions, search, oidc } = config
  const places: [name: string, address: string | undefined][] = [
    ...config.models.map((model): [string, string | undefined] =>
      model.kind === 'demo' ? ['the demo', undefined] : [model.provider, addressOf(model)],
    ),
    ['embeddings', embeddings.kind === 'openai' ? embeddings.baseUrl : undefined],
    ['speech', transcriptions?.baseUrl],
    ['web search', search === undefined ? undefined : 'url' in search ? search.url : 'https://api.search.brave.com'],
    ['sign-in', oidc?.issuer],
    ...[...readMcpFile(config).servers].map(([name, { config: server }]): [string, string | undefined] => [
      `the MCP server ${name}`,
      server.type === 'stdio' ? undefined : server.url,
    ]),
  ]
  return places.flatMap(([name, address]) =>
    address !== undefined && URL.canParse(address) ? [{ name, url: new URL(address) }] : [],
  )
}
