import {
  type Alert,
  type CheckpointFile,
  type ClusterState,
  firstOwnerId,
  JarvisError,
  type Principal,
  personOf,
} from 'protocol'
import type { ActiveAgents } from '../agents/active.ts'
import { type Agent, isOffered } from '../agents/agent.ts'
import { chosenFor, requireOpenTo } from '../agents/bindings.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { ComposedPeople } from '../auth/room.ts'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { StoredChange } from '../calls/changes/change.ts'
import type { ImageStore } from '../calls/ports.ts'
import type { Gate } from '../calls/room.ts'
import { waitingCounts } from '../calls/waiting.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { createStreamRedactor } from '../gate/index.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { clusterSummary } from '../homelab/summary.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { createProgramMessages } from '../http/program-messages.ts'
import type { Route } from '../http/route.ts'
import { sessionRoutes } from '../http/sessions.ts'
import { oldBefore } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { onceFor } from '../lib/once-for.ts'
import type { ComposedMemory } from '../memory/room.ts'
import type { ComposedModels } from '../providers/choice/models.ts'
import type { ComposedSkills } from '../skills/room.ts'
import { SqliteAttachmentStore } from '../store/sqlite/sessions/attachments.ts'
import { SqliteKeptRunStore } from '../store/sqlite/sessions/kept-runs.ts'
import { InputsRedaction } from '../store/sqlite/sessions/redact-inputs.ts'
import { SessionIndex } from '../store/sqlite/sessions/session-index.ts'
import { SqliteSessionList } from '../store/sqlite/sessions/session-list.ts'
import { type Catalog, modelSchemaOf } from '../tools/catalog.ts'
import { sessionTools } from '../tools/sessions/index.ts'
import type { SessionLine, SessionPorts } from '../tools/sessions/session-tool.ts'
import { type Tool, withPorts } from '../tools/tool.ts'
import { isOf, newSessionId } from '../v1/token.ts'
import { Attachments } from './attachments.ts'
import type { Calls } from './calls.ts'
import { grantFacts } from './context/facts/grants.ts'
import { entryFacts } from './context/facts/index.ts'
import { createGoingBack, type FileChanges } from './context/going-back.ts'
import { Reports } from './context/reports.ts'
import { storedResult } from './context/stored-result.ts'
import type { ModelImage, ToolSpec } from './model.ts'
import { withOwnNames } from './offered-words.ts'
import { asClusterData } from './persona.ts'
import type { Askers, Guide, Prompts, RunModels, ToolFacts, WaitingCards } from './ports.ts'
import { askingModels } from './retry.ts'
import type { RunProfile } from './run.ts'
import { Runs } from './runs.ts'
import { type KeptRunStore, keptRunMs } from './sessions/kept-runs.ts'
import { Namer } from './sessions/name-session.ts'
import { RememberedSessions } from './sessions/remembered.ts'
import type { ComposedSessions } from './sessions/room.ts'
import type { ListedSession, SessionList } from './sessions/session-list.ts'
import { createSessions } from './sessions/sessions.ts'
import type { Shares } from './sessions/shares.ts'
import type { TranscriptStore } from './sessions/transcript-store.ts'
import { speakerOf } from './speaker.ts'

/** The time for which replies are stored, so that a repeated request with the same id gets the same reply, ms. */
const repliesKeptMs = 7 * 24 * 60 * 60_000

