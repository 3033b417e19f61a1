import { firstOwnerId } from 'protocol'
import type { Model } from './agent/model.ts'
import { runsRoom } from './agent/room.ts'
import type { NewMessage } from './agent/run/send.ts'
import { sessionsRoom } from './agent/sessions/room.ts'
import type { Watcher } from './agent/watchers.ts'
import { agentsPageRoom, agentsRoom, promptsRoom } from './agents/room.ts'
import { peopleRoom } from './auth/room.ts'
import type { StepUp } from './auth/step-up.ts'
import { budgetsPageRoom, budgetsRoom } from './budgets/room.ts'
import { returnsRoom } from './calls/changes/room.ts'
import type { DecideRequest } from './calls/confirmations/request.ts'
import { askersRoom } from './calls/confirmations/room.ts'
import type { ExecutionStore } from './calls/ports.ts'
import { gateRoom } from './calls/room.ts'
import type { ChannelKind } from './channels/channel.ts'
import { channelsRoom } from './channels/room.ts'
import type { PushSender } from './channels/web-push/ports.ts'
import { webPushRoom } from './channels/web-push/room.ts'
import type { Config } from './config/config.ts'
import { filesRoom, formerClusterRoom } from './config/room.ts'
import { drillRoom } from './drill/room.ts'
import type { Foundation } from './foundation.ts'
import { isProtectedPlace } from './gate/index.ts'
import { policyRoom } from './gate/room.ts'
import type { OpenDemo } from './homelab/demo.ts'
import type { Homelab } from './homelab/ports.ts'
import { homelabRoom } from './homelab/room.ts'
import { createHouse } from './house.ts'
import { jobsRoom } from './jobs/room.ts'
import type { SteadyClock } from './lib/steady-clock.ts'
import { logRoom } from './log/room.ts'
import { SiteLog } from './log/site-log.ts'
import { attachedRoom } from './mcp/attached/room.ts'
import { memoryRoom } from './memory/room.ts'
import { plansRoom, runbooksRoom } from './plans/room.ts'
import { modelsRoom } from './providers/room.ts'
import { doorsRoom } from './realtime/room.ts'
import { accessRoom } from './signing/room.ts'
import { skillsRoom } from './skills/room.ts'
import { storeRoom } from './store/room.ts'
import { createChangeStore } from './store/sqlite/calls/changes.ts'
import { createConfirmationStore } from './store/sqlite/calls/confirmations.ts'
import type { Database } from './store/sqlite/database.ts'
import { createJobStore } from './store/sqlite/jobs.ts'
import { journalRoom } from './store/sqlite/journal/room.ts'
import { createPlanStore } from './store/sqlite/plans.ts'
import { createImageStore } from './store/sqlite/sessions/images.ts'
import { timeRoom } from './time/room.ts'
import { catalogOf, servedBy, withAttached } from './tools/catalog.ts'
import { inFixedOrder } from './tools/house.ts'
import { toolsRoom } from './tools/room.ts'
import type { Tool } from './tools/tool.ts'
import { transcribing } from './v1/transcribing.ts'
import type { Check } from './watch/check.ts'
import { watchRoom } from './watch/room.ts'
import type { BrowserParts } from './workbench/areas/browser.ts'
import type { WebParts } from './workbench/areas/web.ts'
import { createIsOwnPlace } from './workbench/egress/own-place.ts'
import { workbenchRoom } from './workbench/room.ts'
import { createTextFiles, createWriters } from './workspace/text-files.ts'

