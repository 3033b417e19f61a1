import type { Cluster } from 'homelab-ports/ports'
import type { Card, ClusterState, Principal, ToolCalls } from 'protocol'
import type { Decisions } from '../access/decisions.ts'
import type { GoneBecause } from '../agent/run/gone.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Watchers } from '../agent/watchers.ts'
import type { Agents } from '../agents/agent.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import { createOriginOf } from '../auth/public-origin.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { approveWords, raisesOf, usualTier, type World } from '../gate/index.ts'
import { builtInRoleNames } from '../gate/policy/roles-schema.ts'
import { leftOf } from '../homelab/operations/left-of.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { confirmationRoutes } from '../http/confirmations.ts'
import { executionRoutes } from '../http/executions.ts'
import { grantRoutes } from '../http/grants.ts'
import { questionRoutes } from '../http/questions.ts'
import { roleRoutes } from '../http/roles.ts'
import type { Route } from '../http/route.ts'
import { toolRoutes } from '../http/tools.ts'
import { CallCounts } from '../store/sqlite/calls/call-counts.ts'
import { SqliteExecutionStore } from '../store/sqlite/calls/confirmations.ts'
import { SqliteGrantStore } from '../store/sqlite/calls/grants.ts'
import { SqliteQuestionStore } from '../store/sqlite/calls/questions.ts'
import type { Catalog } from '../tools/catalog.ts'
import { homelabTools } from '../tools/homelab/index.ts'
import { questionTools } from '../tools/questions/index.ts'
import type { ToolContext } from '../tools/tool.ts'
import { ownPathsOf } from '../workbench/own-paths.ts'
import type { ActivePolicy } from './active-policy.ts'
import { ApprovedLater } from './changes/approved-later.ts'
import { type ChangeStore, makerOf, previewFacts } from './changes/change.ts'
import { Changes } from './changes/changes.ts'
import { Cards, type Confirmations } from './confirmations/confirmations.ts'
import { Glass } from './confirmations/glass.ts'
import { Grants } from './confirmations/grants.ts'
import { CallExecutor, type Executor } from './execute.ts'
import { createGoneBecause } from './gone-because.ts'
import {
  createEffectsOf,
  createJudge,
  createSeeingJudge,
  createTryingJudge,
  type EffectsOf,
  type TryingJudge,
} from './judge.ts'
import type { Judge, SeeingJudge } from './judgement.ts'
import { whyPowerUnknown } from './known-power.ts'
import { createLookAgain, type LookAgain } from './look-again.ts'
import { tellObserved } from './observed-notice.ts'
import type { People } from './people.ts'
import type { PlanStore } from './plans/plan.ts'
import { type PlanRunStart, Plans } from './plans/plans.ts'
import type { ConfirmationStore, ExecutionStore, ImageStore } from './ports.ts'
import { KeptPreviews } from './previews.ts'
import { OpenQuestions, type QuestionParts, type Questions } from './questions/questions.ts'
import { type RecordParts, unsignedCall } from './records.ts'
import { SeenUnits } from './seen-units.ts'
import type { StepParts } from './steps/parts.ts'
import { Ways } from './way.ts'
import { boundOf, sightOf } from './within-role.ts'

/** The parts between a tool call and its effect, as later rooms use them. */
export type Gate = {
  policy: ActivePolicy
  /** The state on which verdicts depend now. */
  world(): World & { cluster: ClusterState }
  judge: Judge
  seeingJudge: SeeingJudge
  tryingJudge: TryingJudge
  effectsOf: EffectsOf
  lookAgain: LookAgain
  executor: Executor
  confirmations: Confirmations
  grants: Grants
  questions: Questions
  changes: Changes
  plans: Plans
  /** Counts the calls by tool and hour. */
  calls(): Promise<ToolCalls>
  /** Returns why a principal may no longer ask for calls; undefined if it may. */
  goneBecause: GoneBecause
  /** Returns why the principal of a card may no longer ask for calls; undefined if it may. */
  cardGoneBecause(card: Card): string | undefined
  glass: Glass
  /** Returns a function that reduces the cluster to the part that the asking person may see; undefined: the person may see all of it. */
  sightOf(asker: Pick<Principal, 'person'>): ToolContext['sees']
}

export type GateNeeds = {
  foundation: Foundation
  facts: JarvisFacts
  config: Pick<Config, 'confirmTtlMs' | 'publicUrl'>
  /** The reason with which earlier changes are closed at the start of a demo, whose cluster is new at each start. Undefined outside such a demo. */
  newDemo: string | undefined
  policy: ActivePolicy
  homelab: Pick<ComposedHomelab, 'homelab' | 'cluster'>
  proofOf: World['proofOf']
  catalog: Catalog
  agents: Agents
  people: People
  store: ConfirmationStore
  changeStore: ChangeStore
  planStore: PlanStore
  transcripts: Pick<TranscriptStore, 'addRun'>
  images: ImageStore
  watchers: Pick<Watchers, 'isWatched'>
  apiTokens: Pick<ApiTokens, 'list'>
  reach: SessionReach
  /** Returns true if a person may ask for anything now. @param person undefined: the first owner */
  mayAsk(person: string | undefined): boolean
  decisions: Decisions
  /** Lets tests watch or break the execution store. */
  executions: ((store: ExecutionStore) => ExecutionStore) | undefined
  note: RecordParts['note'] & QuestionParts['note']
  /** Returns the outcome for the files that a call changes. */
  applied: StepParts['applied']
  keepFiles: StepParts['keepFiles']
}

