import type { Server as HttpServer } from 'node:http'
import { oauthRoom } from './auth/oauth/room.ts'
import { createOpenRequests } from './auth/open-requests.ts'
import type { HashStrength } from './auth/passwords.ts'
import { consentRoom, expiryRoom, hooksRoom, programTokensRoom } from './auth/programs/room.ts'
import { signInRoom, tokensRoom } from './auth/sign-in/room.ts'
import { createStepUp } from './auth/step-up.ts'
import { type Config, ConfigError } from './config/config.ts'
import { loadDemo, type OpenDemo } from './homelab/demo.ts'
import { appRoom, serverRoom } from './http/room.ts'
import type { Route } from './http/route.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { PublicFetch } from './lib/public-fetch.ts'
import { createSteadyClock } from './lib/steady-clock.ts'
import { mcpDoorRoom } from './mcp/server/room.ts'
import type { Surface } from './mcp/server/surface.ts'
import { socketsRoom } from './realtime/room.ts'
import { openSite, type Site, type SiteReplacements } from './site.ts'
import type { Program } from './system/program.ts'
import { systemRoom } from './system/room.ts'
import { v1Room } from './v1/room.ts'

export type Jarvis = {
  http: HttpServer
  /** The calls that every door uses, for a program that embeds JARVIS. */
  hub: Site['hub']
  /** The table of the REST routes. */
  routes: readonly Route[]
  /** Set only where this start made the password. */
  newPassword: string | undefined
  modelId: string
  /** Takes no more work, lets running calls finish, closes everything. Unfinished work resumes at the next start. */
  stop(graceMs: number): Promise<void>
}

/** Parts that tests replace, and `program`, which only a program has. */
export type Replacements = SiteReplacements & {
  program?: Program
  clock?: Clock
  /** Fetches an OAuth client's metadata document. */
  fetchDocument?: PublicFetch
  /** Replaces the resources, prompts and completions that MCP clients see. */
  surface?: (real: Surface) => Surface
  /** Replaces the cost of a password's hash. */
  hashStrength?: HashStrength
}

/**
 * Loads the demo's cluster if no cluster is configured.
 * @throws ConfigError if the build left the demo out
 */
export async function demoFor(config: Config): Promise<OpenDemo | undefined> {
  if (config.proxmox !== undefined) return undefined
  return await loadDemo().catch((cause: unknown) => {
    throw new ConfigError(
      'No cluster is connected, and the demo is not part of this build. Set PVE_URL, PVE_TOKEN_ID and PVE_TOKEN_SECRET, or install a build with the demo.',
      { cause },
    )
  })
}

/** Opens the process: one site, and the rooms of its doors in the same house. It does not listen yet. */
export function compose(config: Config, version: string, dashboardDir: string, replace: Replacements = {}): Jarvis {
  const steady = createSteadyClock(replace.clock ?? systemClock)
  const stepUp = createStepUp(() => steady.now())
  const site = openSite(config, { version, clock: steady, stepUp }, replace)
  const { house, foundation, people, signIns, apiTokens, tokenUse } = site
  const { facts } = house
  const of = { ...site, config, facts, stepUp, version }

  const server = house.open(serverRoom, { foundation, config })
  const { http, guard, addressOf, refused, answerWith } = server
  const signedIn = house.open(tokensRoom, {
    foundation,
    config,
    people,
    signIns,
    http,
    hashStrength: replace.hashStrength,
  })
  const { tokens, cookie, password } = signedIn
  const sockets = house.open(socketsRoom, { ...of, http, tokens, guard, cookie, addressOf, refused })
  const { realtime, look, drop } = sockets
  house.open(signInRoom, { ...of, ...signedIn, addressOf, look, drop })
  const oauth = house.open(oauthRoom, {
    foundation,
    config,
    stepUp,
    apiTokens,
    addressOf,
    count: (token) => tokenUse.count(token),
    people,
    fetchDocument: replace.fetchDocument,
  })
  const { bearer } = oauth
  const requests = createOpenRequests(site)
  house.open(expiryRoom, { facts, stepUp, requests, look })
  const { state } = house.open(systemRoom, { ...of, realtime, program: replace.program, rooms: () => house.rooms() })
  house.open(programTokensRoom, { ...of, requests })
  house.open(hooksRoom, of)
  house.open(consentRoom, { consentRoutes: oauth.consentRoutes })
  const door = { foundation, config, sessions: site, agents: site.agents, bearer, requests }
  const { mcp } = house.open(mcpDoorRoom, {
    ...door,
    // Attached servers' tools are not offered to MCP clients.
    catalog: site.houseTools,
    cluster: site.homelab.cluster,
    gate: site.gate,
    people: site.known,
    shown: site.shown,
    version,
    surface: replace.surface,
  })
  const { models, memory, budgets } = site
  const { v1 } = house.open(v1Room, { ...door, guard, models, memory, budgets })
  house.open(appRoom, {
    ...of,
    routes: house.registry('routes'),
    guard,
    refused,
    answerWith,
    tokens,
    cookie,
    bearer,
    requests,
    health: () => state.health(),
    metrics: () => state.metrics(),
    mcp,
    v1,
    oauth: oauth.endpoints,
    dashboardDir,
  })
  house.resume()
  http.once('listening', site.start)

  return {
    http,
    hub: site.hub,
    routes: house.registry('routes').list(),
    newPassword: password.made,
    modelId: site.models.model().id,
    async stop(graceMs) {
      await Promise.race([
        Promise.all([site.goDown(), requests.answered()]),
        new Promise((done) => setTimeout(done, graceMs).unref()),
      ])
      await site.stop()
      await site.close()
    },
  }
}
