import { type Alert, type ClusterState, firstOwnerId, JarvisError, type Principal, personOf } from 'protocol'
import type { ActiveAgents } from '../agents/active.ts'
import { type Agent, isOffered } from '../agents/agent.ts'
import { chosenFor } from '../agents/bindings.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { ComposedPeople } from '../auth/room.ts'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { ImageStore } from '../calls/ports.ts'
import type { Gate } from '../calls/room.ts'
import type { Foundation } from '../compose/foundation.ts'
import type { Config } from '../config/config.ts'
import { createStreamRedactor } from '../gate/index.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { clusterSummary } from '../homelab/summary.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { createProgramMessages } from '../http/program-messages.ts'
import { sessionRoutes } from '../http/sessions.ts'
import { oldBefore } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { onceFor } from '../lib/once-for.ts'
import type { ComposedMemory } from '../memory/room.ts'
import type { ComposedModels } from '../providers/room.ts'
import type { ComposedSkills } from '../skills/room.ts'
import { createAttachmentStore } from '../store/sqlite/sessions/attachments.ts'
import { createKeptRunStore } from '../store/sqlite/sessions/kept-runs.ts'
import { createInputsRedaction } from '../store/sqlite/sessions/redact-inputs.ts'
import { createSessionIndex } from '../store/sqlite/sessions/session-index.ts'
import { createSessionList } from '../store/sqlite/sessions/session-list.ts'
import { type Catalog, modelSchemaOf } from '../tools/catalog.ts'
import { sessionTools } from '../tools/house.ts'
import { type Tool, withPorts } from '../tools/tool.ts'
import { isOf, newSessionId } from '../v1/token.ts'
import { createAttachments } from './attachments.ts'
import { grantFacts } from './context/facts/grants.ts'
import { entryFacts, type FactMaker } from './context/facts/index.ts'
import { createGoingBack } from './context/going-back.ts'
import { createReports } from './context/reports.ts'
import { storedResult } from './context/stored-result.ts'
import { asClusterData } from './persona.ts'
import { generateWithRetries } from './retry.ts'
import type { Guide } from './run/guide.ts'
import type { RunParts } from './run-agent.ts'
import { createRuns } from './runs.ts'
import { keptRunMs } from './sessions/kept-runs.ts'
import { createNamer } from './sessions/name-session.ts'
import type { sessionsRoom } from './sessions/room.ts'
import { createSessions } from './sessions/sessions.ts'
import { speakerOf } from './speaker.ts'

/** How long replies to repeated requests are kept, ms. */
const repliesKeptMs = 7 * 24 * 60 * 60_000

/** Runs: the agent loop with its models, limits and prompts, and the routes of sessions. Tells `run.for_another`. */
export const runsRoom = defineRoom({
  name: 'runs',
  open(needs: { foundation: Foundation; facts: JarvisFacts } & Omit<Parameters<typeof openRuns>[1], 'forAnother'>) {
    const { foundation, facts, ...parts } = needs
    const sessions = openRuns(foundation, { ...parts, forAnother: facts.teller('run.for_another') })
    const { runs, store, attachments } = sessions
    return {
      sessions,
      contributes: {
        tools: withPorts(sessionTools, {
          readResult: (...of: [string, string, number]) => storedResult(store, ...of, attachments),
        }),
        routes: sessions.routes.sessions,
      },
      start: sessions.scheduleIndex,
      drain: runs.stop,
      stop: runs.storeSeq,
    }
  },
})

