import type { NewMessage } from './agent/run/send.ts'
import type { Watcher } from './agent/watchers.ts'
import type { StepUp } from './auth/step-up.ts'
import type { DecideRequest } from './calls/confirmations/request.ts'
import type { Config } from './config/config.ts'
import type { Foundation } from './foundation.ts'
import { createHouse } from './house.ts'
import type { SteadyClock } from './lib/steady-clock.ts'
import { SiteLog } from './log/site-log.ts'
import type { SiteReplacements } from './replacements.ts'
import * as rooms from './rooms.ts'
import { SqliteChangeStore } from './store/sqlite/calls/changes.ts'
import { SqliteConfirmationStore } from './store/sqlite/calls/confirmations.ts'
import { SqliteJobStore } from './store/sqlite/jobs.ts'
import { SqlitePlanStore } from './store/sqlite/plans.ts'
import { SqliteImageStore } from './store/sqlite/sessions/images.ts'
import { catalogOf, servedBy, withAttached } from './tools/catalog.ts'
import { inFixedOrder } from './tools/house.ts'
import { transcribing } from './v1/transcribing.ts'
import { createTextFiles, createWriters } from './workspace/text-files.ts'

/**
 * Makes a site: one cluster with its data dir, stores, journal, gate, cards, runs, memory, models and attached servers. Two sites in one process
 * share only `given`. A site does not listen: the process opens the rooms of its doors in the same house, and then calls `house.resume`. Each room
 * gets only parts that were opened before it.
 * @throws ConfigError, DatabaseRefused before anything is changed
 */
