import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import type { Model, ModelRequest } from './agent/model.ts'
import { asClusterData, defaultPersona, systemPrompt } from './agent/persona.ts'
import { generateWithRetries } from './agent/retry.ts'
import { createRuns, type Runs } from './agent/runs.ts'
import { createSessions } from './agent/sessions.ts'
import { createLoginGuard } from './auth/login.ts'
import { createMcpTokens } from './auth/mcp-tokens.ts'
import { createPassword } from './auth/password.ts'
import { createRequestGuard } from './auth/request-guard.ts'
import { createTokens } from './auth/tokens.ts'
import { composeAttached } from './compose/attached.ts'
import { composeMcp } from './compose/mcp.ts'
import { composeMemory } from './compose/memory.ts'
import { composeModels } from './compose/models.ts'
import { composeOAuth } from './compose/oauth.ts'
import { composePush } from './compose/push.ts'
import type { Config } from './config/config.ts'
import { openDataDir } from './config/data-dir.ts'
import { policyPath, readPolicy, requirePolicy, watchDataDir } from './config/policy-file.ts'
import { createClusterSetup } from './doctor/cluster-setup.ts'
import { databaseChecks } from './doctor/data-checks.ts'
import { examine } from './doctor/doctor.ts'
import { memoryChecks } from './doctor/model-checks.ts'
import { createLimits } from './homelab/limits.ts'
import { createNotices } from './homelab/notices.ts'
import type { Homelab } from './homelab/ports.ts'
import { connectHomelab } from './homelab/real.ts'
import { redactedHomelab } from './homelab/redacted.ts'
import { startSampler } from './homelab/sampler.ts'
import { createSimulator } from './homelab/simulator/index.ts'
import { clusterSummary } from './homelab/summary.ts'
import { createApp } from './http/app.ts'
import { authRoutes } from './http/auth.ts'
import { confirmationRoutes } from './http/confirmations.ts'
import { diskOf } from './http/disk.ts'
import { doctorRoutes } from './http/doctor.ts'
import { executionRoutes } from './http/executions.ts'
import { grantRoutes } from './http/grants.ts'
import { journalRoutes } from './http/journal.ts'
import { limitsRoutes } from './http/limits.ts'
import { createLogTail } from './http/logs.ts'
import { mcpTokenRoutes } from './http/mcp-tokens.ts'
import { samplesRoutes } from './http/samples.ts'
import { sessionRoutes } from './http/sessions.ts'
import { settingsRoutes } from './http/settings.ts'
import { setupRoutes } from './http/setup.ts'
import { statusParts } from './http/status-parts.ts'
import { toolRoutes } from './http/tools.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { keptOrMade } from './lib/kept-secret.ts'
import { createLogger } from './lib/logger.ts'
import { onceFor } from './lib/once-for.ts'
import type { PublicFetch } from './lib/public-fetch.ts'
import type { Surface } from './mcp/surface.ts'
import { profileNames } from './protocol/index.ts'
import type { PushSender } from './push/ports.ts'
import { serveActivity } from './realtime/activity.ts'
import { isWatched, serveChat } from './realtime/chat.ts'
import { serveCluster } from './realtime/cluster.ts'
import { createRealtime } from './realtime/server.ts'
import { serveTerminal } from './realtime/terminal.ts'
import { createStreamRedactor, profiles, quote, raisesOf, usualTier } from './safety/index.ts'
import { createGrowingRedactor } from './safety/redact-growing.ts'
import { createCallCounts } from './store/sqlite/call-counts.ts'
import { createConfirmationStore, createExecutionStore } from './store/sqlite/confirmations.ts'
import { type Database, openDatabase } from './store/sqlite/database.ts'
import { createGrantStore } from './store/sqlite/grants.ts'
import { createImageStore } from './store/sqlite/images.ts'
import { journalHead } from './store/sqlite/journal.ts'
import { keepJournal } from './store/sqlite/kept-journal.ts'
import { createKeptRuns } from './store/sqlite/kept-runs.ts'
import { lockDataDir } from './store/sqlite/lock.ts'
import { createSampleStore } from './store/sqlite/samples.ts'
import { createSessionIndex } from './store/sqlite/session-index.ts'
import { createSessionList } from './store/sqlite/session-list.ts'
import { createSettings } from './store/sqlite/settings.ts'
import { createMcpTokenStore, createRevocationStore } from './store/sqlite/tokens.ts'
import { createTranscriptStore } from './store/sqlite/transcript.ts'
import { createActivePolicy } from './tools/active-policy.ts'
import { createCatalog, homelabTools, inputSchemaOf, withAttached } from './tools/catalog.ts'
import { createConfirmations } from './tools/confirmations.ts'
import { createExecutor } from './tools/execute.ts'
import { createGrants } from './tools/grants.ts'
import { createJudge } from './tools/judge.ts'
import type { ExecutionStore } from './tools/ports.ts'
import type { Tool } from './tools/tool.ts'