type Needs = {
  config: Pick<Config, 'historyLimit' | 'maxTurns'>
  catalog: Catalog
  agents: ActiveAgents
  promptOf(agent: Agent): string
  images: ImageStore
  homelab: Pick<ComposedHomelab, 'cluster'>
  memory: Pick<ComposedMemory, 'recall' | 'learn' | 'filesBack'>
  models: RunModels & Pick<ComposedModels, 'mayName' | 'requireForProgram'>
  gate: Pick<Gate, 'changes' | 'confirmations' | 'executor' | 'questions' | 'grants' | 'sightOf' | 'goneBecause'>
  budgets: Pick<ComposedBudgets, 'keeper'>
  guide: Guide
  sessions: ComposedSessions
  people: Pick<ComposedPeople, 'people' | 'known'>
  skills: Pick<ComposedSkills, 'standing' | 'opening' | 'toolFor' | 'textFor'>
  /** Returns the current alerts; the same array until an alert changes. */
  alerts(): readonly Alert[]
  /** Called after a session was deleted. */
  removed(sessionId: string): void
  /** Called after a session was branched. @param branch.later calls after the point of the branch, the newest first @returns files that could not go back */
  branched(branch: {
    from: string
    to: string
    later: readonly { toolUseId: string; files: readonly string[] }[]
  }): Promise<CheckpointFile[]>
}

/** The parts that later rooms and the interfaces use. */
export type ComposedRuns = {
  runs: Runs
  calls: Calls
  kept: KeptRunStore
  store: TranscriptStore
  shares: Shares
  attachments: Attachments
  /** Returns a picture that a tool returned or a person attached. */
  picture(sessionId: string, id: string): ModelImage | undefined
}

/** The room of runs: the agent loop with its models, limits and prompts, and the routes of sessions. Publishes the fact `run.for_another`. */
export const runsRoom = defineRoom({
  name: 'runs',
  open({ foundation, facts, ...needs }: { foundation: Foundation; facts: JarvisFacts } & Needs) {
    const { clock, database, held, journal, log, redactor, report, activity, later } = foundation
    const { agents, catalog, gate, images, models, memory } = needs
    const { transcripts: store, live, watchers, shares, note } = needs.sessions
    const budgets = needs.budgets.keeper
    const inputs = new InputsRedaction(database, { held, redact: redactor.value, later, report })
    const kept = new SqliteKeptRunStore(database, () => oldBefore(clock, keptRunMs))
    const attachments = new Attachments({
      store: new SqliteAttachmentStore(database),
      clock,
      redact: redactor.text,
      redactLater: redactor.later,
    })
    const image = (sessionId: string, id: string) => pictureOf({ attachments, images }, sessionId, id)
    const index = new SessionIndex(database, { costOf: models.costOf, later, report })
    const list = new SqliteSessionList(database, index)
    const changed = (sessionId: string) => {
      index.changed(sessionId)
      activity.changed({ what: 'sessions', sessionId })
    }
    const toolFacts = toolFactsOf(catalog)
    const prompts = new RunPrompts({ ...needs, redact: redactor.value })
    const redact = { ...redactor, stream: () => createStreamRedactor(redactor) }
    const reports = new Reports({
      store,
      agents,
      models,
      toolFacts,
      prompts,
      image,
      attachments,
      serverOf: (name) => catalog.get(name)?.attached?.server,
      catalogueOf: (id) => redactor.text(skillsTextOf(needs, id)).trim(),
      known: (sessionId) => requireSession(store, sessionId),
    })
    const namer = new Namer({ store, live, models, redact: redactor.text, budgets, note, changed, report })
    const forAnother = facts.teller('run.for_another')
    const runs = new Runs({
      store,
      live,
      watchers,
      kept,
      models,
      agents,
      budgets,
      tools: gate.executor,
      toolFacts,
      prompts,
      skills: needs.skills,
      askers: askersOf(needs),
      image,
      attachments,
      makers: [...entryFacts, grantFacts(gate.grants, foundation.now, (id) => store.session(id)?.person)],
      guide: needs.guide,
      contextReport: (sessionId) => reports.of(sessionId),
      cards: cardsOf(gate),
      listener: {
        ended(sessionId, entries, agent) {
          memory.learn(sessionId, entries, agent)
          namer.ended(sessionId, entries)
        },
        othersBegan: () => forAnother(undefined),
        changed,
        removed: (sessionId) => needs.removed(sessionId),
        rehearsal: (change) => void journal.append('session', { ...change, change: 'rehearsal' }),
      },
      generate: askingModels(models, clock, (text) => log(text, 'warning')),
      clock,
      redact,
      report,
    })
    store.forgetReplies(oldBefore(clock, repliesKeptMs))
    const sessions: ComposedRuns = { runs, calls: runs.calls, kept, store, shares, attachments, picture: image }
    return {
      sessions,
      contributes: {
        tools: withPorts(sessionTools, sessionPortsOf(needs, list, attachments)),
        routes: routesOf({ foundation, needs, sessions, reports, changed, list }),
      },
      /**
       * Schedules work for when the process is idle: building the list of sessions, and removing secrets from arguments that an earlier release
       * stored.
       */
      start() {
        index.schedule()
        inputs.schedule()
      },
      drain() {
        namer.stop()
        runs.stop()
      },
      stop: () => runs.storeSeq(),
    }
  },
})