/**
 * The parts between a tool call and its effect: judge, confirmations, grants, questions, changes, plans and executor. Emits the facts `notice.due`,
 * `cards.changed`, `questions.changed` and `changes.changed`.
 */
export const gateRoom = defineRoom({
  name: 'gate',
  open(needs: GateNeeds) {
    const gate = openGate(needs)
    return {
      gate,
      contributes: { tools: questionTools, routes: gateRoutes(gate, needs) },
      start() {
        gate.changes.prune()
        // The demo's cluster is new at each start, so earlier changes belong to a cluster that no longer exists.
        if (needs.newDemo !== undefined) gate.changes.close(needs.newDemo, demoTools)
        gate.plans.prune()
      },
      drain: () => gate.executor.idle(),
      stop() {
        gate.confirmations.stop()
        gate.questions.stop()
        gate.grants.stop()
      },
    }
  },
})

const demoTools = [...homelabTools.map(({ name }) => name), 'undo']

type Judges = Pick<
  Gate,
  'world' | 'judge' | 'seeingJudge' | 'tryingJudge' | 'effectsOf' | 'lookAgain' | 'goneBecause' | 'sightOf'
>

/** The parts that judge calls. */
function openJudges(needs: GateNeeds): Judges {
  const { foundation, policy, catalog, changeStore, people, proofOf } = needs
  const { clock, now } = foundation
  const { cluster } = needs.homelab
  const units = new SeenUnits(cluster, clock)
  const ownPaths = ownPathsOf(foundation.dataDir)
  const unitOf = (node: string, service: string) => units.seen(node, service)
  const madeBy = (vmid: number) => makerOf(changeStore, cluster.state(), { vmid, now: now() })
  const world = () => ({
    cluster: cluster.state(),
    policy: policy.current(),
    now: now(),
    unitOf,
    madeBy,
    proofOf,
    ownPaths,
  })
  const previews = new KeptPreviews(catalog, clock)
  const bounds = { agents: needs.agents, people }
  const judge = createJudge(catalog, world, { ...bounds, previewed: (...call) => previews.seen(...call) })
  const seeingJudge = createSeeingJudge({ judge, units, previews, readAfresh: unlessLost(cluster) })
  const effectsOf = createEffectsOf(catalog, world)
  return {
    world,
    judge,
    seeingJudge,
    tryingJudge: createTryingJudge(seeingJudge, createJudge(catalog, world, bounds), catalog),
    effectsOf,
    lookAgain: createLookAgain({ cluster, units, effectsOf, previews }),
    goneBecause: createGoneBecause({ ...needs, now }),
    sightOf: (asker: Pick<Principal, 'person'>) => sightOf(boundOf(people, asker, world()), world),
  }
}

/** Leaves out fresh reads while the cluster does not answer, because each call would wait for one. */
function unlessLost(cluster: Cluster): Cluster['readAfresh'] {
  const { readAfresh } = cluster
  if (readAfresh === undefined) return undefined
  return (vmid) =>
    cluster.state().unreachableSince === undefined ? readAfresh(vmid) : Promise.reject(new Error('lost'))
}

/** Dependencies that several parts need. */
function sharedBy(needs: GateNeeds, judges: Judges) {
  const { foundation, facts, store, decisions } = needs
  const { clock, database, journal, redactor, redact, isStopping, report, activity } = foundation
  const { homelab, cluster } = needs.homelab
  const cardsChanged = facts.teller('cards.changed')
  const stored = new SqliteExecutionStore(database)
  const { world, judge, effectsOf, lookAgain } = judges
  return {
    clock,
    redactor,
    redact,
    isStopping,
    report,
    world,
    judge,
    effectsOf,
    executions: needs.executions?.(stored) ?? stored,
    images: needs.images,
    cluster,
    catalog: needs.catalog,
    journal,
    proof: journal.proof,
    transactions: database,
    store,
    decisions,
    ttlMs: needs.config.confirmTtlMs,
    isWatched: (sessionId: string) => needs.watchers.isWatched(sessionId),
    note: needs.note,
    people: needs.people,
    async leftOf(vmid: number, signal: AbortSignal) {
      const guest = cluster.state().guests.find((one) => one.vmid === vmid)
      return guest === undefined ? '' : leftOf(homelab.api, guest, signal)
    },
    unsigned: (callId: string) => unsignedCall(store, decisions, callId),
    lookAgain,
    changed(sessionId: string) {
      activity.changed({ what: 'confirmations', sessionId })
      cardsChanged(store.pending(sessionId).map(({ card }) => card))
    },
  }
}

