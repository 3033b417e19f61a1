import type { Server as HttpServer } from 'node:http'
import { createHookKey } from './auth/hook-key.ts'
import { createOpenRequests } from './auth/open-requests.ts'
import type { HashStrength } from './auth/passwords.ts'
import { expiryRoom } from './auth/room.ts'
import { createStepUp } from './auth/step-up.ts'
import { composeEntrance } from './compose/entrance.ts'
import { composeMcp } from './compose/mcp.ts'
import { composeOAuth } from './compose/oauth.ts'
import { composeSystem, type Program } from './compose/system.ts'
import { composeTokens } from './compose/tokens.ts'
import { composeV1 } from './compose/v1.ts'
import type { Config } from './config/config.ts'
import { hookRoutes } from './http/hooks.ts'
import type { Route } from './http/route.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { PublicFetch } from './lib/public-fetch.ts'
import { createSteadyClock } from './lib/steady-clock.ts'
import type { Surface } from './mcp/server/surface.ts'
import { createSite, type Site, type SiteReplacements } from './site.ts'

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

/** Wires the process: one site and the doors to it. It does not listen yet. */
export function compose(config: Config, version: string, dashboardDir: string, replace: Replacements = {}): Jarvis {
  const clock = createSteadyClock(replace.clock ?? systemClock)
  const stepUp = createStepUp(() => clock.now())
  const site = createSite(config, { version, clock, stepUp }, replace)
  const { homelab, models, apiTokens } = site
  const hook = createHookKey(site.settings, site.now)
  const entrance = composeEntrance(site, stepUp, config, replace.hashStrength)
  const oauth = composeOAuth({
    ...site,
    stepUp,
    addressOf: entrance.addressOf,
    tokens: apiTokens,
    count: site.tokenUse.count,
    publicUrl: config.publicUrl,
    ...(replace.fetchDocument && { fetchDocument: replace.fetchDocument }),
  })
  const { bearer } = oauth
  const requests = createOpenRequests(site)
  site.onChange(requests.look)
  site.house.open(expiryRoom, { facts: site.house.facts, stepUp, requests, look: entrance.look })
  const mcp = composeMcp(site, { bearer, open: requests, version, surface: replace.surface })
  const tokens = composeTokens(site, { open: requests })
  const v1 = composeV1(site, { guard: entrance.guard, bearer, requests, config })
  const system = composeSystem(site, { config, version, stepUp, realtime: entrance.realtime, program: replace.program })
  const routes = entrance.serve({
    version,
    dashboardDir,
    routes: [
      ...site.routes,
      ...Object.values({ ...system.routes, ...tokens.routes }).flat(),
      ...hookRoutes({ hook, watch: site.watch, journal: site.journal, transactions: site.database }),
      ...oauth.consentRoutes,
    ],
    bearer,
    requests,
    mcp,
    v1,
    oauth: oauth.routes,
    health: system.health,
    metrics: system.metrics,
    status: system.status,
    cluster(person) {
      const state = homelab.cluster.state()
      return site.gate.sightOf({ person })?.(state) ?? state
    },
  })

  return {
    http: entrance.http,
    hub: site.hub,
    routes,
    newPassword: entrance.newPassword,
    modelId: models.model().id,
    async stop(graceMs) {
      await Promise.race([
        Promise.all([site.goDown(), requests.answered()]),
        new Promise((done) => setTimeout(done, graceMs).unref()),
      ])
      await site.stop()
      await entrance.close()
      await site.close()
    },
  }
}