/** The ports by which models read results and conversations, the latter only if the person whom they serve may read them. */
function sessionPortsOf(
  { agents, people, sessions: { transcripts: store, reach, nameOf } }: Pick<Needs, 'agents' | 'people' | 'sessions'>,
  list: SessionList,
  attachments: Attachments,
): SessionPorts {
  const remembered = new RememberedSessions({
    list,
    store,
    agents,
    nameOf,
    sightOf(id = firstOwnerId) {
      const person = people.known.find(id)
      if (person === undefined) return undefined
      const isAll = isAtLeast(person.role, 'operator')
      return { ...(!isAll && { person: person.id }), reads: (sessionId) => reach.reads(person, sessionId) }
    },
  })
  return {
    readResult: (sessionId, toolUseId, offset) =>
      storedResult({ store, attachments }, sessionId, { toolUseId, offset }),
    listSessions: (query, asker) => remembered.find(query, asker).map(lineOf),
    readSession: (id, from, asker) => remembered.read(id, from, asker),
  }
}

/** The files of a change in a root, and the reason why it cannot be taken back; undefined if the change is not about files. */
function fileChangeOf(change: StoredChange | undefined): FileChanges | undefined {
  if (change === undefined || !change.target.id.startsWith('path/')) return undefined
  const { undo, state, target } = change
  const files = undo.kind === 'call' && Array.isArray(undo.input.files) ? undo.input.files : []
  const paths = files.flatMap((file: unknown) =>
    typeof file === 'object' && file !== null && 'path' in file ? String(file.path) : [],
  )
  const because =
    undo.kind === 'none'
      ? undo.because
      : state === 'undone' || state === 'undoing'
        ? 'It was taken back before.'
        : undefined
  return { paths: paths.length > 0 ? paths : [target.id.slice('path/'.length)], because }
}

const lineOf = ({ id, title, agent, updatedAt, messages, preview, found }: ListedSession): SessionLine => ({
  id,
  title,
  agent,
  updatedAt,
  messages,
  preview: found?.text ?? preview ?? '',
})

/** Checks that a session exists. @throws JarvisError `unknown_session` */
function requireSession(store: Pick<TranscriptStore, 'session'>, sessionId: string): void {
  if (store.session(sessionId) === undefined)
    throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
}

const skillsTextOf = ({ agents, skills }: Pick<Needs, 'agents' | 'skills'>, id: string): string => {
  const agent = agents.find(id)
  return agent === undefined ? '' : skills.textFor(agent)
}

const cardsOf = ({ confirmations, questions }: Pick<Gate, 'confirmations' | 'questions'>): WaitingCards => ({
  pending: (sessionId) => confirmations.pending(sessionId),
  questions: (sessionId) => questions.open(sessionId),
  seen: (sessionId) => confirmations.seen(sessionId),
  cancel: (...of) => confirmations.cancel(...of),
})

