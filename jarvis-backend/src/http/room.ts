import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Router } from 'express'
import type { Registry } from 'house'
import type { Health } from 'protocol'
import type { Bearer } from '../auth/bearer.ts'
import { createClientAddress, createIsTrusted } from '../auth/client-address.ts'
import type { OpenRequests } from '../auth/open-requests.ts'
import { createRateLimit } from '../auth/rate-limit.ts'
import type { SessionReach } from '../auth/reach.ts'
import { createRefusals } from '../auth/refused-access.ts'
import { createRequestGuard, type RequestGuard } from '../auth/request-guard.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { serverProofKey } from '../lib/server-proof.ts'
import { createAccess } from './access.ts'
import { createApp } from './app.ts'
import { openApiRoute } from './openapi.ts'
import type { Route } from './route.ts'

/** Time limits of a request, ms. They end connections of clients that send their bytes very slowly. */
const slowest = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** The HTTP server and its checks of hosts and addresses. The server does not listen yet. */
export const serverRoom = defineRoom({
  name: 'server',
  open(needs: {
    foundation: Pick<Foundation, 'now' | 'log' | 'journal'>
    config: Pick<Config, 'allowedHosts' | 'host' | 'publicUrl' | 'trustedProxies'>
  }) {
    const { now, log, journal } = needs.foundation
    const { allowedHosts, host, publicUrl, trustedProxies } = needs.config
    // Engine.IO passes requests on to the listeners that it finds, so a listener is registered before the app is made.
    let app: RequestListener | undefined
    // Node would answer a request without a Host with an empty page; the guard says what to do.
    const http = createServer({ ...slowest, requireHostHeader: false }, (request, response) => app?.(request, response))
    const addressOf = createClientAddress(trustedProxies)
    const refusals = createRefusals(now, (refusal) => {
      log(`Not allowed: ${refusal.by || 'nobody'} asked for ${refusal.door}. ${refusal.why}`, 'warning')
      journal.append('access_refused', refusal)
    })
    const limits = createRefusals(now, ({ by, door, why, address }) =>
      log(`Too many requests: ${by || `nobody known, at ${address},`} asked for ${door}. ${why}`, 'warning'),
    )
    return {
      http,
      addressOf,
      guard: createRequestGuard({
        allowedHosts: [...allowedHosts, host.toLowerCase()],
        publicUrl,
        isTrusted: createIsTrusted(trustedProxies),
      }),
      /** Journals that a request was refused for lack of rights. */
      refused: (request: IncomingMessage, refusal: { by: string; door: string; why: string }) =>
        refusals({ ...refusal, address: addressOf(request).address }),
      /** Logs that a request came too soon after others. */
      limited: (request: IncomingMessage, refusal: { by: string; door: string; why: string }) =>
        limits({ ...refusal, address: addressOf(request).address }),
      /** Begins to answer requests with `listener`. */
      answerWith(listener: RequestListener) {
        app = listener
      },
    }
  },
})

/** Most requests of a person to REST in a minute, from all of their pages together. A page makes at most some hundreds. */
const mostOfPerson = 30_000

/** Answers every HTTP request from the routes of all rooms. The last room: no request is answered before all rooms resumed their work. */
export const appRoom = defineRoom({
  name: 'app',
  open(needs: {
    foundation: Pick<Foundation, 'database' | 'dataDir' | 'report' | 'redact' | 'now'>
    /** The routes of all rooms. */
    routes: Pick<Registry<Route>, 'list'>
    version: string
    guard: RequestGuard
    refused(request: IncomingMessage, refusal: { by: string; door: string; why: string }): void
    limited(request: IncomingMessage, refusal: { by: string; door: string; why: string }): void
    answerWith(listener: RequestListener): void
    tokens: Tokens
    cookie: SessionCookie
    bearer: Bearer
    requests: OpenRequests
    stepUp: StepUp
    reach: SessionReach
    health(): Health
    metrics(): Promise<string>
    mcp: RequestListener
    v1: RequestListener
    /** Mounted at the root, where OAuth clients look for it. */
    oauth: Router
    /** Directory of the built dashboard; it may not exist. */
    dashboardDir: string
  }) {
    const { foundation, routes, answerWith, tokens, bearer, requests, cookie, ...parts } = needs
    const { database, dataDir, report, redact, now } = foundation
    const perPerson = createRateLimit({ perMs: 60_000, now })
    return {
      contributes: { routes: [openApiRoute(() => routes.list(), needs.version)] },
      resume() {
        answerWith(
          createApp({
            ...parts,
            routes: routes.list(),
            proofKey: serverProofKey(dataDir),
            access: createAccess({
              tokens,
              bearer,
              open: requests,
              cookie,
              count: (person) => perPerson(person, mostOfPerson),
            }),
            report,
            redact,
            untilFree: () => database.untilFree(),
          }),
        )
      },
    }
  },
})
