import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostOf } from './request-guard.ts'

const name = '__Host-jarvis'
const facts = 'Path=/; Secure; HttpOnly; SameSite=Strict'

type Asked = Pick<IncomingMessage, 'headers' | 'method'>

export interface SessionCookie {
  /** True if a sign-in by this request is kept in the cookie. Browsers that do not send `Sec-Fetch-Site` get the token. */
  suits(request: Asked): boolean
  /** The token in a request's cookie; undefined unless JARVIS's own page asks at JARVIS's own name. */
  read(request: Asked): string | undefined
  /** Makes a `Set-Cookie` header. @param forS lifetime of the cookie, seconds */
  issue(token: string, forS: number): string
  /** A `Set-Cookie` header that deletes the cookie. */
  readonly cleared: string
}

/**
 * Keeps a sign-in's token in a cookie that no script can read. The cookie is used only at an https name of JARVIS's own: a browser sends a host's
 * cookies to every port of the host, and drops this cookie without TLS. Requests without the cookie, or from another page, need the token as a
 * bearer. @param publicUrl origin under which a proxy publishes this server
 */
export function createSessionCookie(publicUrl: string | undefined): SessionCookie {
  const own = publicUrl !== undefined && isOwnName(new URL(publicUrl)) ? new URL(publicUrl) : undefined

  const isAtOwnName = ({ headers }: Asked) =>
    own !== undefined && hostOf(`https://${headers.host ?? ''}`)?.full === own.host

  /**
   * True if the request comes from JARVIS's own page. Browsers send an Origin with every write and socket, and none with a read of the same origin.
   */
  function isOwnPage({ headers, method }: Asked): boolean {
    const site = headers['sec-fetch-site']
    if (headers.origin !== undefined) return headers.origin === own?.origin && (site ?? 'same-origin') === 'same-origin'
    return (method === 'GET' || method === 'HEAD') && site === 'same-origin'
  }

  return {
    suits: (request) =>
      isAtOwnName(request) && request.headers['sec-fetch-site'] === 'same-origin' && isOwnPage(request),
    read(request) {
      if (request.headers.cookie === undefined || !isAtOwnName(request) || !isOwnPage(request)) return undefined
      return new RegExp(`(?:^|;\\s*)${name}=([\\w-]+\\.[\\w-]+\\.[\\w-]+)(?:;|$)`).exec(request.headers.cookie)?.[1]
    },
    issue: (token, forS) => `${name}=${token}; Max-Age=${forS}; ${facts}`,
    cleared: `${name}=; Max-Age=0; ${facts}`,
  }
}
/** True if no other service shares the cookies of this host name. Services on `localhost` or at an IP address share them across ports. */
const isOwnName = ({ protocol, hostname }: URL) =>
  protocol === 'https:' &&
  hostname !== 'localhost' &&
  !hostname.endsWith('.localhost') &&
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0
