import type { RequestListener } from 'node:http'
import express, { type Router } from 'express'
import { type Health, JarvisError } from 'protocol'
import type { SessionReach } from '../auth/reach.ts'
import { hostOf, type RequestGuard } from '../auth/request-guard.ts'
import type { StepUp } from '../auth/step-up.ts'
import { challengeHeader, proofHeader, proofOf } from '../lib/server-proof.ts'
import type { Access } from './access.ts'
import { dashboard } from './dashboard.ts'
import { errorHandler } from './errors.ts'
import { requireScope, wholeSight } from './handle.ts'
import { metricsType } from './metrics.ts'
import { noQuery, type Route, serveRoutes } from './route.ts'

/** Content Security Policy: only this origin's fonts, scripts and sockets, and no framing of the page. */
const contentPolicy = (origins: string) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${origins}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // Only these policies may turn text into markup or a script's address: ours, and DOMPurify, which cleans Mermaid's drawings.
    "require-trusted-types-for 'script'",
    'trusted-types jarvis dompurify default',
  ].join('; ')

/**
 * Returns the WebSocket origins for `connect-src`, because in some browsers `'self'` does not include sockets of the page's own host. Empty for an
 * IPv6 address in brackets, which the policy cannot express.
 */
const socketsOf = (header: string | undefined) => {
  const host = hostOf(`http://${header ?? ''}`)?.full
  return host === undefined || !/^[a-z0-9.-]+(:\d+)?$/.test(host) ? '' : ` ws://${host} wss://${host}`
}

const secureHeaders = new Map([
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
])

const isReading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const isV1 = /^\/v1(?:[/?]|$)/

/** Makes the listener of all HTTP requests: API, OAuth, MCP, metrics and the dashboard. */
export function createApp(parts: {
  guard: RequestGuard
  access: Access
  stepUp: StepUp
  reach: Pick<SessionReach, 'require'>
  /** The routes below `/api`. */
  routes: readonly Route[]
  mcp: RequestListener
  /** Handles everything below `/v1`, with failures in a form of its own and its own check of hosts. */
  v1: RequestListener
  /** The OAuth endpoints, at the root of the server, because clients look for them there. */
  oauth: Router
  health(): Health
  /** The key with which this server proves its identity to commands on this machine. */
  proofKey: string
  /** In Prometheus' text format. */
  metrics(): Promise<string>
  /** Directory of the built dashboard; it may not exist. */
  dashboardDir: string
  report(error: unknown, message: string): void
  refused: Parameters<typeof errorHandler>[1]['refused']
  limited: Parameters<typeof errorHandler>[1]['limited']
  redact: Parameters<typeof errorHandler>[2]
  /** The same as `Database.untilFree`. */
  untilFree(): Promise<void> | undefined
}): RequestListener {
  const app = express()
  const serveMcp: RequestListener = (request, response) => {
    response.setHeader('Cache-Control', 'no-store')
    parts.mcp(request, response)
  }
  app.disable('x-powered-by')
  app.use((request, _response, next) => {
    if (!parts.guard(request)) throw new JarvisError('forbidden', parts.guard.why(request))
    next()
  })
  app.get('/health', (request, response) => {
    const proof = proofOf(parts.proofKey, request.headers[challengeHeader], request.socket.localPort)
    if (proof !== undefined) response.setHeader(proofHeader, proof)
    response.json(parts.health())
  })
  app.get('/metrics', parts.access.door('metrics'), wholeSight, noQuery, async (_request, response) => {
    response
      .set('Cache-Control', 'no-store')
      .type(metricsType)
      .send(await parts.metrics())
  })
  app.all('/mcp', serveMcp)
  app.use(parts.oauth)

  const api = express.Router()
  api.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })
  api.use(serveRoutes(parts.routes, parts))
  api.use(parts.access.door('api'), requireScope(undefined), noQuery)
  api.use((request) => {
    throw new JarvisError('not_found', `There is no ${request.method} ${request.originalUrl.split('?', 1)[0]}.`)
  })
  app.use('/api', api)

  app.use(dashboard(parts.dashboardDir))
  app.use((request) => {
    throw new JarvisError('not_found', `There is no ${request.method} ${request.path}.`)
  })
  app.use(errorHandler(parts.report, parts, parts.redact))
  // Most requests name the same host as the request before, so a cache of one entry is enough.
  let last: { host: string | undefined; policy: string } = { host: undefined, policy: contentPolicy('') }
  const policyFor = (host: string | undefined) => {
    if (last.host !== host) last = { host, policy: contentPolicy(socketsOf(host)) }
    return last.policy
  }
  const serve: RequestListener = (request, response) => {
    response.setHeaders(secureHeaders)
    // The guard replaces the Host header by the host that the browser sees, which the policy must name.
    const isAllowed = parts.guard(request)
    response.setHeader('Content-Security-Policy', policyFor(request.headers.host))
    // Calls the MCP route directly, because Express's routing costs as much as the rest of a read by an MCP client.
    if (isV1.test(request.url ?? '')) parts.v1(request, response)
    else if (request.url === '/mcp' && isAllowed) serveMcp(request, response)
    else app(request, response)
  }
  return (request, response) => {
    const free = isReading.has(request.method ?? '') ? undefined : parts.untilFree()
    if (free === undefined) return serve(request, response)
    // The request has not begun, so it is dropped if its client has disconnected. If the wait for the database fails, the request runs and reports
    // the reason.
    const go = () => {
      if (!response.destroyed) serve(request, response)
    }
    free.then(go, go)
  }
}
