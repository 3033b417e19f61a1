import { type RequestOptions, request } from 'node:https'
import { isIP } from 'node:net'
import { type Judging, judgedAddresses } from './judged-addresses.ts'
import { agentTo } from './way-out.ts'

export type Fetched = { text: string /** By Cache-Control, s; 0 without it. */; maxAgeS: number }
/** Fetches a document. `url`: https. @throws Error with a message for people */
export type PublicFetch = (url: URL) => Promise<Fetched>

/**
 * Fetches a small JSON document from an untrusted address. The name is resolved once, all its addresses must be public, and the
 * connection goes to one of them. Redirects are not followed; size and time are bounded.
 */
export function createPublicFetch(
  options: Judging & { ca?: string; mostBytes?: number; timeoutMs?: number } = {},
): PublicFetch {
  const { mostBytes = 16_384, timeoutMs = 5_000 } = options
  return async (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const signal = AbortSignal.timeout(timeoutMs)
    const [address = host] = await judgedAddresses(url.hostname, options, signal)
    return read(url, { host: address, signal, ...(isIP(host) === 0 && { servername: host }), ...caOf(options.ca) })
  }

  function read(url: URL, to: RequestOptions & { signal: AbortSignal }): Promise<Fetched> {
    return new Promise((done, failed) => {
      const asked = request(
        {
          ...to,
          port: url.port === '' ? 443 : Number(url.port),
          path: url.pathname + url.search,
          // Always a new connection, so that no connection opened for another purpose is reused. If a proxy is set, the proxy connects to the
          // checked address.
          agent: agentTo(url, { keepsAlive: false }) ?? false,
          headers: { host: url.host, accept: 'application/json', 'accept-encoding': 'identity' },
        },
        (response) => {
          const refuse = (why: string) => {
            asked.destroy()
            failed(new Error(why))
          }
          if (response.statusCode !== 200) return refuse(`it answered ${response.statusCode}`)
          if (!/^application\/([\w.+-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')) {
            return refuse('it is not JSON')
          }
          const chunks: Buffer[] = []
          let bytes = 0
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes > mostBytes) return refuse(`it is larger than ${mostBytes} bytes`)
            chunks.push(chunk)
          })
          response.on('error', failed)
          response.on('end', () => {
            done({ text: Buffer.concat(chunks).toString('utf8'), maxAgeS: maxAgeOf(response.headers['cache-control']) })
          })
        },
      )
      asked.on('error', (cause) => failed(to.signal.aborted ? new Error('it took too long', { cause }) : cause))
      asked.end()
    })
  }
}

const caOf = (ca: string | undefined) => (ca === undefined ? {} : { ca })

function maxAgeOf(header: string | undefined): number {
  if (header === undefined || /\bno-(store|cache)\b/i.test(header)) return 0
  return Number(/\bmax-age=(\d{1,9})/i.exec(header)?.[1] ?? 0)
}
