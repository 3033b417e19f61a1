import type { Server as HttpServer } from 'node:http'
import { systemClock } from 'node-kit/clock'
import { createOpenRequests } from './auth/open-requests.ts'
import type { HashStrength } from './auth/passwords.ts'
import { StepUp } from './auth/step-up.ts'
import { type Config, ConfigError } from './config/config.ts'
import { loadDemo, type OpenDemo } from './homelab/demo.ts'
import type { JarvisFacts } from './house.ts'
import type { Route } from './http/route.ts'
import { sendFile } from './http/session-files.ts'
import type { Clock } from './lib/clock.ts'
import type { PublicFetch } from './lib/public-fetch.ts'
import { createSteadyClock } from './lib/steady-clock.ts'
import type { Surface } from './mcp/server/surface.ts'
import type { SocketRequest } from './realtime/request.ts'
import type { SiteReplacements } from './replacements.ts'
import * as rooms from './rooms.ts'
import { openSite, type Site } from './site.ts'
import type { Program } from './system/program.ts'
import type { SystemState } from './system/state.ts'

export type Jarvis = {
  http: HttpServer
  /** The functions that all doors use, for a program that embeds JARVIS. */
  hub: Site['hub']
  /** The table of the REST routes. */
  routes: readonly Route[]
  /** The table of the socket requests. */
  requests: readonly SocketRequest[]
  /** The names of the Socket.IO namespaces. */
  namespaces: readonly string[]
  /** The password that this start made; undefined if there was one. */
  newPassword: string | undefined
  modelId: string
  /** Stops taking work, lets running calls finish, and closes everything. Unfinished work resumes at the next start. */
  stop(graceMs: number): Promise<void>
}

/** Parts that tests replace, and `program`, which only a real program sets. */
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

/** The build that runs: its version, and the folder of its dashboard. */
export type Build = { version: string; dashboardDir: string }

/** The site, and the other parts that the rooms of the process need. */
type Given = Site & { config: Config; facts: JarvisFacts; stepUp: StepUp; version: string }
type Entrance = ReturnType<typeof openEntrance>

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

/** Opens one site, and the rooms of its doors in the same house. The result does not listen yet. */
export function compose(config: Config, { version, dashboardDir }: Build, replace: Replacements = {}): Jarvis {
  const steady = createSteadyClock(replace.clock ?? systemClock)
  const stepUp = new StepUp(() => steady.now())
  const site = openSite(config, { version, clock: steady, stepUp }, replace)
  const { house } = site
  const given: Given = { ...site, config, facts: house.facts, stepUp, version }
  const entrance = openEntrance(given, replace)
  const state = openSystem(given, entrance, replace.program)
  openDoors(given, entrance, { state, dashboardDir, surface: replace.surface })
  house.resume()
  const { http, realtime, password, requests } = entrance
  http.once('listening', site.start)

  return {
    http,
    hub: site.hub,
    routes: house.registry('routes').list(),
    requests: house.registry('requests').list(),
    namespaces: realtime.names(),
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

/** Opens the rooms by which people and programs come in: the server, sockets, signing in and OAuth. */
function openEntrance(given: Given, replace: Replacements) {
  const { house, foundation, config, facts, stepUp, people, signIns, apiTokens, tokenUse } = given
  const server = house.open(rooms.server, { foundation, config })
  const { http, guard, addressOf, refused, limited, answerWith } = server
  const signedIn = house.open(rooms.tokens, {
    foundation,
    config,
    people,
    signIns,
    http,
    hashStrength: replace.hashStrength,
  })
  const { tokens, cookie, password } = signedIn
  const sockets = house.open(rooms.sockets, {
    ...given,
    requests: house.registry('requests'),
    http,
    tokens,
    guard,
    cookie,
    addressOf,
    refused,
    limited,
  })
  const { realtime, look, drop } = sockets
  house.open(rooms.signIn, { ...given, ...signedIn, addressOf, look, drop })
  const oauth = house.open(rooms.oauth, {
    foundation,
    config,
    stepUp,
    apiTokens,
    addressOf,
    count: (token) => tokenUse.count(token),
    people,
    fetchDocument: replace.fetchDocument,
  })
  const requests = createOpenRequests(given)
  house.open(rooms.expiry, { facts, stepUp, requests, look })
  return { http, guard, refused, limited, answerWith, tokens, cookie, password, realtime, oauth, requests }
}

/** Opens the rooms for the state of the process, for tokens, for the webhook and for consent. */
function openSystem(given: Given, { realtime, oauth, requests }: Entrance, program: Program | undefined): SystemState {
  const { house } = given
  const { state } = house.open(rooms.system, { ...given, realtime, program, rooms: () => house.rooms() })
  house.open(rooms.programTokens, { ...given, requests })
  house.open(rooms.hooks, given)
  house.open(rooms.consent, { consentRoutes: oauth.consentRoutes })
  return state
}

/** Opens the doors for programs, and the app that answers all HTTP requests. */
function openDoors(
  given: Given,
  entrance: Entrance,
  { state, dashboardDir, surface }: { state: SystemState; dashboardDir: string } & Pick<Replacements, 'surface'>,
): void {
  const { house, foundation, config, agents, models, memory, budgets, workbench, version } = given
  const { guard, refused, limited, answerWith, tokens, cookie, oauth, requests } = entrance
  const { bearer } = oauth
  const door = { foundation, config, sessions: given, agents, bearer, requests }
  const { mcp } = house.open(rooms.mcpDoor, {
    ...door,
    // Attached servers' tools are not offered to MCP clients.
    catalog: given.houseTools,
    cluster: given.homelab.cluster,
    gate: given.gate,
    people: given.known,
    shown: given.shown,
    version,
    surface,
  })
  const { v1 } = house.open(rooms.v1, {
    ...door,
    guard,
    models,
    memory,
    budgets,
    files: {
      list: (sessionId) => workbench.files.list(sessionId, new AbortController().signal),
      send: async ({ sessionId, path }, request, response) =>
        sendFile(await workbench.files.open(sessionId, path), request, response),
    },
  })
  house.open(rooms.app, {
    ...given,
    routes: house.registry('routes'),
    guard,
    refused,
    limited,
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
}