function openRuns(
  foundation: Foundation,
  parts: {
    config: Pick<Config, 'historyLimit' | 'maxTurns'>
    catalog: Catalog
    agents: ActiveAgents
    promptOf(agent: Agent): string
    images: ImageStore
    homelab: Pick<ComposedHomelab, 'cluster'>
    memory: Pick<ComposedMemory, 'recall' | 'learn' | 'filesBack'>
    models: Pick<
      ComposedModels,
      | 'choice'
      | 'costOf'
      | 'used'
      | 'mayName'
      | 'answered'
      | 'failed'
      | 'windowOf'
      | 'fallbacksOf'
      | 'cutOff'
      | 'wrote'
      | 'leftOutNow'
      | 'learnWindow'
      | 'learnTalksOnly'
      | 'factsOf'
      | 'requireForProgram'
    >
    gate: Pick<Gate, 'confirmations' | 'executor' | 'questions' | 'grants' | 'sightOf' | 'goneBecause'>
    budgets: Pick<ComposedBudgets, 'keeper'>
    guide: Guide
    sessions: Pick<
      ReturnType<typeof sessionsRoom.open>,
      'transcripts' | 'live' | 'watchers' | 'shares' | 'nameOf' | 'reach' | 'note'
    >
    forAnother(nothing: undefined): void
    people: Pick<ComposedPeople, 'people' | 'known'>
    skills: Pick<ComposedSkills, 'forRuns' | 'toolFor' | 'textFor'>
    /** What is wrong now; the same array until something is different. */
    alerts(): readonly Alert[]
    /** Called after a session was deleted. */
    removed(sessionId: string): void
  },
) {
  const { clock, now, database, held, journal, redactor, report, activity } = foundation
  const { config, images, memory, models } = parts
  const { agents, promptOf } = parts
  const { cluster } = parts.homelab
  const { confirmations, executor, questions } = parts.gate
  const { transcripts: store, live, watchers, shares, nameOf, reach } = parts.sessions
  const inputs = createInputsRedaction(database, { held, redact: redactor.value, later: foundation.later, report })
  const kept = createKeptRunStore(database, () => oldBefore(clock, keptRunMs))
  const attachments = createAttachments({
    store: createAttachmentStore(database),
    clock,
    redact: redactor.text,
    redactLater: redactor.later,
  })
  /** A tool's, or one that a person attached. */
  const image = (sessionId: string, id: string) => {
    const found = attachments.read(sessionId, id)
    if (found === undefined) return images.get(sessionId, id)
    const { mimeType } = found.attachment
    return mimeType === 'text/plain' ? undefined : { mimeType, data: found.data }
  }
  const index = createSessionIndex(database, { costOf: models.costOf, later: foundation.later, report })
  const changed = (sessionId: string) => {
    index.changed(sessionId)
    activity.changed({ what: 'sessions', sessionId })
  }
  const specOf = (tool: Tool) => ({ name: tool.name, description: tool.description, inputSchema: modelSchemaOf(tool) })
  const toolSpecs = onceFor(parts.catalog.list, (tools) => tools.map((tool) => ({ tool, spec: specOf(tool) })))
  const specsFor = (agent: Agent) =>
    toolSpecs().flatMap(({ tool, spec }) => {
      if (!isOffered(agent, tool)) return []
      if (!tool.isApprovedText) return [spec]
      // It names the skills of this agent.
      const own = parts.skills.toolFor(agent)
      return own === undefined ? [] : [own === tool ? spec : specOf(own)]
    })
  let known: { state: ClusterState; alerts: readonly Alert[]; text: string } | undefined
  const context = (asker: Principal) => {
    // Alerts tell of the whole cluster.
    const sees = parts.gate.sightOf(asker)
    if (sees !== undefined) return asClusterData(clusterSummary(sees(cluster.state()), []))
    const [state, alerts] = [cluster.state(), parts.alerts()]
    if (known?.state !== state || known.alerts !== alerts)
      known = { state, alerts, text: asClusterData(clusterSummary(state, alerts)) }
    return known.text
  }
  const ask: RunParts['generate'] = async (used, request, sink, signal, onRetry, mayRetry) => {
    try {
      const turn = await generateWithRetries(used, request, sink, signal, { clock, onRetry, mayRetry })
      models.answered(used)
      return turn
    } catch (error) {
      if (!signal.aborted) models.failed(used, error)
      throw error
    }
  }
  const profile: RunParts['profile'] = ({ effort: chosen, agent: id, askedBy = id }) => {
    const limits = { history: config.historyLimit, turns: config.maxTurns }
    const agent = agents.find(id)
    const asking = agents.find(askedBy)
    // Its open calls are still settled, as refused; its models are not called.
    if (agent === undefined || asking === undefined) return { prompt: '', tools: [], limits }
    const effort = chosen ?? agent.effort
    const { temperature } = agent
    return {
      prompt: promptOf(agent),
      tools: specsFor(agent).filter((spec) => asking === agent || specsFor(asking).includes(spec)),
      limits,
      effort,
      temperature,
    }
  }
  const makers: readonly FactMaker[] = [
    ...entryFacts,
    grantFacts(parts.gate.grants, now, (id) => store.session(id)?.person),
  ]
  const isRead = (name: string) => parts.catalog.get(name)?.tier === 'green'
  const asks = (name: string) => parts.catalog.get(name)?.asks === true
  const mayChild = (name: string) => parts.catalog.get(name)?.startsPlan !== true
  const { runs, calls } = createRuns({
    store,
    kept,
    models: models.choice,
    costOf: models.costOf,
    budgets: parts.budgets.keeper,
    tools: executor,
    guide: parts.guide,
    skills: parts.skills.forRuns,
    image,
    attachments,
    slices: parts.budgets.keeper.slices,
    mayChild,
    isRead,
    asks,
    removed: parts.removed,
    hasTool: (name) => parts.catalog.get(name) !== undefined,
    clock,
    goneBecause: parts.gate.goneBecause,
    speaksFor(by, { person }) {
      const writer = parts.people.known.find(by)
      return (person ?? firstOwnerId) === personOf(by) || (writer !== undefined && isAtLeast(writer.role, 'operator'))
    },
    speaker: (sessionId, by) => speakerOf({ store, isShared: (id) => shares.of(id).length > 0, nameOf }, sessionId, by),
    othersBegan: () => parts.forAnother(undefined),
    live,
    watchers,
    agents,
    profile,
    windowOf: models.windowOf,
    fallbacksOf: models.fallbacksOf,
    cutOff: models.cutOff,
    wrote: models.wrote,
    leftOutNow: models.leftOutNow,
    learnWindow: models.learnWindow,
    learnTalksOnly: models.learnTalksOnly,
    factsOf: models.factsOf,
    makers,
    contextReport: (sessionId) => reports.of(sessionId),
    // What JARVIS remembers was said by others, about everything.
    recall: async (message, agent, asker) =>
      parts.gate.sightOf(asker) === undefined ? redactor.value(await memory.recall(message, agent)) : { items: [] },
    used: models.used,
    ended(sessionId, entries, agent) {
      memory.learn(sessionId, entries, agent)
      namer.ended(sessionId, entries)
    },
    context,
    pending: (sessionId) => confirmations.pending(sessionId),
    questions: (sessionId) => questions.open(sessionId),
    seen: (sessionId) => confirmations.seen(sessionId),
    cancel: (toolUseId, by, note) => confirmations.cancel(toolUseId, by, note),
    recordRehearsal: (change) => journal.append('session', { ...change, change: 'rehearsal' }),
    redact: { ...redactor, stream: () => createStreamRedactor(redactor) },
    generate: ask,
    changed,
    report,
  })
  const reports = createReports({
    store,
    agents,
    isRead,
    asks,
    mayChild,
    clock,
    profile,
    makers,
    costOf: models.costOf,
    redact: redactor,
    models: models.choice,
    windowOf: models.windowOf,
    fallbacksOf: models.fallbacksOf,
    image,
    attachments,
    used: models.used,
    generate: (...args) =>
      ask(
        ...args,
        () => {},
        () => true,
      ),
    budgets: parts.budgets.keeper,
    serverOf: (name) => parts.catalog.get(name)?.attached?.server,
    catalogueOf(id) {
      const agent = agents.find(id)
      return agent === undefined ? '' : redactor.text(parts.skills.textFor(agent)).trim()
    },
    known: (sessionId) => {
      if (store.session(sessionId) === undefined)
        throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    },
  })
  const namer = createNamer({
    store,
    models: models.choice,
    mayName: models.mayName,
    fallbacksOf: models.fallbacksOf,
    redact: redactor.text,
    used: models.used,
    budgets: parts.budgets.keeper,
    name: runs.name,
    note: parts.sessions.note,
    report,
  })
  store.forgetReplies(oldBefore(clock, repliesKeptMs))

  return {
    runs: {
      ...runs,
      stop() {
        namer.stop()
        runs.stop()
      },
    },
    calls,
    kept,
    store,
    shares,
    attachments,
    /** A tool's picture, or one that a person attached. */
    picture: image,
    /** Schedules what waits until the process is idle: the list of sessions, and arguments that an earlier release stored with secrets. */
    scheduleIndex() {
      index.schedule()
      inputs.schedule()
    },
    routes: {
      sessions: sessionRoutes({
        runs,
        store,
        agents,
        list: createSessionList(database, index),
        sessions: createSessions({ store, models: models.choice, clock, changed }),
        pendingCounts: () => confirmations.pendingCounts(),
        redact: redactor,
        now,
        journal,
        note: parts.sessions.note,
        image: images.get,
        attachments,
        reports,
        shares,
        nameOf,
        reach: () => reach,
        goingBack: createGoingBack(store, memory.filesBack),
        streams: foundation.streams,
        programs: createProgramMessages({
          runs,
          store,
          now,
          sessions: {
            isOf,
            newId: (token) => newSessionId(token, newId('r').slice(2)),
            agentOf: ({ name }) => chosenFor(agents.list(), { door: 'v1', token: name })[0].agent,
            requireModel: (agent, model) => models.requireForProgram(agents.find(agent)?.model, model),
          },
        }),
      }),
    },
  }
}

export type ComposedRuns = ReturnType<typeof openRuns>
