import type { Server as HttpServer } from 'node:http'
import type { Model } from './agent/model.ts'
import type { Runs } from './agent/runs.ts'
import { createMcpTokens } from './auth/mcp-tokens.ts'
import type { Confirmations } from './calls/confirmations/confirmations.ts'
import type { ExecutionStore } from './calls/ports.ts'
import { leaveAnotherCluster } from './compose/another-cluster.ts'
import { composeAttached } from './compose/attached.ts'
import { composeEntrance } from './compose/entrance.ts'
import { composeFoundation } from './compose/foundation.ts'
import { composeGate } from './compose/gate.ts'
import { composeHomelab } from './compose/homelab.ts'
import { composeMcp } from './compose/mcp.ts'
import { composeMemory } from './compose/memory.ts'
import { composeModels } from './compose/models.ts'
import { composeOAuth } from './compose/oauth.ts'
import { composePush } from './compose/push.ts'
import { composeRuns } from './compose/runs.ts'
import { composeSystem, type Program } from './compose/system.ts'
import type { Config } from './config/config.ts'
import { policyPath, readPolicy, watchDataDir } from './config/policy-file.ts'
import type { Homelab } from './homelab/ports.ts'
import { mcpTokenRoutes } from './http/mcp-tokens.ts'
import type { Clock } from './lib/clock.ts'
import type { PublicFetch } from './lib/public-fetch.ts'
import type { Surface } from './mcp/server/surface.ts'
import type { PushSender } from './push/ports.ts'
import { createMcpTokenStore } from './store/sqlite/access/tokens.ts'
import type { Database } from './store/sqlite/database.ts'
import { createImageStore } from './store/sqlite/sessions/images.ts'
import { createCatalog, withAttached } from './tools/catalog.ts'
import { homelabTools } from './tools/house.ts'
import type { Tool } from './tools/tool.ts'
import { withPorts } from './tools/tool.ts'

export type Jarvis = {
  http: HttpServer
  /** What every door leads to: a program that has JARVIS in it may be one. */
  hub: Pick<Runs, 'start' | 'watch'> & Pick<Confirmations, 'decide'>
  /** The password, where this start made it. */
  newPassword: string | undefined
  modelId: string
  /** Takes no more work, lets running calls finish, closes everything. What is unfinished goes on at the next start. */
  stop(graceMs: number): Promise<void>
}

/** What tests put in the place of the real thing, and what only a program knows. */
export type Replacements = {
  program?: Program
  clock?: Clock
  model?: Model
  /** What may be named besides it. */
  models?: readonly Model[]
  homelab?: Homelab
  databasePath?: string
  /** Watches or breaks what is stored. */
  database?: (database: Database) => Database
  executions?: (store: ExecutionStore) => ExecutionStore
  /** What a client's address for a name leads to. */
  fetchDocument?: PublicFetch
  /** Where messages to browsers go. */
  push?: PushSender
  /** Beside the real ones. */
  tools?: readonly Tool[]
  /** What MCP clients see besides tools. */
  surface?: (real: Surface) => Surface
}

