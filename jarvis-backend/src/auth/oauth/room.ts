import type { Journal } from '../../calls/ports.ts'
import type { Config } from '../../config/config.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom } from '../../house.ts'
import { oauthRoutes } from '../../http/oauth.ts'
import { oauthConsentRoutes } from '../../http/oauth-consent.ts'
import { type Clock, oldBefore } from '../../lib/clock.ts'
import type { PublicFetch } from '../../lib/public-fetch.ts'
import { SqliteOAuthStore } from '../../store/sqlite/access/oauth.ts'
import type { ApiToken, ApiTokens } from '../api-tokens.ts'
import { createBearer } from '../bearer.ts'
import { type ClientAddressOf, networkOf } from '../client-address.ts'
import { createOAuthClients } from '../oauth-clients.ts'
import { createOAuthRequests } from '../oauth-requests.ts'
import { OAuthSecrets } from '../oauth-secrets.ts'
import type { People } from '../people.ts'
import { createOriginOf } from '../public-origin.ts'
import { createRateLimit } from '../rate-limit.ts'
import type { StepUp } from '../step-up.ts'

type Needs = {
  foundation: Pick<Foundation, 'database' | 'now'> & { clock: Clock; journal: Pick<Journal, 'append'> }
  config: Pick<Config, 'publicUrl'>
  apiTokens: Pick<ApiTokens, 'verify'>
  /** Counts a request of a token. @throws JarvisError `too_many_requests` */
  count(token: ApiToken): void
  people: Pick<People, 'inNameOf'>
  addressOf: ClientAddressOf
  stepUp: StepUp
  /** Fetches a client's metadata document. Default: over the internet. */
  fetchDocument: PublicFetch | undefined
}

/** Maximum number of clients that one network may register in an hour. */
const mostRegistrations = 20

/** The sign-in of MCP clients by OAuth: its endpoints, a person's consent, and the check of programs' tokens. */
export const oauthRoom = defineRoom({
  name: 'oauth',
  open(needs: Needs) {
    const { apiTokens, addressOf, stepUp } = needs
    const { clock, database, journal, now } = needs.foundation
    const limit = createRateLimit({ perMs: 60 * 60_000, now })
    const store = new SqliteOAuthStore(database)
    const originOf = createOriginOf(needs.config.publicUrl)
    const clients = createOAuthClients({
      store,
      fetchDocument: needs.fetchDocument ?? fromInternet,
      now,
      before: (keptMs) => oldBefore(clock, keptMs),
    })
    const secrets = new OAuthSecrets({
      store,
      durably: database.durably,
      record: (change) => void journal.append('token', change),
      now,
    })
    const requests = createOAuthRequests({
      clients,
      allow: (allowed) => secrets.allow(allowed),
      denied: ({ client }, by) =>
        void database.durably(() =>
          journal.append('token', { change: 'refused', client: client.name, clientId: client.id, by }),
        ),
      now,
    })
    return {
      bearer: createBearer({ tokens: apiTokens, people: needs.people, oauth: secrets, originOf, count: needs.count }),
      /** The endpoints outside `/api`. */
      endpoints: oauthRoutes({
        clients,
        secrets,
        originOf,
        limitRegistrations: (request) => limit(networkOf(addressOf(request).address), mostRegistrations),
      }),
      consentRoutes: oauthConsentRoutes({ requests, originOf, stepUp }),
    }
  },
})

/** Fetches a client's metadata document from its address. The code that fetches is loaded on first use. */
const fromInternet: PublicFetch = async (url) => {
  const { createPublicFetch } = await import('../../lib/public-fetch.ts')
  return createPublicFetch()(url)
}
