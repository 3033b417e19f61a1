import { storedResult } from '../agent/context/stored-result.ts'
import type { Model } from '../agent/model.ts'
import { sessionsRoom } from '../agent/sessions/room.ts'
import { agentsPageRoom, agentsRoom, promptsRoom } from '../agents/room.ts'
import { createApiTokens } from '../auth/api-tokens.ts'
import type { StepUp } from '../auth/step-up.ts'
import { createTokenUse } from '../auth/token-use.ts'
import { returnsRoom } from '../calls/changes/room.ts'
import { askersRoom } from '../calls/confirmations/room.ts'
import type { ExecutionStore } from '../calls/ports.ts'
import type { ChannelKind } from '../channels/channel.ts'
import { channelsRoom } from '../channels/room.ts'
import type { PushSender } from '../channels/web-push/ports.ts'
import { webPushRoom } from '../channels/web-push/room.ts'
import type { Config } from '../config/config.ts'
import { watchDataDir } from '../config/policy-file.ts'
import { isProtectedPlace } from '../gate/index.ts'
import { policyRoom } from '../gate/room.ts'
import type { Homelab } from '../homelab/ports.ts'
import { createHouse } from '../house.ts'
import { changeRoutes } from '../http/changes.ts'
import { guestRoutes } from '../http/guests.ts'
import { proofRoutes } from '../http/proofs.ts'
import type { Route } from '../http/route.ts'
import { transcriptionRoutes } from '../http/transcriptions.ts'
import type { SteadyClock } from '../lib/steady-clock.ts'
import { ownZone } from '../lib/zone.ts'
import { plansRoom, runbooksRoom } from '../plans/room.ts'
import { firstOwnerId, type Principal } from '../protocol/index.ts'
import { createApiTokenStore } from '../store/sqlite/access/tokens.ts'
import { createChangeStore } from '../store/sqlite/calls/changes.ts'
import { createConfirmationStore } from '../store/sqlite/calls/confirmations.ts'
import type { Database } from '../store/sqlite/database.ts'
import { createJobStore } from '../store/sqlite/jobs.ts'
import { createPlanStore } from '../store/sqlite/plans.ts'
import { createImageStore } from '../store/sqlite/sessions/images.ts'
import { type Catalog, servedBy, withAttached } from '../tools/catalog.ts'
import { changeTools } from '../tools/changes/index.ts'
import {
  agentTools,
  drillTools,
  homelabTools,
  pbsTools,
  questionTools,
  sessionTools,
  waitTools,
} from '../tools/house.ts'
import { jobTools } from '../tools/jobs/index.ts'
import { type Tool, withPorts } from '../tools/tool.ts'
import { watchRoom } from '../watch/room.ts'
import { createIsOwnPlace } from '../workbench/egress/own-place.ts'
import { leaveAnotherCluster } from './another-cluster.ts'
import { composeAttached } from './attached.ts'
import { composeBudgetRoutes } from './budget-routes.ts'
import { composeBudgets, limitsOfAgent, limitsOfJob } from './budgets.ts'
import { composeDrills } from './drills.ts'
import { composeFoundation } from './foundation.ts'
import { composeGate, type Gate } from './gate.ts'
import { composeHomelab } from './homelab.ts'
import { composeJobs } from './jobs.ts'
import { leaningOn } from './leaning.ts'
import { offboardingOf } from './leave.ts'
import { composeMemory } from './memory.ts'
import { composeModels } from './models.ts'
import { composePasskeys } from './passkeys.ts'
import { composePeople } from './people.ts'
import { composeRuns } from './runs.ts'
import { composeSkills } from './skills.ts'
import { composeTextFiles, createWriters } from './text-files.ts'
import { transcribing } from './transcribing.ts'
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
  const house = createHouse(report)
  const { facts } = house
  const homelab = composeHomelab(foundation, config, replace.homelab)
  const { cluster, limits } = homelab
  const drills = composeDrills(foundation, config, homelab.homelab)
  const writers = createWriters(foundation)
  const servedTools = servedBy(cluster.state, house.registry('tools'))
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
  const tokenStore = createApiTokenStore(database)
  const apiTokens = createApiTokens({
    store: tokenStore,
    durably: database.durably,
    record: (change) => void foundation.journal.append('token', change),
    now,
  })
  const tokenUse = createTokenUse({ store: tokenStore, clock: given.clock, report })
  const { passkeys, sshKeys, decisions, signing } = composePasskeys(foundation, config.publicUrl)
  const {
    policy,
    reload: reloadPolicy,
    ownRoles,
  } = house.open(policyRoom, {
    ...{ foundation, config, facts, homelab },
    attachedTools: attached.tools,
  })
  const { people } = house.open(
    {
      name: 'people',
      open: () => ({
        people: composePeople(foundation, {
          ...config,
          ownRoles,
          offboarding: house.registry('offboarding'),
          notice: facts.teller('notice.due'),
        }),
      }),
    },
    {},
  )
  const sessionParts = house.open(sessionsRoom, { foundation, facts, people })
  const { transcripts, reach, shown } = sessionParts
  /** Limits a thing to the words that the asker of a call may read. Calls without a person are JARVIS's own, for its owner. */
  const shownFor = (asker: Principal | undefined) => shown(people.known.find(asker?.person))
  const { models } = house.open(
    {
      name: 'models',
      open() {
        const modelsChanged = facts.teller('models.changed')
        const models = composeModels({
          ...foundation,
          config,
          first: replace.model,
          others: replace.models,
          cluster: cluster.state,
          durably: database.durably,
          changed() {
            changed({ what: 'settings' })
            modelsChanged(undefined)
          },
          announce: (problem) => foundation.log(problem, 'warning'),
        })
        facts.on('files.changed', models.look)
        return { models }
      },
    },
    {},
  )
  const { agents } = house.open(agentsRoom, {
    ...{ foundation, facts },
    otherTools: () => [...attached.tools(), ...(replace.tools ?? [])].map(({ name }) => name),
    models: models.choice,
  })
  const skills = composeSkills(foundation, { catalog: servedTools, agents })
  const { promptOf } = house.open(promptsRoom, { foundation, agents, skillsOf: skills.textFor })
  const houseTools = skills.withTool(servedTools)
  const catalog = withAttached(houseTools, attached.tools)
  const jobStore = createJobStore(database)
  const budgets = composeBudgets(foundation, {
    costOf: models.costOf,
    agentLimits(id) {
      const agent = agents.find(id)
      return agent === undefined ? { run: {}, day: {} } : limitsOfAgent(agent)
    },
    jobLimits(id) {
      const job = jobStore.get(id)
      return job === undefined ? { run: {}, day: {} } : limitsOfJob(job)
    },
  })
  const changeStore = createChangeStore(database)
  const cards = createConfirmationStore(database, foundation.held)
  const workbench = composeWorkbench(foundation, {
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
    ...(replace.browser && { browser: replace.browser }),
    web: { search: config.search, ...replace.web },
  })
  const images = createImageStore(database)
  const gate: Gate = house.open(
    {
      name: 'gate',
      open: () => ({
        gate: composeGate(foundation, {
          policy,
          store: cards,
          changeStore,
          planStore: createPlanStore(database),
          addRun: ({ id, sessionId, plan, asker, at }) =>
            void transcripts.addRun({
              ...{ id, sessionId, status: 'running', at },
              origin: { kind: 'plan', plan, by: asker.name, asker },
            }),
          config,
          homelab,
          proofOf: drills.provenOf,
          catalog,
          agents,
          people: people.known,
          notice: facts.teller('notice.due'),
          images,
          apiTokens,
          mayAsk: people.mayAsk,
          watchers: sessionParts.watchers,
          reach,
          decisions,
          publicUrl: config.publicUrl,
          executions: replace.executions,
          cardsChanged: facts.teller('cards.changed'),
          questionsChanged: facts.teller('questions.changed'),
          changesChanged: facts.teller('changes.changed'),
          note: sessionParts.note,
          applied: workbench.applied,
        }),
      }),
    },
    {},
  ).gate
  const runbooks = house.open(runbooksRoom, { ...{ foundation, facts, catalog, gate, writers, jobStore } })
  const texts = composeTextFiles(foundation, writers, runbooks.library)
  const memory = composeMemory({
    ...foundation,
    texts,
    people: people.known,
    agents,
    embeddings: config.embeddings,
    weights: config.memoryWeights,
    proxies: config.proxies,
    worker: replace.memoryWorker,
    isOnUse: replace.memoryOnUse ?? false,
    embedded: budgets.keeper.embedded,
    changed: () => changed({ what: 'memory' }),
  })
  const { watch } = house.open(watchRoom, {
    ...{ foundation, homelab, drills, gate, catalog, shown, facts },
    runbooks: runbooks.library,
    tokens: [config.proxmox?.tokenId, config.drill.token?.tokenId],
  })
  const { sessions } = house.open(
    {
      name: 'runs',
      open: () => ({
        sessions: composeRuns(foundation, {
          alerts: watch.present,
          config,
          catalog,
          agents,
          promptOf,
          budgets,
          images,
          homelab,
          memory,
          models,
          gate,
          guide: runbooks.guide,
          skills,
          people,
          sessions: sessionParts,
          forAnother: facts.teller('run.for_another'),
          removed: workbench.forget,
        }),
      }),
    },
    {},
  )
  const { runs } = sessions
  house.open(plansRoom, { foundation, runbooks, gate, runs, shown })
  house.open(returnsRoom, { foundation, facts, store: changeStore, cluster, runs })
  house.open(askersRoom, { foundation, facts, gate, runs })
  const { jobs } = house.open(
    {
      name: 'jobs',
      open: () => ({
        jobs: composeJobs(foundation, {
          ...{
            facts,
            jobStore,
            runs,
            store: sessions.store,
            gate,
            apiTokens,
            homelab,
            drills,
            watch,
            budgets,
            writers,
            shown,
          },
          notice: facts.teller('notice.due'),
          mayAsk: people.mayAsk,
          isDemo: config.proxmox === undefined && models.model().id.startsWith('demo'),
          runbooks: runbooks.library,
        }),
      }),
    },
    {},
  )
  const transcribe = transcribing(foundation, config.transcriptions, budgets)
  const { push } = house.open(webPushRoom, {
    ...{ foundation, config, signing, gate },
    people: people.known,
    sender: replace.push,
  })
  const { channels, desk } = house.open(channelsRoom, {
    ...{ foundation, config, facts, stepUp, gate, sessions, homelab, watch, push, transcribe },
    people: people.known,
    agents,
    hears: people.hears,
    kinds: replace.channels,
  })
  house.open(agentsPageRoom, {
    ...{ foundation, agents, texts, catalog, gate, runs, shown },
    models: models.choice,
    store: transcripts,
    usedToday: (agent) => budgets.store.sum({ since: budgets.midnight(), agent }),
  })
  const rest = house.open(
    {
      name: 'rest',
      open: () => ({
        contributes: {
          tools: restOfTools(),
          routes: restOfRoutes(),
          offboarding: offboardingOf({
            ...{ database, journal: foundation.journal, tokens: apiTokens, grants: gate.grants, now },
          }),
        },
        notice: facts.teller('notice.due'),
        questionsChanged: facts.teller('questions.changed'),
        filesChanged: facts.teller('files.changed'),
        clusterLeft: facts.teller('cluster.left'),
        personChanged: facts.teller('person.changed'),
      }),
    },
    {},
  )

  function restOfTools(): readonly Tool[] {
    const { pbs } = homelab.homelab
    return [
      ...withPorts(homelabTools, { ...homelab.homelab, limits: limits.current, alerts: watch.present }),
      ...(pbs === undefined ? [] : withPorts(pbsTools, { api: homelab.homelab.api, pbs })),
      ...withPorts(drillTools, { drills, now }),
      ...withPorts(waitTools, {
        cluster,
        clock: given.clock,
        begunAt: ({ runId, toolUseId }: { runId?: string; toolUseId?: string }) =>
          runId === undefined
            ? undefined
            : transcripts
                .entriesOfRun(runId)
                .find((entry) => entry.type === 'tool_use' && entry.toolUseId === toolUseId)?.at,
      }),
      ...memory.tools,
      ...changeTools({
        changeOf: gate.changes.get,
        guests: () => cluster.state().guests,
        toolOf: catalog.get,
        list: (query, asker) => gate.changes.list(query).map(shownFor(asker).change),
        now,
      }),
      ...questionTools,
      ...jobTools({ ...jobs.jobs, list: (asker) => shownFor(asker).jobs(jobs.jobs.list()), zone: ownZone() }),
      ...withPorts(agentTools, {
        agents: () => agents.list().map(({ id }) => id),
        toolProblem: (name) => toolProblemOf(catalog, name),
        delegate: runs.delegate,
      }),
      ...withPorts(sessionTools, {
        readResult: (...of: [string, string, number]) => storedResult(transcripts, ...of, sessions.attachments),
      }),
      ...workbench.tools,
      ...(replace.tools ?? []),
    ]
  }

  function restOfRoutes(): readonly Route[] {
    return Object.values<readonly Route[]>({
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
      jobs: jobs.routes,
      budgets: composeBudgetRoutes(foundation, {
        ...{ budgets, note: sessionParts.note, store: transcripts, jobs: jobs.jobs },
        callsPerRun: config.maxTurns,
      }),
      heartbeat: jobs.heartbeatRoutes,
      memory: memory.routes,
      models: models.routes,
      'mcp-servers': attached.routes,
      transcriptions: transcriptionRoutes(transcribe),
      ...skills.routes,
      workbench: workbench.routes,
    }).flat()
  }

  const dataDirWatch = watchDataDir(dataDir, {
    clock: given.clock,
    look() {
      attached.reload()
      people.look()
      rest.filesChanged(undefined)
    },
    report,
  })
  const lastPlace = leaveAnotherCluster(foundation, config, gate)
  house.resume()
  skills.main.ship()
  gate.grants.resume()
  if (lastPlace.isAnother) rest.clusterLeft(undefined)
  people.onChange(rest.personChanged)
  workbench.finish()
  runs.resume(!lastPlace.isAnother)
  gate.questions.leave(runs.goesOn)
  rest.questionsChanged(gate.questions.open())
  lastPlace.keep()

  return {
    ...foundation,
    house,
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
    channelDesk: desk,
    /** Tells people of something over their channels. */
    notice: rest.notice,
    watch,
    /** The three calls that every door uses; only MCP clients' calls start with `calls.callTool`. */
    hub: { start: runs.start, watch: runs.watch, decide: gate.confirmations.decide },
    /** The REST routes of all rooms. */
    routes: house.registry('routes').list(),
    /** Begins background work that must not delay the start. */
    start() {
      gate.changes.prune()
      // Its cluster is made in this process, and is not the one that was changed.
      if (replace.homelab === undefined && config.proxmox === undefined) gate.changes.close(newDemo, demoTools)
      gate.plans.prune()
      drills.resume()
      jobs.jobs.start()
      sessions.scheduleIndex()
      people.look()
      attached.start()
      homelab.fillPast()
      workbench.start()
      void house.start()
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
      gate.confirmations.stop()
      gate.questions.stop()
      gate.grants.stop()
      await house.stop()
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