export function openSite(
  config: Config,
  given: { version: string; clock: SteadyClock; stepUp: StepUp },
  replace: SiteReplacements = {},
) {
  const { stepUp, version } = given
  const now = () => given.clock.now()
  const siteLog = new SiteLog({ level: config.logLevel, secrets: config.secrets, now })
  const house = createHouse((error, message) => siteLog.report(error, message))
  const { facts, stopping } = house

  const store = house.open(rooms.store, { config, siteLog, replaced: replace })
  const { database, dataDir, reserve, sealed } = store
  const { journal } = house.open(rooms.journal, { database, dataDir, now, siteLog, sealed })
  const { time, clock } = house.open(rooms.time, {
    given: given.clock,
    signInIdleMs: config.signInIdleMs,
    database,
    journal,
    siteLog,
    reserve,
    facts,
  })
  const said = house.open(rooms.log, { siteLog, clock })
  const foundation: Foundation = {
    ...store,
    ...said,
    journal,
    clock,
    now,
    stopping,
    isStopping: () => stopping.aborted,
  }
  const of = { foundation, config, facts }

  const { homelab } = house.open(rooms.homelab, { ...of, demo: replace.demo, replaced: replace.homelab })
  const { cluster } = homelab
  const { drills } = house.open(rooms.drill, { ...of, homelab: homelab.homelab })
  const { attached } = house.open(rooms.attached, { ...of, stepUp, version })
  const {
    policy,
    reload: reloadPolicy,
    ownRoles,
  } = house.open(rooms.policy, {
    ...of,
    homelab,
    attachedTools: attached.tools,
  })
  const { people } = house.open(rooms.people, { ...of, ownRoles, offboarding: house.registry('offboarding') })
  const sessionParts = house.open(rooms.sessions, { ...of, people })
  const { transcripts, reach, shown, note } = sessionParts
  const { models } = house.open(rooms.models, {
    ...of,
    cluster: cluster.state,
    first: replace.model,
    others: replace.models,
  })
  const { agents } = house.open(rooms.agents, {
    ...of,
    otherTools: () => [...attached.tools(), ...(replace.tools ?? [])].map(({ name }) => name),
    models: models.choice,
  })
  const servedTools = servedBy(cluster.state, catalogOf(house.registry('tools'), inFixedOrder))
  const { skills } = house.open(rooms.skills, { ...of, catalog: servedTools, agents })
  const houseTools = skills.withTool(servedTools)
  const catalog = withAttached(houseTools, attached.tools)
  const { promptOf } = house.open(rooms.prompts, { ...of, agents, skillsOf: (agent) => skills.textFor(agent) })
  const access = house.open(rooms.access, of)
  const { apiTokens, decisions, signing } = access
  const jobStore = new SqliteJobStore(database)
  const { budgets } = house.open(rooms.budgets, { ...of, agents, jobStore, costOf: models.costOf })
  const cards = new SqliteConfirmationStore(database, foundation.held)
  const { workbench } = house.open(rooms.workbench, {
    ...of,
    policy,
    policyWritten: reloadPolicy,
    cards,
    transcripts,
    reach,
    people: people.known,
    replaced: replace,
  })
  const changeStore = new SqliteChangeStore(database)
  const images = new SqliteImageStore(database)
  const { gate } = house.open(rooms.gate, {
    foundation,
    facts,
    config,
    policy,
    homelab,
    catalog,
    agents,
    apiTokens,
    reach,
    decisions,
    note,
    images,
    changeStore,
    newDemo: replace.homelab === undefined && config.proxmox === undefined ? newDemo : undefined,
    store: cards,
    planStore: new SqlitePlanStore(database),
    transcripts,
    proofOf: (vmid) => drills.provenOf(vmid),
    people: people.known,
    mayAsk: people.mayAsk,
    watchers: sessionParts.watchers,
    executions: replace.executions,
    applied: workbench.applied,
    keepFiles: (sessionId, received) => workbench.files.keep(sessionId, received),
  })
  const { formerCluster } = house.open(rooms.formerCluster, { ...of, gate })
  const writers = createWriters(foundation)
  const runbooks = house.open(rooms.runbooks, { ...of, catalog, gate, writers, jobStore })
  const texts = createTextFiles(foundation, writers, runbooks.library)
  const { memory } = house.open(rooms.memory, {
    foundation,
    config,
    texts,
    agents,
    people: people.known,
    embedded: budgets.keeper.embedded,
    worker: replace.memoryWorker,
    isOnUse: replace.memoryOnUse ?? false,
  })
  const { watch } = house.open(rooms.watch, {
    ...of,
    homelab,
    drills,
    gate,
    catalog,
    shown,
    runbooks: runbooks.library,
    checks: house.registry('checks'),
    shipped: replace.checks,
    tokens: [config.proxmox?.tokenId, config.drill.token?.tokenId],
  })
  const { sessions } = house.open(rooms.runs, {
    ...of,
    catalog,
    agents,
    promptOf,
    budgets,
    images,
    homelab,
    memory,
    models,
    gate,
    skills,
    people,
    alerts: watch.present,
    guide: runbooks.guide,
    sessions: sessionParts,
    removed: workbench.forget,
    branched: workbench.branched,
  })
  const { runs } = sessions
  house.open(rooms.plans, { ...of, runbooks, gate, runs, shown })
  house.open(rooms.feedback, { foundation, sessions: sessionParts })
  house.open(rooms.returns, { ...of, store: changeStore, cluster, runs })
  house.open(rooms.askers, { ...of, gate, runs })
  const { jobs } = house.open(rooms.jobs, {
    ...of,
    jobStore,
    runs,
    store: transcripts,
    gate,
    apiTokens,
    homelab,
    drills,
    watch,
    budgets,
    writers,
    shown,
    people: people.known,
    mayAsk: people.mayAsk,
    isDemo: config.proxmox === undefined && models.model().id.startsWith('demo'),
    runbooks: runbooks.library,
  })
  const transcribe = transcribing({
    server: config.transcriptions,
    redactor: foundation.redactor,
    usedUp: budgets.keeper.usedUp,
  })
  const { push } = house.open(rooms.webPush, { ...of, signing, gate, people: people.known, sender: replace.push })
  const { channels, desk } = house.open(rooms.channels, {
    ...of,
    stepUp,
    gate,
    sessions,
    homelab,
    watch,
    push,
    transcribe,
    files: workbench.files,
    agents,
    people: people.known,
    hears: people.hears,
    registered: house.registry('channels'),
    shipped: replace.channels,
  })
  house.open(rooms.agentsPage, {
    ...of,
    agents,
    texts,
    catalog,
    gate,
    runs,
    shown,
    budgets,
    models: models.choice,
    store: transcripts,
  })
  house.open(rooms.budgetsPage, {
    foundation,
    budgets,
    note,
    jobs,
    store: transcripts,
    callsPerRun: config.maxTurns,
  })
  house.open(rooms.tools, {
    ...of,
    homelab,
    drills,
    watch,
    gate,
    catalog,
    transcripts,
    agents,
    runs,
    shown,
    apiTokens,
    people: people.known,
    others: replace.tools ?? [],
  })
  house.open(rooms.files, of)
  house.open(rooms.doors, { ...of, formerCluster, gate, runs })

  return {
    ...foundation,
    ...access,
    ...sessions,
    ...people,
    house,
    siteLog,
    time,
    foundation,
    agents,
    budgets,
    gate,
    drills,
    homelab,
    catalog,
    houseTools,
    workbench,
    reach,
    shown,
    memory,
    models,
    push,
    channels,
    channelDesk: desk,
    watch,
    /** The three functions that every door uses. Only calls of MCP clients start with `calls.callTool` instead. */
    hub: {
      start: (message: NewMessage) => runs.start(message),
      watch: (sessionId: string, watcher: Watcher) => runs.watch(sessionId, watcher),
      decide: (request: DecideRequest) => gate.confirmations.decide(request),
    },
    /** Begins background work that must not delay the start. */
    start: () => void house.start(),
    /** Stops taking work. @returns resolves once running calls have ended */
    goDown: () => house.drain(),
    /** Ends timers, threads and child processes. Unfinished work resumes at the next start. */
    stop() {
      database.waitNoMore()
      return house.stop()
    },
    /** Closes doors, the cluster and the data dir, after `stop`. */
    close: () => house.close(),
  }
}

const newDemo = 'It was made on the demo’s cluster, which each start makes anew.'

export type Site = ReturnType<typeof openSite>

/** Makes a site without doors, and resumes the work that its last start left. @throws as `openSite` */
export function createSite(
  config: Config,
  given: { version: string; clock: SteadyClock; stepUp: StepUp },
  replace: SiteReplacements = {},
): Site {
  const site = openSite(config, given, replace)
  site.house.resume()
  return site
}