/** Wires the parts that `compose/` makes to one another. Listens to nothing yet. */
export function compose(config: Config, version: string, dashboardDir: string, replace: Replacements = {}): Jarvis {
  const foundation = composeFoundation(config, replace)
  const { clock, now, dataDir, database, journal, report } = foundation
  const entrance = composeEntrance(foundation, config)
  const { http, activity, stepUp } = entrance
  const homelab = composeHomelab(foundation, entrance, config, replace.homelab)
  const { cluster, limits } = homelab

  const memory = composeMemory({
    ...foundation,
    embeddings: config.embeddings,
    weights: config.memoryWeights,
    changed: () => activity.changed({ what: 'memory' }),
  })
  const attached = composeAttached({
    ...foundation,
    stepUp,
    env: config.inheritedEnv,
    version,
    announce: entrance.announce('mcp'),
    changed: () => activity.changed({ what: 'mcp_servers' }),
  })
  const houseTools = createCatalog([
    ...withPorts(homelabTools, { ...homelab.homelab, limits: limits.current }),
    ...memory.tools,
    ...(replace.tools ?? []),
  ])
  const catalog = withAttached(houseTools, attached.tools)

  const mcpTokens = createMcpTokens(createMcpTokenStore(database), now)
  const oauth = composeOAuth({
    ...foundation,
    stepUp,
    addressOf: entrance.addressOf,
    tokens: mcpTokens,
    publicUrl: config.publicUrl,
    ...(replace.fetchDocument && { fetchDocument: replace.fetchDocument }),
  })
  const push = composePush({
    ...foundation,
    stepUp,
    publicUrl: config.publicUrl,
    sender: replace.push,
    changed: () => activity.changed({ what: 'push' }),
  })
  const models = composeModels({
    ...foundation,
    stepUp,
    config,
    first: replace.model,
    others: replace.models,
    cluster: cluster.state,
    durably: database.durably,
    changed: () => activity.changed({ what: 'settings' }),
    announce: (problem) => foundation.log(problem, 'warning'),
  })

  const images = createImageStore(database)
  const gate = composeGate(foundation, entrance, {
    config,
    homelab,
    catalog,
    images,
    mcpTokens,
    executions: replace.executions,
    waiting: push.waiting,
    note: (sessionId, runId, entry) => runs.note(sessionId, runId, entry),
  })
  const { runs, calls, kept, store, routes } = composeRuns(foundation, entrance, {
    config,
    catalog,
    images,
    homelab,
    memory,
    models,
    gate,
  })
  const mcp = composeMcp({
    ...foundation,
    // A client is served the house's tools alone.
    catalog: houseTools,
    runs,
    calls,
    kept,
    store,
    confirmations: gate.confirmations,
    cluster,
    bearer: oauth.bearer,
    version,
    surface: replace.surface,
  })
  const system = composeSystem(foundation, entrance, {
    config,
    version,
    homelab,
    memory,
    models,
    gate,
    mcpTokens,
    push,
    program: replace.program,
  })

  const policyFile = policyPath(dataDir)
  const dataDirWatch = watchDataDir(dataDir, {
    clock,
    look() {
      attached.reload()
      models.reloadPrices()
      gate.policy.edited(readPolicy(policyFile, 'policy.yaml'))
    },
    report,
  })
  entrance.serve(
    {
      dashboardDir,
      resources: {
        ...routes,
        ...gate.routes,
        ...homelab.routes,
        ...system.routes,
        memory: memory.routes,
        models: models.routes,
        'mcp-tokens': mcpTokenRoutes({
          tokens: mcpTokens,
          journal,
          transactions: database,
          withdraw: mcp.withdraw,
          stepUp,
        }),
        'mcp-servers': attached.routes,
        oauth: oauth.consentRoutes,
        push: push.routes,
      },
      mcp: mcp.handle,
      oauth: oauth.routes,
      health: system.health,
      metrics: system.metrics,
      status: system.status,
      cluster: cluster.state,
    },
    push.forgetAll,
  )
  const place = leaveAnotherCluster(foundation, config, gate.grants)
  gate.grants.resume()
  // A message may have been lost with the process before. One with the same tag takes its place without a sound.
  for (const sessionId of gate.confirmations.pendingCounts().keys()) {
    push.waiting(sessionId, gate.confirmations.pending(sessionId))
  }
  runs.resume(!place.isAnother)
  place.keep()
  http.once('listening', attached.start)
  http.once('listening', homelab.fillPast)

  return {
    http,
    hub: { start: runs.start, watch: runs.watch, decide: gate.confirmations.decide },
    newPassword: foundation.password.made,
    modelId: models.model().id,
    async stop(graceMs) {
      foundation.goDown()
      runs.stop()
      await Promise.race([
        Promise.all([gate.executor.idle(), mcp.answered()]),
        new Promise((done) => setTimeout(done, graceMs).unref()),
      ])
      runs.rest()
      gate.confirmations.rest()
      gate.grants.rest()
      push.rest()
      homelab.rest()
      await memory.stop()
      dataDirWatch.close()
      await attached.stop()
      await entrance.close()
      cluster.close()
      await foundation.close()
    },
  }
}
