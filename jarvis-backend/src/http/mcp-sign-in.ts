import type { Request } from 'express'
import { AttachedSignInReply, JarvisError } from 'protocol'
import { z } from 'zod'
import type { OriginOf } from '../auth/public-origin.ts'
import { type Exchange, type Route, route } from './route.ts'

const cookieForS = 10 * 60
const page = '/settings/mcp-servers'

/**
 * `/api/mcp-servers/…/sign-in`: signs JARVIS in to an attached server. Only an owner begins and ends the sign-in, and both must happen in the same
 * browser.
 */
export function mcpSignInRoutes(parts: {
  signIns: {
    begin(name: string, asked: { origin: string; by: string }): Promise<AttachedSignInReply>
    start(flow: string): { cookie: string; address: string }
    finish(cookie: string | undefined, answer: URLSearchParams): Promise<void>
    signOut(name: string, by: string): Promise<void>
    /** The document of JARVIS as a client, at an https origin. */
    client(origin: string): Record<string, unknown>
  }
  originOf: OriginOf
  /** The address at which browsers reach JARVIS, if it is configured; otherwise the request's own address is used. */
  publicUrl: string | undefined
}): Route[] {
  const { signIns, originOf, publicUrl } = parts
  const nameAt = (request: Request) =>
    originOf(request).startsWith('https:') ? '__Host-jarvis_mcp_sign_in' : 'jarvis_mcp_sign_in'
  const cookieOf = (request: Request): string | undefined =>
    new RegExp(`(?:^|;\\s*)${nameAt(request)}=([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1]
  /** Lax, because the browser comes back from another site. */
  function setCookie({ request, response }: Exchange, value: string, forS: number): void {
    const facts = originOf(request).startsWith('https:') ? 'Path=/; Secure' : 'Path=/api/mcp-servers'
    response.append('Set-Cookie', `${nameAt(request)}=${value}; Max-Age=${forS}; ${facts}; HttpOnly; SameSite=Lax`)
  }
  return [
    route('/mcp-servers/:name/sign-in').post(
      'Begins to [sign JARVIS in](mcp-servers.md#signing-in) to a server. The browser that opens `address` goes to the authorization server and back.',
      { role: 'owner', password: true, reply: AttachedSignInReply },
      ({ params, by, request }) => signIns.begin(params.name, { origin: publicUrl ?? originOf(request), by }),
    ),
    route('/mcp-servers/:name/sign-out').post(
      'Ends the sign-in to a server, and revokes its tokens where the authorization server offers that.',
      { role: 'owner' },
      ({ params, by }) => signIns.signOut(params.name, by),
    ),
    route('/mcp-servers/sign-in/start').get(
      'Opens a sign-in that an owner began, once: this browser alone brings the answer back.',
      { role: 'public', query: z.strictObject({ flow: z.string().max(100) }), media: ['text/plain'], status: 303 },
      ({ query, request, response }) => {
        const { cookie, address } = signIns.start(query.flow)
        setCookie({ request, response }, cookie, cookieForS)
        response.set('Referrer-Policy', 'no-referrer').redirect(303, address)
      },
    ),
    route('/mcp-servers/sign-in/callback').get(
      'The address to which the authorization server sends the browser back. Its answer counts once, in the browser that began.',
      { role: 'public', query: z.record(z.string(), z.unknown()), media: ['text/plain'], status: 303 },
      async ({ request, response }) => {
        const at = request.originalUrl.indexOf('?')
        const answer = new URLSearchParams(at === -1 ? '' : request.originalUrl.slice(at))
        const cookie = cookieOf(request)
        setCookie({ request, response }, '', 0)
        try {
          await signIns.finish(cookie, answer)
          response.redirect(303, page)
        } catch (error) {
          if (!(error instanceof JarvisError)) throw error
          response.status(409).type('text/plain').send(`${error.message}\n`)
        }
      },
    ),
    route('/mcp-servers/sign-in/client').get(
      'The client document of JARVIS for authorization servers that read one. At an https address alone.',
      { role: 'public', reply: z.record(z.string(), z.unknown()) },
      ({ request }) => {
        const origin = originOf(request)
        if (!origin.startsWith('https:'))
          throw new JarvisError('not_found', 'JARVIS has no https address (JARVIS_PUBLIC_URL).')
        return signIns.client(origin)
      },
    ),
  ]
}
