import { storedResult } from '../agent/context/stored-result.ts'
import { hearEnd } from '../agent/hear-end.ts'
import type { Model } from '../agent/model.ts'
import { createApiTokens } from '../auth/api-tokens.ts'
import { shownTo } from '../auth/closed-words.ts'
import { createSessionReach, type SessionReach } from '../auth/reach.ts'
import type { StepUp } from '../auth/step-up.ts'
import { createTokenUse } from '../auth/token-use.ts'
import type { ExecutionStore } from '../calls/ports.ts'
import type { ChannelKind } from '../channels/channel.ts'
import type { PushSender } from '../channels/web-push/ports.ts'
import type { Config } from '../config/config.ts'
import { policyPath, readPolicy, watchDataDir } from '../config/policy-file.ts'
import { isProtectedPlace } from '../gate/index.ts'
import type { Homelab } from '../homelab/ports.ts'
import { changeRoutes } from '../http/changes.ts'
import { guestRoutes } from '../http/guests.ts'
import { proofRoutes } from '../http/proofs.ts'
import { transcriptionRoutes } from '../http/transcriptions.ts'
import type { SteadyClock } from '../lib/steady-clock.ts'
import { ownZone } from '../lib/zone.ts'
import { firstOwnerId, mainAgentId, type PersonRef, type Principal } from '../protocol/index.ts'
import { createApiTokenStore } from '../store/sqlite/access/tokens.ts'
import { createChangeStore } from '../store/sqlite/calls/changes.ts'
import type { Database } from '../store/sqlite/database.ts'
import { createPlanStore } from '../store/sqlite/plans.ts'
import { createImageStore } from '../store/sqlite/sessions/images.ts'
import { type Catalog, createCatalog, servedBy, withAttached } from '../tools/catalog.ts'
import { changeTools } from '../tools/changes/index.ts'
import {
  agentTools,
  drillTools,
  homelabTools,
  pbsTools,
  planTools,
  questionTools,
  runbookTools,
  sessionTools,
  waitTools,
  watchTools,
} from '../tools/house.ts'
import { jobTools } from '../tools/jobs/index.ts'
import { type Tool, withPorts } from '../tools/tool.ts'
import { createIsOwnPlace } from '../workbench/egress/own-place.ts'
import { composeAgentRoutes, composeAgents } from './agents.ts'
import { leaveAnotherCluster } from './another-cluster.ts'
import { composeAttached } from './attached.ts'
import { composeBudgetRoutes } from './budget-routes.ts'
import { composeBudgets, limitsOfAgent, limitsOfJob } from './budgets.ts'
import { composeChannels } from './channels.ts'
import { composeDrills } from './drills.ts'
import { composeFoundation } from './foundation.ts'
import { composeGate, type Gate } from './gate.ts'
import { composeHomelab } from './homelab.ts'
import { composeJobs } from './jobs.ts'
import { leaningOn } from './leaning.ts'
import { createLeave } from './leave.ts'
import { composeMemory } from './memory.ts'
import { composeModels } from './models.ts'
import { tellObserved } from './observed.ts'
import { composePasskeys } from './passkeys.ts'
import { composePeople } from './people.ts'
import { composeRunbooks } from './runbooks.ts'
import { composeRuns } from './runs.ts'
import { composeSkills } from './skills.ts'
import { composeHouse, transcribing } from './talk.ts'
import { tellEverywhere } from './tellers.ts'
import { composeTextFiles, createWriters } from './text-files.ts'
import { composeWatch } from './watch.ts'
import { composeWebPush } from './web-push.ts'
import type { BrowserParts } from './workbench/browser.ts'
import type { WebParts } from './workbench/web.ts'
import { composeWorkbench } from './workbench.ts'

