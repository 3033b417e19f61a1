import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { createClientAddress, networkOf } from '../auth/client-address.ts'
import { createDeviceCookie } from '../auth/device-cookie.ts'
import { createLoginGuard } from '../auth/login.ts'
import { createPassword } from '../auth/password.ts'
import { createRequestGuard } from '../auth/request-guard.ts'
import type { StepUp } from '../auth/step-up.ts'
import { createTokens } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import { createApp } from '../http/app.ts'
import { authRoutes } from '../http/auth.ts'
import { keptOrMade } from '../lib/kept-secret.ts'
import { serveActivity } from '../realtime/activity.ts'
import { serveChat } from '../realtime/chat.ts'
import { serveCluster } from '../realtime/cluster.ts'
import { createRealtime } from '../realtime/server.ts'
import { serveTerminal } from '../realtime/terminal.ts'
import { createRevocationStore } from '../store/sqlite/access/tokens.ts'
import type { Site } from './site.ts'

/** A request must be whole by then, ms: whoever drips bytes holds a connection and what it has sent. */
const slowest = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** The one way into the process: the HTTP server and who may ask it, signing in, and the sockets that lead to the site. */
export function composeEntrance(
  site: Site,
  stepUp: StepUp,
  config: Pick<Config, 'allowedHosts' | 'host' | 'jwtSecret' | 'password' | 'trustedProxies'>,
) {
  const { clock, database, dataDir, hide, homelab, journal, now, report, settings } = site
  const jwtSecret = config.jwtSecret ?? keptOrMade(dataDir, 'jwt-secret', () => randomBytes(32).toString('hex'))
  const password = createPassword({ configured: config.password, dataDir, secret: jwtSecret, settings, now })
  for (const secret of [jwtSecret, password.made]) if (secret !== undefined) hide(secret)
  const tokens = createTokens(jwtSecret, createRevocationStore(database, now), password.validFrom)
  // The app comes last, yet must be the first listener: Engine.IO takes over what is there, and passes on what is not its own.
  let app: RequestListener | undefined
  const http = createServer(slowest, (request, response) => app?.(request, response))
  const addressOf = createClientAddress(config.trustedProxies)
  const guard = createRequestGuard([...config.allowedHosts, config.host.toLowerCase()])
  const realtime = createRealtime(http, tokens, guard, (request) => networkOf(addressOf(request).address))
  serveActivity(realtime.namespace('/events'), site.activity)
  const clusterFeed = serveCluster(realtime.namespace('/cluster'), { cluster: homelab.cluster, clock })
  serveChat(realtime.namespace('/chat'), { ...site, confirmations: site.gate.confirmations })
  serveTerminal(realtime.namespace('/terminal'), {
    terminals: homelab.terminals,
    clock,
    record: (body) => database.durably(() => journal.append('terminal', site.redactor.value(body))),
    activity: site.activity.record,
    stepUp,
    report,
  })
  // A first start that never served anybody has shown nobody its password: it is kept only from here on.
  http.once('listening', password.keep)
  http.once('listening', site.start)

  return {
    http,
    realtime,
    addressOf,
    /** Undefined where there was a password. */
    newPassword: password.made,
    serve(parts: Omit<Parameters<typeof createApp>[0], 'guard' | 'tokens' | 'auth' | 'report'>) {
      app = createApp({
        ...parts,
        guard,
        tokens,
        report,
        auth: authRoutes({
          tokens,
          guard: createLoginGuard(now),
          password,
          stepUp,
          device: createDeviceCookie(jwtSecret),
          addressOf,
          revoked: realtime.drop,
          changed() {
            site.push.forgetAll()
            realtime.dropAll()
          },
          record: (event) => database.durably(() => journal.append('sign_in', event)),
        }),
      })
    },
    async close() {
      clusterFeed.close()
      // Closing waits for every connection, an MCP client that waits for a person among them.
      const closed = realtime.close()
      http.closeAllConnections()
      await closed
    },
  }
}

export type Entrance = ReturnType<typeof composeEntrance>