const askersOf = ({
  gate,
  people,
  sessions: { transcripts: store, shares, nameOf },
}: Pick<Needs, 'gate' | 'people' | 'sessions'>): Askers => ({
  goneBecause: (...of) => gate.goneBecause(...of),
  speaksFor(by, { person }) {
    const writer = people.known.find(by)
    return (person ?? firstOwnerId) === personOf(by) || (writer !== undefined && isAtLeast(writer.role, 'operator'))
  },
  speaker: (sessionId, by) => speakerOf({ store, isShared: (id) => shares.of(id).length > 0, nameOf }, sessionId, by),
})

type Specs = readonly { tool: Tool; spec: ToolSpec }[]

/** The prompts, tools and texts of runs. */
class RunPrompts implements Prompts {
  readonly #needs: Needs & { redact<T>(value: T): T }
  /** The specifications of all tools, made again when the catalogue changes. */
  readonly #specs: () => Specs
  readonly #offered = new WeakMap<Agent, { specs: Specs; skillTool: Tool | undefined; offered: readonly ToolSpec[] }>()
  readonly #shared = new WeakMap<readonly ToolSpec[], { asking: readonly ToolSpec[]; shared: readonly ToolSpec[] }>()
  readonly #worded = new WeakMap<readonly ToolSpec[], readonly ToolSpec[]>()
  #summary: { state: ClusterState; alerts: readonly Alert[]; text: string } | undefined

  constructor(needs: Needs & { redact<T>(value: T): T }) {
    this.#needs = needs
    this.#specs = onceFor(
      () => needs.catalog.list(),
      (tools) => tools.map((tool) => ({ tool, spec: specOf(tool) })),
    )
  }

  profile({ effort: chosen, agent: id, askedBy = id }: Parameters<Prompts['profile']>[0]): RunProfile {
    const { agents, promptOf, config } = this.#needs
    const limits = { history: config.historyLimit, turns: config.maxTurns }
    const agent = agents.find(id)
    const asking = agents.find(askedBy)
    // If the agent was removed, its open calls are settled as refused and its models are not called.
    if (agent === undefined || asking === undefined) return { prompt: '', tools: [], limits }
    const own = this.#specsFor(agent)
    const tools = this.#named(asking === agent ? own : this.#sharedBy(own, this.#specsFor(asking)))
    const { temperature, maxTokens: mostTokens } = agent
    return { prompt: promptOf(agent), tools, limits, effort: chosen ?? agent.effort, temperature, mostTokens }
  }

  context(asker: Principal): string {
    const { gate, homelab, alerts: alertsOf } = this.#needs
    // Alerts are about the whole cluster, so an asker who may see only part of it gets none.
    const sees = gate.sightOf(asker)
    const state = homelab.cluster.state()
    if (sees !== undefined) return asClusterData(clusterSummary(sees(state), []))
    const alerts = alertsOf()
    if (this.#summary?.state !== state || this.#summary.alerts !== alerts)
      this.#summary = { state, alerts, text: asClusterData(clusterSummary(state, alerts)) }
    return this.#summary.text
  }

  /**
   * Recalls passages of the memory. Other people wrote these passages, about the whole cluster, so an asker who may see only part of the cluster
   * gets none. Of conversations, only the asker's other ones are recalled.
   */
  async recall(
    message: string,
    { agent, sessionId, asker }: Parameters<Prompts['recall']>[1],
  ): ReturnType<Prompts['recall']> {
    const { gate, memory, redact, sessions } = this.#needs
    if (gate.sightOf(asker) !== undefined) return { items: [] }
    const { person = firstOwnerId } = asker
    const mayRecall = (id: string) => {
      const other = id === sessionId ? undefined : sessions.transcripts.session(id)
      return other !== undefined && (other.person ?? firstOwnerId) === person
    }
    return redact(await memory.recall(message, agent, mayRecall))
  }

  /** The specifications of an agent's tools: the same array until the catalogue, the agent or its skills change. */
  #specsFor(agent: Agent): readonly ToolSpec[] {
    const specs = this.#specs()
    // The description of this tool lists the skills of this agent.
    const skillTool = this.#needs.skills.toolFor(agent)
    const known = this.#offered.get(agent)
    if (known?.specs === specs && known.skillTool === skillTool) return known.offered
    const offered = specs.flatMap(({ tool, spec }) => {
      if (!isOffered(agent, tool)) return []
      if (!tool.isApprovedText) return [spec]
      return skillTool === undefined ? [] : [skillTool === tool ? spec : specOf(skillTool)]
    })
    this.#offered.set(agent, { specs, skillTool, offered })
    return offered
  }

  /** Returns tools whose descriptions name no others: the same array for the same array. */
  #named(tools: readonly ToolSpec[]): readonly ToolSpec[] {
    const known = this.#worded.get(tools)
    if (known !== undefined) return known
    const worded = withOwnNames(tools, new Set(this.#specs().map(({ tool }) => tool.name)))
    this.#worded.set(tools, worded)
    return worded
  }

  /** Returns the specifications of the tools that both agents may use: the same array until one of the agents’ tools changes. */
  #sharedBy(own: readonly ToolSpec[], asking: readonly ToolSpec[]): readonly ToolSpec[] {
    const known = this.#shared.get(own)
    if (known?.asking === asking) return known.shared
    const theirs = new Set(asking)
    const shared = own.filter((spec) => theirs.has(spec))
    this.#shared.set(own, { asking, shared })
    return shared
  }
}

