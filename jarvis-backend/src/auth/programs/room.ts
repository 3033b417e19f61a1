import type { Confirmations } from '../../calls/confirmations/confirmations.ts'
import type { Grants } from '../../calls/confirmations/grants.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom, type JarvisFacts } from '../../house.ts'
import { hookRoutes } from '../../http/hooks.ts'
import { mcpTokenRoutes } from '../../http/mcp-tokens.ts'
import type { Route } from '../../http/route.ts'
import { tokenRoutes } from '../../http/tokens.ts'
import type { Watch } from '../../watch/watch.ts'
import type { ApiTokens } from '../api-tokens.ts'
import { createHookKey } from '../hook-key.ts'
import type { OpenRequests } from '../open-requests.ts'
import type { StepUp } from '../step-up.ts'
import type { TokenUse } from '../token-use.ts'

/** The routes of programs' tokens. A token's cards, grants, runs and open requests end with it. */
export const programTokensRoom = defineRoom({
  name: 'program-tokens',
  open(needs: {
    apiTokens: ApiTokens
    tokenUse: Pick<TokenUse, 'flush'>
    runs: { look(): void }
    gate: { confirmations: Pick<Confirmations, 'pending' | 'cancel'>; grants: Pick<Grants, 'list' | 'revoke'> }
    requests: Pick<OpenRequests, 'look'>
  }) {
    const { apiTokens, tokenUse, runs, requests } = needs
    const { confirmations, grants } = needs.gate
    const parts = {
      tokens: {
        ...apiTokens,
        /** The tokens. Every request so far is counted in them. */
        list() {
          tokenUse.flush()
          return apiTokens.list()
        },
      },
      revoked(name: string, by: string) {
        for (const { toolUseId, requestedBy } of confirmations.pending()) {
          if (requestedBy.token === name) confirmations.cancel(toolUseId, by, 'Its token was revoked.')
        }
        for (const { id, requestedBy } of grants.list()) if (requestedBy.token === name) grants.revoke(id, by)
        runs.look()
        requests.look()
      },
    }
    return { contributes: { routes: [...tokenRoutes(parts), ...mcpTokenRoutes(parts)] } }
  },
})

/** The webhook for Proxmox's notifications, and its key. */
export const hooksRoom = defineRoom({
  name: 'hooks',
  open(needs: {
    foundation: Pick<Foundation, 'settings' | 'now' | 'journal' | 'database'>
    watch: Pick<Watch, 'hint'>
  }) {
    const { settings, now, journal, database } = needs.foundation
    const hook = createHookKey(settings, now)
    return { contributes: { routes: hookRoutes({ hook, watch: needs.watch, journal, transactions: database }) } }
  },
})

/** The routes on which a person consents to the sign-in of an MCP client. */
export const consentRoom = defineRoom({
  name: 'consent',
  open: ({ consentRoutes }: { consentRoutes: readonly Route[] }) => ({ contributes: { routes: consentRoutes } }),
})

/** Ends elevations, requests and sockets that are no longer valid. Hears `person.changed` and `clock.set_back`. */
export const expiryRoom = defineRoom({
  name: 'expiry',
  open(needs: {
    facts: JarvisFacts
    stepUp: Pick<StepUp, 'endAll'>
    requests: Pick<OpenRequests, 'look'>
    /** Ends sockets and streams of people whose rights have ended. */
    look(): void
  }) {
    const { facts, stepUp, requests, look } = needs
    facts.on('person.changed', () => requests.look())
    facts.on('clock.set_back', () => {
      stepUp.endAll()
      requests.look()
      look()
    })
    return {}
  },
})