export type Jarvis = {
  http: HttpServer
  /** The password, where this start made it. */
  newPassword: string | undefined
  modelId: string
  /** Takes no more work, lets running calls finish, closes everything. What is unfinished goes on at the next start. */
  stop(graceMs: number): Promise<void>
}

/** A client that repeats a request does so within minutes. */
const repliesKeptMs = 7 * 24 * 60 * 60_000

/** Reading a page more of the database takes time in which nothing else here is served. */
const scannedUpToBytes = 16 * 1024 * 1024

/** What tests put in the place of the real thing. */
export type Replacements = {
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

/** Names the concrete parts and wires them to their ports. Listens to nothing yet. */
export function compose(config: Config, version: string, dashboardDir: string, replace: Replacements = {}): Jarvis {
  const clock = replace.clock ?? systemClock
  let isStopping = false
  let isClosed = false
  const stopping = new AbortController()
  // Each call of an MCP client listens to it.
  setMaxListeners(0, stopping.signal)
  const now = () => clock.now()
  const dataDir = openDataDir(config.dataDir)
  const policyFile = policyPath(dataDir)
  const writtenPolicy = requirePolicy(policyFile)
  const unlock = lockDataDir(dataDir)
  const opened = openDatabase(replace.databasePath ?? join(dataDir, 'jarvis.db'))
  const database = replace.database?.(opened) ?? opened
  const jwtSecret = config.jwtSecret ?? keptOrMade(dataDir, 'jwt-secret', () => randomBytes(32).toString('hex'))
  const settings = createSettings(database)
  const password = createPassword({ configured: config.password, dataDir, secret: jwtSecret, settings, now })

  const redactor = createGrowingRedactor([
    ...config.secrets,
    jwtSecret,
    ...(password.made === undefined ? [] : [password.made]),
  ])
  const logTail = createLogTail(now)
  const logger = createLogger(config.logLevel, redactor.text, logTail.keep)
  const report = (error: unknown, message: string) => logger.error({ err: error }, message)

  // What policy.yaml adds is shown by the cluster too.
  const shownAsProtected = new Set(config.protectedTargets)
  const homelab = redactedHomelab(
    replace.homelab ?? createHomelab({ ...config, protectedTargets: shownAsProtected }, clock),
    redactor,
  )
  const { cluster } = homelab
  const world = () => ({ cluster: cluster.state(), policy: policy.current(), now: now() })

  const store = createTranscriptStore(database)
  const images = createImageStore(database)
  const storedExecutions = createExecutionStore(database)
  const executions = replace.executions?.(storedExecutions) ?? storedExecutions
  const journal = keepJournal(database, { dir: join(dataDir, 'journal'), now, report })
  const memory = composeMemory({
    dataDir,
    databasePath: replace.databasePath ?? join(dataDir, 'jarvis.db'),
    embeddings: config.embeddings,
    weights: config.memoryWeights,
    database,
    journal,
    clock,
    redact: redactor.text,
    changed: () => activity.changed({ what: 'memory' }),
    report,
  })
  const catalog = createCatalog([
    ...homelabTools(homelab, () => limits.current()),
    ...memory.tools,
    ...(replace.tools ?? []),
  ])
  // An MCP client of ours is served the house's tools alone.
  const allTools = withAttached(catalog, () => attached.tools())
  const judge = createJudge(allTools, world)
  const tokens = createTokens(jwtSecret, createRevocationStore(database, now), password.validFrom)
  const mcpTokens = createMcpTokens(createMcpTokenStore(database), now)
  const oauth = composeOAuth({
    database,
    journal,
    tokens: mcpTokens,
    publicUrl: config.publicUrl,
    now,
    ...(replace.fetchDocument && { fetchDocument: replace.fetchDocument }),
  })

  // The app comes last, yet must be the first listener: Engine.IO takes over what is there, and passes on what is not its own.
  let app: RequestListener | undefined
  const http = createServer((request, response) => app?.(request, response))
  const guard = createRequestGuard([...config.allowedHosts, config.host.toLowerCase()])
  const realtime = createRealtime(http, tokens, guard)
  const chat = realtime.namespace('/chat')
  const activity = serveActivity(realtime.namespace('/events'))
  const policy = createActivePolicy({
    written: writtenPolicy,
    hasTool: (name) => allTools.get(name) !== undefined,
    protectedTargets: config.protectedTargets,
    shownAsProtected,
    settings,
    journal,
    transactions: database,
    announce(text, level) {
      logger[level === 'info' ? 'info' : 'warn'](text)
      activity.record({ at: now(), kind: 'policy', level, text })
      activity.changed({ what: 'settings' })
    },
  })
  const policyWatch = watchDataDir(dataDir, {
    clock,
    look() {
      attached.reload()
      models.reloadPrices()
      policy.edited(readPolicy(policyFile, 'policy.yaml'))
    },
    report,
  })
  const attached = composeAttached({
    dataDir,
    env: config.inheritedEnv,
    version,
    database,
    journal,
    clock,
    redactor,
    announce(text, level) {
      logger[level === 'info' ? 'info' : 'warn'](text)
      activity.record({ at: now(), kind: 'mcp', level, text })
    },
    changed: () => activity.changed({ what: 'mcp_servers' }),
    report,
  })

  const grants = createGrants({
    store: createGrantStore(database),
    journal,
    transactions: database,
    clock,
    changed: () => activity.changed({ what: 'grants' }),
    isStopping: () => isStopping,
    report,
  })
  const push = composePush({
    dataDir,
    database,
    journal,
    clock,
    publicUrl: config.publicUrl,
    sender: replace.push,
    hide: (secret) => redactor.add([secret]),
    redact: redactor.text,
    changed: () => activity.changed({ what: 'push' }),
    report,
  })
  const confirmations = createConfirmations({
    store: createConfirmationStore(database),
    executions,
    grants,
    journal,
    transactions: database,
    clock,
    ttlMs: config.confirmTtlMs,
    // One made anew under the same name has asked for nothing yet.
    isAskerKnown: ({ requestedBy: { token }, createdAt: askedAt }) =>
      token === undefined || mcpTokens.list().some(({ name, createdAt }) => name === token && createdAt <= askedAt),
    isWatched: (sessionId) => isWatched(chat, sessionId),
    changed(sessionId) {
      activity.changed({ what: 'confirmations', sessionId })
      push.waiting(sessionId, confirmations.pending(sessionId))
    },
    redact: redactor.text,
    isStopping: () => isStopping,
    report,
  })
  const limits = createLimits({
    settings,
    record: (change) => journal.append('settings', { change: 'limits', ...change }),
    durably: database.durably,
    changed: () => activity.changed({ what: 'limits' }),
  })
  const executor = createExecutor({
    judge,
    world,
    confirmations,
    grants,
    executions,
    images,
    journal,
    transactions: database,
    redactor,
    clock,
    cluster,
    note: (sessionId, runId, entry) => runs.note(sessionId, runId, entry),
    report: (error, toolName) => report(error, `${toolName} failed`),
  })

  const models = composeModels({
    config,
    first: replace.model,
    others: replace.models,
    clock,
    cluster: cluster.state,
    journal,
    durably: database.durably,
    hide: (secret) => redactor.add([secret]),
    redact: redactor.text,
    changed: () => activity.changed({ what: 'settings' }),
    announce: (problem) => logger.warn(problem),
  })
  const sessionIndex = createSessionIndex(database, {
    costOf: models.costOf,
    later: (ms, run) => void setTimeout(() => !isClosed && run(), ms).unref(),
    report,
  })
  const sessionList = createSessionList(database, sessionIndex)
  const sessionChanged = (sessionId: string) => {
    sessionIndex.changed(sessionId)
    activity.changed({ what: 'sessions', sessionId })
  }
  const toolSpecs = onceFor(allTools.list, (tools) =>
    tools.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool) })),
  )
  const kept = createKeptRuns(database)
  const runs: Runs = createRuns({
    store,
    kept,
    models: models.choice,
    costOf: models.costOf,
    tools: executor,
    image: images.get,
    get toolSpecs() {
      return toolSpecs()
    },
    clock,
    // Encoding it costs the same where nobody watches.
    publish: (sessionId, event, payload) =>
      void (chat.adapter.rooms.has(sessionId) && chat.to(sessionId).emit(event, payload)),
    afterCommit: database.afterCommit,
    prompt: () => systemPrompt(memory.prompt()),
    recall: memory.recall,
    ended: memory.learn,
    context: onceFor(cluster.state, (state) => asClusterData(clusterSummary(state, limits.current()))),
    pending: confirmations.pending,
    cancel: confirmations.cancel,
    recordRehearsal: (change) => journal.append('session', { ...change, change: 'rehearsal' }),
    redact: { ...redactor, stream: () => createStreamRedactor(redactor) },
    async generate(used: Model, request: ModelRequest, sink, signal, onRetry) {
      try {
        const turn = await generateWithRetries(used, request, sink, signal, { clock, onRetry })
        models.answered(used)
        return turn
      } catch (error) {
        if (!signal.aborted) models.failed(used, error)
        throw error
      }
    },
    historyLimit: config.historyLimit,
    maxTurns: config.maxTurns,
    changed: sessionChanged,
    report,
  })

  const mcp = composeMcp({
    catalog,
    runs,
    kept,
    store,
    confirmations,
    cluster,
    journal,
    redactor,
    bearer: oauth.bearer,
    clock,
    version,
    surface: replace.surface,
    stopping: stopping.signal,
    report,
  })

  serveChat(chat, { runs, confirmations, store, now, catchUp: cluster.catchUp, report })
  const clusterFeed = serveCluster(realtime.namespace('/cluster'), { cluster, clock })
  const noticesOf = createNotices(limits.current)
  const notice = () => {
    for (const line of noticesOf(cluster.state())) activity.record(line)
  }
  notice()
  const unwatchCluster = cluster.watch(notice, 'idle')
  const samples = createSampleStore(database)
  samples.keepOf(cluster.state().isDemo ? 'demo' : 'real')
  const sampler = startSampler({
    state: cluster.state,
    store: samples,
    clock,
    report: (error) => report(error, 'the samples of this minute could not be kept'),
  })
  serveTerminal(realtime.namespace('/terminal'), {
    terminals: config.isTerminalOn ? homelab.terminals : undefined,
    clock,
    record: (body) => database.durably(() => journal.append('terminal', redactor.value(body))),
    activity: activity.record,
    report,
  })

  const lastEntry = journalHead(database)
  const sqliteVersion = String(database.sql.prepare('SELECT sqlite_version()').pluck().get())
  const startedAt = Date.now()
  const uptimeS = () => Math.round((Date.now() - startedAt) / 1000)
  app = createApp({
    guard,
    tokens,
    dashboardDir,
    report,
    auth: authRoutes({
      tokens,
      guard: createLoginGuard(now),
      password,
      revoked: realtime.drop,
      changed() {
        push.forgetAll()
        realtime.dropAll()
      },
      record: (event) => database.durably(() => journal.append('sign_in', event)),
    }),
    resources: {
      sessions: sessionRoutes({
        runs,
        store,
        list: sessionList,
        sessions: createSessions({ store, models: models.choice, clock, changed: sessionChanged }),
        pendingCounts: confirmations.pendingCounts,
        redact: redactor,
        now,
        journal,
        image: images.get,
      }),
      confirmations: confirmationRoutes(confirmations, now, cluster.catchUp),
      grants: grantRoutes(grants),
      settings: settingsRoutes({
        read: () => ({
          profile: policy.current().profile,
          profiles: profileNames.map((name) => ({ name, description: profiles[name].description })),
          protectedTargets: [...shownAsProtected],
          ssh: {
            user: config.ssh.user,
            ...(config.ssh.keyPath !== undefined && { keyPath: config.ssh.keyPath }),
            hasAgent: config.ssh.agentSocket !== undefined,
            knownHostsPath: config.ssh.knownHostsPath,
          },
          shippedPersona: defaultPersona,
        }),
        setProfile: policy.setProfile,
      }),
      tools: toolRoutes({
        catalog: allTools,
        judge,
        tierOf: ({ name, tier }) => usualTier({ toolName: name, baseTier: tier }, policy.current()),
        raisesOf: ({ name, tier }) => raisesOf({ toolName: name, baseTier: tier }, policy.current()),
        calls: createCallCounts(database, now),
      }),
      executions: executionRoutes(executor),
      samples: samplesRoutes(samples, now),
      limits: limitsRoutes(limits),
      journal: journalRoutes(journal),
      memory: memory.routes,
      'mcp-tokens': mcpTokenRoutes({
        tokens: mcpTokens,
        journal,
        transactions: database,
        withdraw: mcp.withdraw,
      }),
      'mcp-servers': attached.routes,
      oauth: oauth.consentRoutes,
      logs: logTail.routes(),
      models: models.routes,
      push: push.routes,
      setup: setupRoutes({
        setup: createClusterSetup({ config, clock }),
        journal,
        durably: database.durably,
        hide: (secret) => redactor.add([secret]),
      }),
      doctor: doctorRoutes((asksModel) =>
        examine(
          { ...config, model: models.config() },
          {
            clock,
            asksModel,
            database: () => databaseChecks(dataDir, scannedUpToBytes, journal.verify),
            embeddings: async () => memoryChecks(memory.memory.status()),
            port: async () => [{ area: 'Port', health: 'ok', text: 'JARVIS serves: you are reading this.' }],
            redact: redactor.text,
          },
        ),
      ),
    },
    mcp: mcp.handle,
    oauth: oauth.routes,
    health: () => ({ status: isStopping ? 'shutting_down' : 'ok', version, uptime: uptimeS() }),
    status: () => ({
      version,
      uptimeS: uptimeS(),
      model: models.model().id,
      models: models.choice.ids(),
      isDemoModel: models.config().provider === 'demo',
      isDemoCluster: cluster.state().isDemo,
      hasTerminal: config.isTerminalOn && homelab.terminals !== undefined,
      policy: policy.status(),
      parts: statusParts({
        now: now(),
        model: models.seen(),
        cluster: cluster.state(),
        memory: memory.memory.status(),
        journalEntries: lastEntry().seq,
        mcpTokens: mcpTokens.list(),
        disk: diskOf(dataDir),
        policyProblems: policy.status().problems ?? [],
        sockets: Object.fromEntries(
          ['chat', 'cluster', 'events', 'terminal'].map((name) => [name, realtime.io.of(`/${name}`).sockets.size]),
        ),
        push: push.standing(),
        sqliteVersion,
      }),
    }),
    cluster: () => cluster.state(),
  })
  store.forgetReplies(now() - repliesKeptMs)
  grants.resume()
  runs.resume()

  // A first start that never served anybody has shown nobody its password: it is kept only from here on.
  http.once('listening', password.keep)
  http.once('listening', attached.start)
  http.once('listening', sessionIndex.schedule)

  return {
    http,
    newPassword: password.made,
    modelId: models.model().id,
    async stop(graceMs) {
      isStopping = true
      stopping.abort()
      runs.stop()
      await Promise.race([
        Promise.all([executor.idle(), mcp.answered()]),
        new Promise((done) => setTimeout(done, graceMs).unref()),
      ])
      runs.rest()
      clusterFeed.close()
      unwatchCluster()
      sampler.stop()
      await memory.stop()
      policyWatch.close()
      await attached.stop()
      // Closing waits for every connection, an MCP client that waits for a person among them.
      const closed = realtime.close()
      http.closeAllConnections()
      await closed
      cluster.close()
      await journal.flush()
      isClosed = true
      database.close()
      unlock()
    },
  }
}

function createHomelab({ proxmox, ssh, nodes, wolTarget, protectedTargets }: Config, clock: Clock): Homelab {
  if (proxmox === undefined) return createSimulator({ clock, protectedTargets })
  return connectHomelab({ connection: proxmox, ssh, quote, nodes, wolTarget, clock, protectedTargets })
}
