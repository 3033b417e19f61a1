import { isMistrust, whyUnreachable } from '../../lib/unreachable.ts'

/** The outcome of the last request that needs an answer: an error, a status, or a refused redirect. */
export type Reach = { error: unknown } | { status: number } | { words: string }

/** Returns why a URL does not work and what to do about it; undefined if it answered well. @param type the type in the server's entry */
export function faultOf(url: URL, reach: Reach | undefined, type?: 'http' | 'sse'): string | undefined {
  if (reach === undefined) return undefined
  if ('words' in reach) return reach.words
  if ('status' in reach) return refusalOf(url, reach.status, type)
  const why = whyUnreachable(reach.error)
  return `Cannot reach ${url.host}: ${why}. ${adviceOn(why)}`
}

/** Message for an address that answers but does not speak MCP. */
export const notMcp = ({ host, pathname }: URL): string =>
  `${host} answers, but ${pathname} is no MCP server. Compare the path: often it is /mcp, and /sse for an older one.`

function refusalOf({ host, pathname }: URL, status: number, type?: 'http' | 'sse'): string | undefined {
  if (status < 400) return undefined
  if (status === 401)
    return `${host} wants a sign-in (401). Put its token into this server’s headers in mcp.json, or sign in under Settings, MCP servers.`
  if (status === 403) return `${host} refuses access (403). Compare the token in this server’s headers in mcp.json.`
  if (type === 'sse' && (status === 404 || status === 405 || status === 406))
    return `${host} serves no events at ${pathname} (${status}). Write "type": "http" into its entry in mcp.json if it speaks Streamable HTTP, or compare the path.`
  if (status === 404 || status === 405) {
    return `${host} serves nothing at ${pathname} (${status}). Compare the path: often it is /mcp, and /sse for an older one.`
  }
  if (status >= 500) return `${host} has a fault of its own (${status}). Look at its log.`
  return `${host} refuses the request (${status}). Compare the address with what the server’s own page says.`
}

function adviceOn(why: string): string {
  if (why === 'there is no such name') return 'Correct the name, or use the address.'
  if (isMistrust(why)) return 'Nothing was sent. Start JARVIS with NODE_EXTRA_CA_CERTS naming the authority’s file.'
  if (why === 'it does not speak TLS there') return 'Is it http:// rather than https://?'
  return 'Check that the server runs, and the port.'
}
