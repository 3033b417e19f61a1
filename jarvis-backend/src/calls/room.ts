import type { Card, Principal } from 'protocol'
import type { GoneBecause } from '../agent/run/gone.ts'
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
import { defineRoom, type FactTypes, type JarvisFacts } from '../house.ts'
import { confirmationRoutes } from '../http/confirmations.ts'
import { executionRoutes } from '../http/executions.ts'
import { grantRoutes } from '../http/grants.ts'
import { questionRoutes } from '../http/questions.ts'
import { roleRoutes } from '../http/roles.ts'
import type { Route } from '../http/route.ts'
import { toolRoutes } from '../http/tools.ts'
import type { Decisions } from '../signing/decisions.ts'
import { createCallCounts } from '../store/sqlite/calls/call-counts.ts'
import { type createConfirmationStore, createExecutionStore } from '../store/sqlite/calls/confirmations.ts'
import { createGrantStore } from '../store/sqlite/calls/grants.ts'
import { createQuestionStore } from '../store/sqlite/calls/questions.ts'
import type { Catalog } from '../tools/catalog.ts'
import { homelabTools } from '../tools/homelab/index.ts'
import { questionTools } from '../tools/questions/index.ts'
import { ownPathsOf } from '../workbench/own-paths.ts'
import type { ActivePolicy } from './active-policy.ts'
import { createApprovedLater } from './changes/approved-later.ts'
import { type ChangeStore, makerOf, previewFacts } from './changes/change.ts'
import { createChanges } from './changes/changes.ts'
import { createConfirmations } from './confirmations/confirmations.ts'
import { createGlass } from './confirmations/glass.ts'
import { createGrants } from './confirmations/grants.ts'
import { createExecutor } from './execute.ts'
import { createEffectsOf, createJudge, createSeeingJudge, createTryingJudge } from './judge.ts'
import { whyPowerUnknown } from './known-power.ts'
import { createLookAgain } from './look-again.ts'
import { tellObserved } from './observed-notice.ts'
import type { People } from './people.ts'
import type { PlanStore } from './plans/plan.ts'
import { createPlans } from './plans/plans.ts'
import type { ExecutionStore, ImageStore } from './ports.ts'
import { createPreviews } from './previews.ts'
import { createQuestions } from './questions/questions.ts'
import { type RecordParts, unsignedCall } from './records.ts'
import { createUnits } from './seen-units.ts'
import { createWays } from './way.ts'
import { boundOf, sightOf } from './within-role.ts'

type GateParts = Parameters<typeof openGate>[1]
type Told = 'notice' | 'cardsChanged' | 'questionsChanged' | 'changesChanged'

/**
 * The parts between a tool call and its effect: judge, confirmations, grants, questions, changes, plans and executor. Tells `notice.due`,
 * `cards.changed`, `questions.changed` and `changes.changed`.
 */
export const gateRoom = defineRoom({
  name: 'gate',
  open(needs: { foundation: Foundation; facts: JarvisFacts; newDemo: string | undefined } & Omit<GateParts, Told>) {
    const { foundation, facts, newDemo, ...parts } = needs
    const questionsChanged = facts.teller('questions.changed')
    const gate = openGate(foundation, {
      ...parts,
      questionsChanged,
      notice: facts.teller('notice.due'),
      cardsChanged: facts.teller('cards.changed'),
      changesChanged: facts.teller('changes.changed'),
    })
    return {
      gate,
      contributes: {
        tools: questionTools,
        routes: Object.values<readonly Route[]>(gate.routes).flat(),
      },
      start() {
        gate.changes.prune()
        // The demo's cluster is made anew by each start, so earlier changes are of a cluster that is gone.
        if (newDemo !== undefined) gate.changes.close(newDemo, demoTools)
        gate.plans.prune()
      },
      drain: gate.executor.idle,
      stop() {
        gate.confirmations.stop()
        gate.questions.stop()
        gate.grants.stop()
      },
    }
  },
})

const demoTools = [...homelabTools.map(({ name }) => name), 'undo']

