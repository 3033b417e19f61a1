import type { ApiToken, ApiTokens } from '../auth/api-tokens.ts'
import { createBearer } from '../auth/bearer.ts'
import { type ClientAddressOf, networkOf } from '../auth/client-address.ts'
import { createOAuthClients } from '../auth/oauth-clients.ts'
import { createOAuthRequests } from '../auth/oauth-requests.ts'
import { createOAuthSecrets } from '../auth/oauth-secrets.ts'
import type { People } from '../auth/people.ts'
import { createOriginOf } from '../auth/public-origin.ts'
import { createRateLimit } from '../auth/rate-limit.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal } from '../calls/ports.ts'
import { oauthRoutes } from '../http/oauth.ts'
import { oauthConsentRoutes } from '../http/oauth-consent.ts'
import { type Clock, oldBefore } from '../lib/clock.ts'
import type { PublicFetch } from '../lib/public-fetch.ts'
import { createOAuthStore } from '../store/sqlite/access/oauth.ts'
import type { Database } from '../store/sqlite/database.ts'

/** From one network, an hour. */
const mostRegistrations = 20

/** Wires the sign-in of MCP clients: OAuth routes, the operator's consent, and the check of access tokens. */
export function composeOAuth(parts: {
  database: Database
  journal: Pick<Journal, 'append'>
  tokens: Pick<ApiTokens, 'verify'>
  /** Counts a request of a token. @throws JarvisError `too_many_requests` */
  count(token: ApiToken): void
  people: Pick<People, 'inNameOf'>
  publicUrl: string | undefined
  now(): number
  clock: Clock
  addressOf: ClientAddressOf
  stepUp: StepUp
  /** Default: over the internet. */
  fetchDocument?: PublicFetch
}) {
  const { database, journal, tokens, now, addressOf } = parts
  const limit = createRateLimit({ perMs: 60 * 60_000, now })
  const store = createOAuthStore(database)
  const originOf = createOriginOf(parts.publicUrl)
  const fetchDocument = parts.fetchDocument ?? fromInternet
  const clients = createOAuthClients({ store, fetchDocument, now, before: (keptMs) => oldBefore(parts.clock, keptMs) })
  const secrets = createOAuthSecrets({
    store,
    durably: database.durably,
    record: (change) => void journal.append('token', change),
    now,
  })
  const requests = createOAuthRequests({
    clients,
    allow: secrets.allow,
    denied: ({ client }, by) =>
      void database.durably(() =>
        journal.append('token', { change: 'refused', client: client.name, clientId: client.id, by }),
      ),
    now,
  })
  return {
    bearer: createBearer({ tokens, people: parts.people, oauth: secrets, originOf, count: parts.count }),
    routes: oauthRoutes({
      clients,
      secrets,
      originOf,
      limitRegistrations: (request) => limit(networkOf(addressOf(request).address), mostRegistrations),
    }),
    consentRoutes: oauthConsentRoutes({ requests, originOf, stepUp: parts.stepUp }),
  }
}

/** Fetches a client's metadata document from its address. The code is loaded with the first one. */
const fromInternet: PublicFetch = async (url) => {
  const { createPublicFetch } = await import('../lib/public-fetch.ts')
  return createPublicFetch()(url)
}