const specOf = (tool: Tool): ToolSpec => ({
  name: tool.name,
  description: tool.description,
  inputSchema: modelSchemaOf(tool),
})

const toolFactsOf = (catalog: Catalog): ToolFacts => ({
  has: (name) => catalog.get(name) !== undefined,
  isRead: (name) => catalog.get(name)?.tier === 'green',
  asks: (name) => catalog.get(name)?.asks === true,
  mayChild: (name) => catalog.get(name)?.startsPlan !== true,
})

/** Returns a picture that a tool returned or a person attached; undefined for an attached text. */
function pictureOf(
  { attachments, images }: { attachments: Attachments; images: ImageStore },
  sessionId: string,
  id: string,
): ModelImage | undefined {
  const found = attachments.read(sessionId, id)
  if (found === undefined) return images.get(sessionId, id)
  const { mimeType } = found.attachment
  return mimeType === 'text/plain' ? undefined : { mimeType, data: found.data }
}

function routesOf({
  foundation: { clock, now, journal, redactor, streams },
  needs: { agents, models, gate, images, memory, branched, sessions: parts },
  sessions: { runs, store, attachments, shares },
  reports,
  changed,
  list,
}: {
  foundation: Foundation
  needs: Needs
  sessions: ComposedRuns
  reports: Reports
  changed(sessionId: string): void
  list: SessionList
}): readonly Route[] {
  const { nameOf, note, reach } = parts
  return sessionRoutes({
    runs,
    store,
    agents,
    list,
    sessions: createSessions({ store, models: models.choice, clock, changed }),
    waitingCounts: () => waitingCounts(gate),
    redact: redactor,
    now,
    journal,
    note,
    image: (sessionId, id) => images.get(sessionId, id),
    attachments,
    reports,
    shares,
    nameOf,
    reach: () => reach,
    goingBack: createGoingBack(store, memory.filesBack, {
      of: (toolUseId) => fileChangeOf(gate.changes.get(toolUseId)),
      undo: (sessionId, toolUseId, by) =>
        void runs.start({ sessionId, text: `/undo change=${JSON.stringify(toolUseId)}`, by }),
    }),
    branched,
    streams,
    programs: createProgramMessages({
      runs,
      store,
      now,
      sessions: {
        isOf,
        newId: (token) => newSessionId(token, newId('r').slice(2)),
        agentOf({ name }, named) {
          if (named !== undefined) requireOpenTo(agents.list(), name, named)
          return named ?? chosenFor(agents.list(), { door: 'v1', token: name })[0].agent
        },
        requireModel: (agent, model) => models.requireForProgram(agents.find(agent)?.model, model),
      },
    }),
  })
}