/** Parts that tests replace. */
export type SiteReplacements = {
  model?: Model
  /** Further models that may be named. */
  models?: readonly Model[]
  homelab?: Homelab
  databasePath?: string
  /** Lets tests watch or break the database. */
  database?: (database: Database) => Database
  executions?: (store: ExecutionStore) => ExecutionStore
  /** Receives push messages instead of the browsers' push services. */
  push?: PushSender
  /** Channels in place of the house's. */
  channels?: readonly ChannelKind[]
  /** The built program of the memory's thread. */
  memoryWorker?: URL
  /** The memory's thread starts with the first request to it, and not some seconds after the start. */
  memoryOnUse?: true
  /** In place of the network and of Chromium, for pages. */
  browser?: BrowserParts
  /** In place of the web. */
  web?: Partial<WebParts>
  /** Tools in addition to the real ones. */
  tools?: readonly Tool[]
}

/**
 * Makes a site: one cluster with its data dir, stores, journal, gate, cards, runs, memory, models and attached servers. Two sites in one process
 * share only `given`. A site listens to nothing; the entrance opens doors to it. Resumes the runs, cards and grants that the last start left
 * unfinished.
 * @throws ConfigError, DatabaseRefused before anything is changed
 */
export function createSite(
  config: Config,
  given: { version: string; clock: SteadyClock; stepUp: StepUp },
  replace: SiteReplacements = {},
) {
  const { stepUp, version } = given
  const foundation = composeFoundation(config, given.clock, replace)
  const { now, dataDir, database, report } = foundation
  const { changed } = foundation.activity
  const homelab = composeHomelab(foundation, config, replace.homelab)
  const { cluster, limits } = homelab
  const { pbs } = homelab.homelab
  const drills = composeDrills(foundation, config, homelab.homelab)
  const writers = createWriters(foundation)
  const texts = composeTextFiles(foundation, writers, () => runbooks.library)
  const memory = composeMemory({
    ...foundation,
    texts,
    people: () => people.known,
    agents: () => agents.agents,
    embeddings: config.embeddings,
    weights: config.memoryWeights,
    proxies: config.proxies,
    worker: replace.memoryWorker,
    isOnUse: replace.memoryOnUse ?? false,
    embedded: (model, tokens, isPartial) => budgets.keeper.embedded(model, tokens, isPartial),
    changed: () => changed({ what: 'memory' }),
  })
  const shown = (person: PersonRef | undefined) => shownTo(person, reach)
  /** What the person who asks in a call may see. Calls without a person are JARVIS's own, for its owner. */
  const shownFor = (asker: Principal | undefined) => shown(people.known.find(asker?.person))
  const skills = composeSkills(foundation, { catalog: () => servedTools, agents: () => agents.agents })
  const attached = composeAttached({
    ...foundation,
    stepUp,
    env: config.inheritedEnv,
    variables: config.variables,
    publicUrl: config.publicUrl,
    version,
    announce: foundation.announce('mcp'),
    changed: () => changed({ what: 'mcp_servers' }),
  })
  const runbooks = composeRunbooks(foundation, {
    catalog: () => catalog,
    gate: () => gate,
    runs: () => sessions.runs,
    shown,
    writers,
    saved: (name, by) => jobs.jobs.runbookSaved(name, by),
  })
  const workbench = composeWorkbench(foundation, {
    policy: () => gate.policy.current().workbench,
    policyWritten: () => gate.policy.edited(readPolicy(policyPath(dataDir), 'policy.yaml')),
    card: (toolUseId, person) =>
      gate.confirmations
        .list(now() - cardsKeptMs)
        .find((card) => card.toolUseId === toolUseId && reach.sees(person, card.sessionId)),
    isProtected: (place) => isProtectedPlace(place, { policy: gate.policy.current() }),
    mayWriteIn(sessionId, id = firstOwnerId) {
      const person = people.known.find(id)
      return person !== undefined && sessions.store.session(sessionId) !== undefined && reach.mayTalk(person, sessionId)
    },
    isOwnPlace: createIsOwnPlace(config),
    ...(replace.browser && { browser: replace.browser }),
    web: { search: config.search, ...replace.web },
  })
  const servedTools = servedBy(
    cluster.state,
    createCatalog([
      ...withPorts(homelabTools, { ...homelab.homelab, limits: limits.current, alerts: () => watch.present() }),
      ...(pbs === undefined ? [] : withPorts(pbsTools, { api: homelab.homelab.api, pbs })),
      ...withPorts(drillTools, { drills, now }),
      ...withPorts(waitTools, {
        cluster,
        clock: given.clock,
        begunAt: ({ runId, toolUseId }: { runId?: string; toolUseId?: string }) =>
          runId === undefined
            ? undefined
            : sessions.store
                .entriesOfRun(runId)
                .find((entry) => entry.type === 'tool_use' && entry.toolUseId === toolUseId)?.at,
      }),
      ...memory.tools,
      ...changeTools({
        changeOf: (id) => gate.changes.get(id),
        toolOf: (name) => catalog.get(name),
        list: (query, asker) => gate.changes.list(query).map(shownFor(asker).change),
        now,
      }),
      ...withPorts(runbookTools, runbooks.ports),
      ...questionTools,
      ...jobTools({
        list: (asker) => shownFor(asker).jobs(jobs.jobs.list()),
        find: (name) => jobs.jobs.find(name),
        preview: (schedule) => jobs.jobs.preview(schedule),
        problemOf: (body) => jobs.jobs.problemOf(body),
        make: (body, maker) => jobs.jobs.make(body, maker),
        pause: (id, by, why) => jobs.jobs.pause(id, by, why),
        zone: ownZone(),
      }),
      ...withPorts(watchTools, {
        alerts: () => watch.list(),
        ended: (limit: number) => watch.history({ limit }).items,
      }),
      ...withPorts(agentTools, {
        agents: () => agents.agents.list().map(({ id }) => id),
        toolProblem: (name) => toolProblemOf(catalog, name),
        delegate: (...work) => sessions.runs.delegate(...work),
      }),
      ...withPorts(sessionTools, {
        readResult: (...of: [string, string, number]) => storedResult(sessions.store, ...of, sessions.attachments),
      }),
      ...withPorts(planTools, runbooks.planPorts),
      ...workbench.tools,
      ...(replace.tools ?? []),
    ]),
  )
  const houseTools = skills.withTool(servedTools)
  const catalog = withAttached(houseTools, attached.tools)
  const tokenStore = createApiTokenStore(database)
  const people = composePeople(foundation, {
    ...config,
    ownRoles: () => gate.ownRoles(),
    leave: (person, by) => leave(person, by),
    endChannels: (person, why) => channels.forgetPerson(person, why),
    tell: (message) => void tellers.tell({ ...message, kind: 'sign-in', level: 'failed' }),
  })
  const apiTokens = createApiTokens({
    store: tokenStore,
    durably: database.durably,
    record: (change) => void foundation.journal.append('token', change),
    now,
  })
  const tokenUse = createTokenUse({ store: tokenStore, clock: given.clock, report })
  const { passkeys, sshKeys, decisions, signing } = composePasskeys(foundation, config.publicUrl)
  const push = composeWebPush(foundation, {
    ...{ config, sender: replace.push, signing, people: people.known },
    ...{ confirmations: () => gate.confirmations, channels: () => channels },
  })
  const transcribe = transcribing(foundation, config.transcriptions, () => budgets)
  const channels = composeChannels(foundation, {
    ...{ config, stepUp, kinds: replace.channels, webPush: push, hears: people.hears },
    house: composeHouse(foundation, transcribe, () => ({
      sessions,
      agents: agents.agents,
      gate,
      homelab,
      alerts: watch.present(),
    })),
    requireAgent: (id) => void agents.agents.require(id),
    people: people.known,
    confirmations: () => gate.confirmations,
  })
  const tellers = tellEverywhere(channels)
  const models = composeModels({
    ...foundation,
    config,
    first: replace.model,
    others: replace.models,
    cluster: cluster.state,
    durably: database.durably,
    changed() {
      changed({ what: 'settings' })
      agents.agents.look()
    },
    announce: (problem) => foundation.log(problem, 'warning'),
  })
  const budgets = composeBudgets(foundation, {
    costOf: models.costOf,
    agentLimits(id) {
      const agent = agents.agents.find(id)
      return agent === undefined ? { run: {}, day: {} } : limitsOfAgent(agent)
    },
    jobLimits(id) {
      const job = jobs.jobs.find(id)
      return job === undefined ? { run: {}, day: {} } : limitsOfJob(job)
    },
  })
  const agents = composeAgents(foundation, {
    texts,
    otherTools: () => [...attached.tools(), ...(replace.tools ?? [])].map(({ name }) => name),
    models: models.choice.ids,
    skillsOf: skills.textFor,
  })
  const images = createImageStore(database)
  const gate: Gate = composeGate(foundation, {
    changeStore: createChangeStore(database),
    planStore: createPlanStore(database),
    addRun: ({ id, sessionId, plan, asker, at }) =>
      void sessions.store.addRun({
        ...{ id, sessionId, status: 'running', at },
        origin: { kind: 'plan', plan, by: asker.name, asker },
      }),
    start({ title, ...command }, ended) {
      const { sessionId } = sessions.runs.start({ ...command, agent: mainAgentId })
      sessions.runs.rename(sessionId, title)
      hearEnd(sessions.runs, sessionId, ended)
    },
    config,
    homelab,
    proofOf: drills.provenOf,
    catalog,
    agents: agents.agents,
    people: people.known,
    tellOwners: (message) => void tellers.tell({ ...message, kind: 'glass', level: 'failed' }),
    images,
    apiTokens,
    mayAsk: people.mayAsk,
    runs: { look: () => sessions.runs.look(), haveOthers: () => sessions.runs.haveOthers() },
    reach: () => reach,
    decisions,
    publicUrl: config.publicUrl,
    executions: replace.executions,
    waiting: (_sessionId, cards) => channels.waiting(cards),
    asking: (_sessionId, open) => tellers.asking(open),
    goingBack: tellers.goingBack,
    observed: tellObserved(foundation, tellers),
    note: (sessionId, runId, entry) => sessions.runs.note(sessionId, runId, entry),
    applied: workbench.applied,
  })
  const { confirmations, grants, questions } = gate
  const leave = createLeave({ database, journal: foundation.journal, tokens: apiTokens, grants, channels, now })
  const reach: SessionReach = createSessionReach(
    (id) => sessions.store.session(id),
    (id, person) => sessions.shares.mayOf(id, person),
  )
  const sessions = composeRuns(foundation, {
    alerts: () => watch.present(),
    config,
    catalog,
    agents,
    budgets,
    images,
    homelab,
    memory,
    models,
    gate,
    guide: runbooks.guide,
    skills,
    people,
    tellers,
    reach: () => reach,
    removed: workbench.forget,
  })
  const { runs } = sessions
  const watch = composeWatch(foundation, {
    ...{ homelab, drills, gate, push: tellers, runbooks: runbooks.library },
    catalog,
    shown,
    tokens: [config.proxmox?.tokenId, config.drill.token?.tokenId],
  })
  const jobs = composeJobs(foundation, {
    ...{ runs, store: sessions.store, gate, apiTokens, homelab, drills, watch, budgets, tellers },
    mayAsk: people.mayAsk,
    writers,
    shown,
    isDemo: config.proxmox === undefined && models.model().id.startsWith('demo'),
    runbooks: runbooks.library,
  })

  const policyFile = policyPath(dataDir)
  const dataDirWatch = watchDataDir(dataDir, {
    clock: given.clock,
    look() {
      attached.reload()
      models.look()
      watch.reload()
      void channels.reload()
      agents.agents.look()
      gate.policy.edited(readPolicy(policyFile, 'policy.yaml'))
      people.look()
      jobs.jobs.look()
    },
    report,
  })
  const place = leaveAnotherCluster(foundation, config, gate)
  runbooks.library.ship()
  skills.main.ship()
  grants.resume()
  void channels.resume()
  // The last process may have ended between storing a card and putting its message into the outbox, which takes each once.
  channels.waiting(confirmations.pending())
  if (place.isAnother) jobs.jobs.leaveCluster()
  if (place.isAnother) watch.leaveCluster()
  people.onChange(gate.askers.look)
  gate.askers.look()
  workbench.finish()
  runs.resume(!place.isAnother)
  questions.leave((sessionId, runId) => runs.goesOn(sessionId, runId))
  tellers.asking(questions.open())
  place.keep()

  return {
    ...foundation,
    ...sessions,
    agents,
    budgets,
    gate,
    drills,
    homelab,
    catalog,
    houseTools,
    workbench,
    passkeys,
    signerKeys: signing.keys,
    sshKeys,
    apiTokens,
    tokenUse,
    ...people,
    reach,
    shown,
    memory,
    models,
    push,
    channels,
    tellers,
    watch,
    /** The three calls that every door uses; only MCP clients' calls start with `calls.callTool`. */
    hub: { start: runs.start, watch: runs.watch, decide: confirmations.decide },
    /** Keyed by the path below `/api`. */
    routes: {
      ...sessions.routes,
      guests: guestRoutes({
        homelab: homelab.homelab,
        leaningOn: (vmid) => leaningOn(vmid, gate.world()),
        proofOf: drills.newestOf,
      }),
      changes: changeRoutes(gate.changes, runs, now, shown),
      ...gate.routes,
      ...homelab.routes,
      proofs: proofRoutes(drills),
      agents: composeAgentRoutes(agents, foundation, {
        ...{ catalog, gate, runs },
        models: models.choice,
        store: sessions.store,
        shown,
        usedToday: (agent) => budgets.store.sum({ since: budgets.midnight(), agent }),
      }),
      jobs: jobs.routes,
      budgets: composeBudgetRoutes(foundation, {
        ...{ budgets, runs, store: sessions.store, jobs: jobs.jobs },
        callsPerRun: config.maxTurns,
      }),
      heartbeat: jobs.heartbeatRoutes,
      memory: memory.routes,
      models: models.routes,
      'mcp-servers': attached.routes,
      push: push.routes,
      channels: channels.routes,
      transcriptions: transcriptionRoutes(transcribe),
      ...runbooks.routes,
      ...skills.routes,
      ...watch.routes,
      workbench: workbench.routes,
    },
    /** Begins background work that must not delay the start. */
    start() {
      gate.changes.prune()
      // Its cluster is made in this process, and is not the one that was changed.
      if (replace.homelab === undefined && config.proxmox === undefined) gate.changes.close(newDemo, demoTools)
      gate.plans.prune()
      gate.returns.look()
      drills.resume()
      jobs.jobs.start()
      sessions.scheduleIndex()
      people.look()
      attached.start()
      homelab.fillPast()
      channels.registry.start()
      watch.start()
      workbench.start()
    },
    /** Takes no more work. @returns resolves once running calls have ended */
    goDown() {
      foundation.goDown()
      runs.stop()
      return gate.executor.idle()
    },
    /** Ends timers, threads and child processes. Unfinished work resumes at the next start. */
    async stop() {
      database.waitNoMore()
      jobs.jobs.stop()
      runs.storeSeq()
      gate.askers.stop()
      confirmations.stop()
      questions.stop()
      grants.stop()
      gate.returns.stop()
      await watch.stop()
      await channels.stop()
      await drills.stop()
      await workbench.stop()
      homelab.stop()
      await memory.stop()
      dataDirWatch.close()
      await attached.stop()
    },
    /** Closes the cluster and the data dir. Call it once no door is open. */
    async close() {
      cluster.close()
      tokenUse.flush()
      await foundation.close()
    },
  }
}

const cardsKeptMs = 24 * 60 * 60_000
const newDemo = 'It was made on the demo’s cluster, which each start makes anew.'
const demoTools = [...homelabTools.map(({ name }) => name), 'undo']

/** Why a child run cannot be given a tool. */
function toolProblemOf(catalog: Pick<Catalog, 'get'>, name: string): string | undefined {
  const tool = catalog.get(name)
  if (tool === undefined) return `There is no tool ${JSON.stringify(name)}.`
  return tool.startsPlan ? `${name} starts further runs, which another agent's task may not.` : undefined
}

export type Site = ReturnType<typeof createSite>