function openGate(
  foundation: Foundation,
  parts: {
    config: Pick<Config, 'confirmTtlMs'>
    policy: ActivePolicy
    homelab: Pick<ComposedHomelab, 'homelab' | 'cluster'>
    proofOf: World['proofOf']
    catalog: Catalog
    agents: Agents
    people: People
    notice(due: FactTypes['notice.due']): void
    store: ReturnType<typeof createConfirmationStore>
    changeStore: ChangeStore
    planStore: PlanStore
    /** Stores a run that follows a plan. */
    addRun: Parameters<typeof createPlans>[0]['addRun']
    images: ImageStore
    watchers: Pick<Watchers, 'isWatched'>
    apiTokens: Pick<ApiTokens, 'list'>
    reach: SessionReach
    /** Whether a person may ask for anything now; undefined: the first owner. */
    mayAsk(person: string | undefined): boolean
    decisions: Decisions
    publicUrl: string | undefined
    /** Lets tests watch or break the execution store. */
    executions: ((store: ExecutionStore) => ExecutionStore) | undefined
    cardsChanged(cards: FactTypes['cards.changed']): void
    questionsChanged(questions: FactTypes['questions.changed']): void
    changesChanged(nothing: FactTypes['changes.changed']): void
    note: RecordParts['note'] & Parameters<typeof createQuestions>[0]['note']
    /** What became of the files that a call changes. */
    applied: Parameters<typeof createExecutor>[0]['applied']
  },
) {
  const { clock, now, database, settings, journal, redactor, redact, isStopping, report, activity } = foundation
  const { policy, catalog, images, apiTokens, changeStore, store } = parts
  const { homelab, cluster } = parts.homelab
  const stored = createExecutionStore(database)
  const executions = parts.executions?.(stored) ?? stored
  const units = createUnits(cluster, clock)
  const madeBy = (vmid: number) => makerOf(changeStore, cluster.state(), vmid, now())
  const { proofOf } = parts
  const ownPaths = ownPathsOf(foundation.dataDir)
  const world = () => ({
    cluster: cluster.state(),
    policy: policy.current(),
    now: now(),
    unitOf: units.seen,
    madeBy,
    proofOf,
    ownPaths,
  })
  const previews = createPreviews(catalog, clock)
  const judge = createJudge(catalog, world, previews.seen, parts.agents, parts.people)
  const { readAfresh } = cluster
  // While the cluster does not answer, each call would wait for it.
  const unlessLost = (vmid?: number) =>
    cluster.state().unreachableSince === undefined && readAfresh !== undefined
      ? readAfresh(vmid)
      : Promise.reject(new Error('lost'))
  const seeingJudge = createSeeingJudge(judge, units.look, previews.look, readAfresh && unlessLost)
  const bareJudge = createJudge(catalog, world, undefined, parts.agents, parts.people)
  const tryingJudge = createTryingJudge(seeingJudge, bareJudge, catalog)
  const { watchers } = parts
  const effectsOf = createEffectsOf(catalog, world)
  const { decisions } = parts
  /** Dependencies that several parts need. */
  const shared = {
    clock,
    redactor,
    redact,
    isStopping,
    report,
    world,
    judge,
    effectsOf,
    executions,
    images,
    cluster,
    catalog,
    journal,
    proof: journal.proof,
    transactions: database,
    store,
    decisions,
    ttlMs: parts.config.confirmTtlMs,
    isWatched: watchers.isWatched,
    note: parts.note,
    people: parts.people,
    async leftOf(vmid: number, signal: AbortSignal) {
      const guest = cluster.state().guests.find((one) => one.vmid === vmid)
      return guest === undefined ? '' : leftOf(homelab.api, guest, signal)
    },
    unsigned: (callId: string) => unsignedCall(store, decisions, callId),
    lookAgain: createLookAgain(cluster, units, effectsOf, previews.look),
    changed(sessionId: string) {
      activity.changed({ what: 'confirmations', sessionId })
      parts.cardsChanged(confirmations.pending(sessionId))
    },
  }
  const changed = () => {
    activity.changed({ what: 'changes' })
    if (!isStopping()) parts.changesChanged(undefined)
  }
  const changes = createChanges({ ...shared, store: changeStore, timers: homelab.networkTimers, changed })
  const returns = createApprovedLater({ ...shared, store: changeStore })
  const plans = createPlans({
    ...shared,
    store: parts.planStore,
    addRun: parts.addRun,
    changed: () => activity.changed({ what: 'runbooks' }),
  })
  const grants = createGrants({
    ...shared,
    store: createGrantStore(database),
    changed: () => activity.changed({ what: 'grants' }),
  })
  const goneBecause: GoneBecause = ({ token, person }, askedAt, looksOnly, sessionId) => {
    const isThere = looksOnly ? parts.people.find(person) !== undefined : parts.mayAsk(person)
    if (!isThere) return 'Whoever asked for it may not ask any more.'
    const asker = sessionId === undefined ? undefined : parts.people.find(person)
    if (sessionId !== undefined && asker !== undefined && !parts.reach.mayTalk(asker, sessionId))
      return 'The conversation is no longer shared with whoever asked.'
    if (token === undefined) return undefined
    // A token made again under the same name is another one: it has asked for nothing yet.
    const known = apiTokens.list().find(({ name, createdAt }) => name === token && createdAt <= askedAt)
    if (known === undefined) return 'Its token was revoked.'
    return (known.expiresAt ?? Number.POSITIVE_INFINITY) > now() ? undefined : 'Its token has expired.'
  }
  const cardGoneBecause = ({ requestedBy, createdAt }: Card) => goneBecause(requestedBy, createdAt, false)
  const ways = createWays({ ...shared, changes, plans })
  const glass = createGlass({
    ...shared,
    changed: () => activity.changed({ what: 'settings' }),
    settings,
    announce: foundation.announce('call'),
    tell: (message) => parts.notice({ notice: { ...message, kind: 'glass', level: 'failed' } }),
  })
  const confirmations = createConfirmations({
    ...shared,
    ways,
    grants,
    arm: changeStore.arm,
    mayBreakGlass: () => policy.current().mayBreakGlass,
    glassBroken: glass.broken,
    redactValue: redactor.value,
    goneBecause: cardGoneBecause,
    whyUnknown: ({ toolName, toolInput }) => whyPowerUnknown(effectsOf(toolName, toolInput), cluster.state()),
  })
  const questions = createQuestions({
    ...shared,
    store: createQuestionStore(database),
    changed(sessionId) {
      activity.changed({ what: 'questions', sessionId })
      parts.questionsChanged(questions.open(sessionId))
    },
  })
  /** The part of the cluster that the person may see in whose name is asked; undefined: all of it. */
  const sightFor = (asker: Pick<Principal, 'person'>) => sightOf(boundOf(parts.people, asker, world()), world)
  const executor = createExecutor({
    ...shared,
    questions,
    observed: tellObserved({ announce: foundation.announce('call'), notice: parts.notice }),
    applied: parts.applied,
    ways,
    seeingJudge,
    sightOf: sightFor,
    goneSince: (asker, since) => goneBecause(asker, since, false),
    confirmations,
    grants,
    returns,
    changes,
    plans,
    report: (error, toolName) => report(error, `${toolName} failed`),
  })
  const calls = createCallCounts(database, now)
  return {
    policy,
    judge,
    world,
    changes,
    plans,
    grants,
    calls,
    seeingJudge,
    tryingJudge,
    effectsOf,
    lookAgain: shared.lookAgain,
    confirmations,
    goneBecause,
    cardGoneBecause,
    questions,
    executor,
    glass,
    sightOf: sightFor,
    routes: {
      confirmations: confirmationRoutes(confirmations, () => parts.reach, now, createOriginOf(parts.publicUrl)),
      roles: roleRoutes({
        roles: () => policy.current().roles,
        builtIn: builtInRoleNames,
        approveWords,
        people: parts.people,
        judge: tryingJudge,
        redact: redactor.value,
      }),
      questions: questionRoutes(questions, () => parts.reach, now),
      grants: grantRoutes(grants),
      tools: toolRoutes({
        catalog,
        judge: tryingJudge,
        redact: redactor.value,
        previewOf: (ready) => previewFacts(ready, world(), redactor),
        tierOf: ({ name, tier }) => usualTier({ toolName: name, baseTier: tier }, policy.current()),
        raisesOf: ({ name, tier, touches, raises }) =>
          raisesOf({ toolName: name, baseTier: tier, touches, raises }, policy.current()),
        calls,
      }),
      executions: executionRoutes(executor),
    },
  }
}

export type Gate = ReturnType<typeof openGate>
