import { createServer, type RequestListener } from 'node:http'
import { createClientAddress, networkOf } from '../auth/client-address.ts'
import { createDeviceCookie } from '../auth/device-cookie.ts'
import { createLoginGuard } from '../auth/login.ts'
import { createRequestGuard } from '../auth/request-guard.ts'
import { createStepUp } from '../auth/step-up.ts'
import { createTokens } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import { createApp } from '../http/app.ts'
import { authRoutes } from '../http/auth.ts'
import type { Activity } from '../protocol/index.ts'
import { serveActivity } from '../realtime/activity.ts'
import { createRealtime } from '../realtime/server.ts'
import { createRevocationStore } from '../store/sqlite/access/tokens.ts'
import type { Foundation } from './foundation.ts'

/** A request must be whole by then, ms: whoever drips bytes holds a connection and what it has sent. */
const slowest = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** The one way in: the HTTP server and who may ask it, the sockets on it, signing in, and the feed that every socket may hear. */
export function composeEntrance(
  foundation: Foundation,
  config: Pick<Config, 'allowedHosts' | 'host' | 'trustedProxies'>,
) {
  const { database, jwtSecret, password, journal, now, log, report } = foundation
  const tokens = createTokens(jwtSecret, createRevocationStore(database, now), password.validFrom)
  // The app comes last, yet must be the first listener: Engine.IO takes over what is there, and passes on what is not its own.
  let app: RequestListener | undefined
  const http = createServer(slowest, (request, response) => app?.(request, response))
  const addressOf = createClientAddress(config.trustedProxies)
  const stepUp = createStepUp(now)
  const guard = createRequestGuard([...config.allowedHosts, config.host.toLowerCase()])
  const realtime = createRealtime(http, tokens, guard, (request) => networkOf(addressOf(request).address))
  const activity = serveActivity(realtime.namespace('/events'))
  // A first start that never served anybody has shown nobody its password: it is kept only from here on.
  http.once('listening', password.keep)

  return {
    http,
    realtime,
    addressOf,
    stepUp,
    chat: realtime.namespace('/chat'),
    activity,
    /** A line for the log and for the feed. */
    announce: (kind: Activity['kind']) => (text: string, level: 'info' | 'warning') => {
      log(text, level)
      activity.record({ at: now(), kind, level, text })
    },
    /** @param passwordChanged told when all that the old password allowed is taken back */
    serve(
      parts: Omit<Parameters<typeof createApp>[0], 'guard' | 'tokens' | 'auth' | 'report'>,
      passwordChanged: () => void,
    ) {
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
            passwordChanged()
            realtime.dropAll()
          },
          record: (event) => database.durably(() => journal.append('sign_in', event)),
        }),
      })
    },
    async close() {
      // Closing waits for every connection, an MCP client that waits for a person among them.
      const closed = realtime.close()
      http.closeAllConnections()
      await closed
    },
  }
}

export type Entrance = ReturnType<typeof composeEntrance>