function openGate(needs: GateNeeds): Gate {
  const { foundation, facts, policy, changeStore } = needs
  const { now, database, settings, redactor, isStopping, report, activity } = foundation
  const { homelab, cluster } = needs.homelab
  const judges = openJudges(needs)
  const { goneBecause, effectsOf } = judges
  const questionsChanged = facts.teller('questions.changed')
  const notice = facts.teller('notice.due')
  const shared = sharedBy(needs, judges)
  const changesChanged = facts.teller('changes.changed')
  const announce = foundation.announce('call')
  const changes = new Changes({
    ...shared,
    store: changeStore,
    timers: homelab.networkTimers,
    changed() {
      activity.changed({ what: 'changes' })
      if (!isStopping()) changesChanged(undefined)
    },
  })
  const plans = new Plans({
    ...shared,
    store: needs.planStore,
    addRun: (run) => addPlanRun(needs.transcripts, run),
    changed: () => activity.changed({ what: 'runbooks' }),
  })
  const grants = new Grants({
    ...shared,
    store: new SqliteGrantStore(database),
    changed: () => activity.changed({ what: 'grants' }),
  })
  const ways = new Ways({ ...shared, changes, plans })
  const glass = new Glass({
    ...shared,
    changed: () => activity.changed({ what: 'settings' }),
    settings,
    announce,
    tell: (message) => notice({ notice: { ...message, kind: 'glass', level: 'failed' } }),
  })
  const cardGoneBecause = ({ requestedBy, createdAt }: Card) =>
    goneBecause(requestedBy, createdAt, { looksOnly: false })
  const confirmations = new Cards({
    ...shared,
    ways,
    grants,
    arm: (id, afterMs) => changeStore.arm(id, afterMs),
    mayBreakGlass: () => policy.current().mayBreakGlass,
    glassBroken: (told) => glass.broken(told),
    redactValue: redactor.value,
    goneBecause: cardGoneBecause,
    whyUnknown: ({ toolName, toolInput }) => whyPowerUnknown(effectsOf(toolName, toolInput), cluster.state()),
  })
  const questions = new OpenQuestions({
    ...shared,
    store: new SqliteQuestionStore(database),
    changed(sessionId) {
      activity.changed({ what: 'questions', sessionId })
      questionsChanged(questions.open(sessionId))
    },
  })
  const executor = new CallExecutor({
    ...shared,
    ways,
    confirmations,
    grants,
    changes,
    plans,
    questions,
    returns: new ApprovedLater({ ...shared, store: changeStore }),
    seeingJudge: judges.seeingJudge,
    sightOf: judges.sightOf,
    goneSince: (asker, since) => goneBecause(asker, since, { looksOnly: false }),
    applied: needs.applied,
    keepFiles: needs.keepFiles,
    observed: tellObserved({ announce, notice }),
    report: (error, toolName) => report(error, `${toolName} failed`),
  })
  const counts = new CallCounts(database, now)
  return {
    ...judges,
    policy,
    cardGoneBecause,
    changes,
    plans,
    grants,
    glass,
    confirmations,
    questions,
    executor,
    calls: () => counts.lastWeek(),
  }
}

function addPlanRun(transcripts: GateNeeds['transcripts'], { id, sessionId, plan, asker, at }: PlanRunStart): void {
  const origin = { kind: 'plan', plan, by: asker.name, asker } as const
  transcripts.addRun({ id, sessionId, status: 'running', at, origin })
}

function gateRoutes(gate: Gate, needs: GateNeeds): Route[] {
  const { reach, people, catalog, policy } = needs
  const { now, redactor } = needs.foundation
  const { confirmations, questions, grants, executor, tryingJudge, world } = gate
  return [
    ...confirmationRoutes({ confirmations, reach: () => reach, now, originOf: createOriginOf(needs.config.publicUrl) }),
    ...roleRoutes({
      roles: () => policy.current().roles,
      builtIn: builtInRoleNames,
      approveWords,
      people,
      judge: tryingJudge,
      redact: redactor.value,
    }),
    ...questionRoutes(questions, () => reach, now),
    ...grantRoutes(grants),
    ...toolRoutes({
      catalog,
      judge: tryingJudge,
      redact: redactor.value,
      previewOf: (ready) => previewFacts(ready, world(), redactor),
      tierOf: ({ name, tier }) => usualTier({ toolName: name, baseTier: tier }, policy.current()),
      raisesOf: ({ name, tier, touches, raises }) =>
        raisesOf({ toolName: name, baseTier: tier, touches, raises }, policy.current()),
      calls: gate.calls,
    }),
    ...executionRoutes(executor),
  ]
}