/** Parts that tests replace, and `demo`. */
export type SiteReplacements = {
  /** The demo's cluster, which a site without a configured cluster needs; see `demoFor`. */
  demo?: OpenDemo | undefined
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
  /** Channels in place of the shipped ones. */
  channels?: readonly ChannelKind[]
  /** Checks in place of the shipped ones. */
  checks?: readonly Check[]
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
 * share only `given`. A site listens to nothing: the process opens the rooms of its doors in the same house, and then calls `house.resume`. Each room
 * gets only what was opened above it.
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

  const store = house.open(storeRoom, { config, siteLog, replaced: replace })
  const { database, dataDir, reserve, sealed } = store
  const { journal } = house.open(journalRoom, { database, dataDir, now, siteLog, sealed })
  const { time, clock } = house.open(timeRoom, {
    given: given.clock,
    signInIdleMs: config.signInIdleMs,
    database,
    journal,
    siteLog,
    reserve,
    facts,
  })
  const said = house.open(logRoom, { siteLog, clock })
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

  const { homelab } = house.open(homelabRoom, { ...of, demo: replace.demo, replaced: replace.homelab })
  const { cluster } = homelab
  const { drills } = house.open(drillRoom, { ...of, homelab: homelab.homelab })
  const { attached } = house.open(attachedRoom, { ...of, stepUp, version })
  const {
    policy,
    reload: reloadPolicy,
    ownRoles,
  } = house.open(policyRoom, {
    ...of,
    homelab,
    attachedTools: attached.tools,
  })
  const { people } = house.open(peopleRoom, { ...of, ownRoles, offboarding: house.registry('offboarding') })
  const sessionParts = house.open(sessionsRoom, { ...of, people })
  const { transcripts, reach, shown, note } = sessionParts
  const { models } = house.open(modelsRoom, {
    ...of,
    cluster: cluster.state,
    first: replace.model,
    others: replace.models,
  })
  const { agents } = house.open(agentsRoom, {
    ...of,
    otherTools: () => [...attached.tools(), ...(replace.tools ?? [])].map(({ name }) => name),
    models: models.choice,
  })
  const servedTools = servedBy(cluster.state, catalogOf(house.registry('tools'), inFixedOrder))
  const { skills } = house.open(skillsRoom, { ...of, catalog: servedTools, agents })
  const houseTools = skills.withTool(servedTools)
  const catalog = withAttached(houseTools, attached.tools)
  const { promptOf } = house.open(promptsRoom, { ...of, agents, skillsOf: (agent) => skills.textFor(agent) })
  const access = house.open(accessRoom, of)
  const { apiTokens, decisions, signing } = access
  const jobStore = createJobStore(database)
  const { budgets } = house.open(budgetsRoom, { ...of, agents, jobStore, costOf: models.costOf })
  const cards = createConfirmationStore(database, foundation.held)
  const { workbench } = house.open(workbenchRoom, {
    foundation,
    policy: () => policy.current().workbench,
    policyWritten: reloadPolicy,
    card: (toolUseId, person) =>
      cards
        .list(now() - cardsKeptMs)
        .find((card) => card.toolUseId === toolUseId && reach.reads(person, card.sessionId)),
    isProtected: (place) => isProtectedPlace(place, { policy: policy.current() }),
    mayWriteIn(sessionId, id = firstOwnerId) {
      const person = people.known.find(id)
      return person !== undefined && transcripts.session(sessionId) !== undefined && reach.mayTalk(person, sessionId)
    },
    isOwnPlace: createIsOwnPlace(config),
    browser: replace.browser,
    web: { search: config.search, ...replace.web },
  })
  const changeStore = createChangeStore(database)
  const images = createImageStore(database)
  const { gate } = house.open(gateRoom, {
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
    planStore: createPlanStore(database),
    addRun: ({ id, sessionId, plan, asker, at }) =>
      void transcripts.addRun({
        id,
        sessionId,
        status: 'running',
        at,
        origin: { kind: 'plan', plan, by: asker.name, asker },
      }),
    proofOf: drills.provenOf,
    people: people.known,
    mayAsk: people.mayAsk,
    watchers: { isWatched: (sessionId) => sessionParts.watchers.isWatched(sessionId) },
    publicUrl: config.publicUrl,
    executions: replace.executions,
    applied: workbench.applied,
  })
  const { formerCluster } = house.open(formerClusterRoom, { ...of, gate })
  const writers = createWriters(foundation)
  const runbooks = house.open(runbooksRoom, { ...of, catalog, gate, writers, jobStore })
  const texts = createTextFiles(foundation, writers, runbooks.library)
  const { memory } = house.open(memoryRoom, {
    foundation,
    config,
    texts,
    agents,
    people: people.known,
    embedded: budgets.keeper.embedded,
    worker: replace.memoryWorker,
    isOnUse: replace.memoryOnUse ?? false,
  })
  const { watch } = house.open(watchRoom, {
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
  const { sessions } = house.open(runsRoom, {
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
  })
  const { runs } = sessions
  house.open(plansRoom, { ...of, runbooks, gate, runs, shown })
  house.open(returnsRoom, { ...of, store: changeStore, cluster, runs })
  house.open(askersRoom, { ...of, gate, runs })
  const { jobs } = house.open(jobsRoom, {
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
  const { push } = house.open(webPushRoom, { ...of, signing, gate, people: people.known, sender: replace.push })
  const { channels, desk } = house.open(channelsRoom, {
    ...of,
    stepUp,
    gate,
    sessions,
    homelab,
    watch,
    push,
    transcribe,
    agents,
    people: people.known,
    hears: people.hears,
    registered: house.registry('channels'),
    shipped: replace.channels,
  })
  const usedToday = (agent: string) => budgets.store.sum({ since: budgets.midnight(), agent })
  house.open(agentsPageRoom, {
    ...of,
    agents,
    texts,
    catalog,
    gate,
    runs,
    shown,
    usedToday,
    models: models.choice,
    store: transcripts,
  })
  house.open(budgetsPageRoom, {
    foundation,
    budgets,
    note,
    jobs,
    store: transcripts,
    callsPerRun: config.maxTurns,
  })
  house.open(toolsRoom, {
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
  house.open(filesRoom, of)
  house.open(doorsRoom, { ...of, formerCluster, gate, runs })

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
    /** The three calls that every door uses; only MCP clients' calls start with `calls.callTool`. */
    hub: {
      start: (message: NewMessage) => runs.start(message),
      watch: (sessionId: string, watcher: Watcher) => runs.watch(sessionId, watcher),
      decide: (request: DecideRequest) => gate.confirmations.decide(request),
    },
    /** Begins background work that must not delay the start. */
    start: () => void house.start(),
    /** Takes no more work. @returns resolves once running calls have ended */
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

/** Age up to which a decided card's difference is shown, ms. */
const cardsKeptMs = 24 * 60 * 60_000
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
