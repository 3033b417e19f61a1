import { createWatchers } from '../agent/watchers.ts'
import type { Agents } from '../agents/agent.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import { createActivePolicy } from '../calls/active-policy.ts'
import { type ChangeStore, makerOf, previewFacts } from '../calls/changes/change.ts'
import { createChanges } from '../calls/changes/changes.ts'
import { createReturns } from '../calls/changes/returns.ts'
import { createConfirmations } from '../calls/confirmations/confirmations.ts'
import { createGrants } from '../calls/confirmations/grants.ts'
import { createExecutor } from '../calls/execute.ts'
import { createEffectsOf, createJudge, createSeeingJudge } from '../calls/judge.ts'
import { createLookAgain } from '../calls/look-again.ts'
import type { PlanStore } from '../calls/plans/plan.ts'
import { createPlans } from '../calls/plans/plans.ts'
import type { ExecutionStore, ImageStore } from '../calls/ports.ts'
import { createPreviews } from '../calls/previews.ts'
import { createQuestions } from '../calls/questions/questions.ts'
import type { RecordParts } from '../calls/records.ts'
import { createUnits } from '../calls/seen-units.ts'
import { createWays } from '../calls/way.ts'
import type { Config } from '../config/config.ts'
import { raisesOf, usualTier, type World } from '../gate/index.ts'
import { confirmationRoutes } from '../http/confirmations.ts'
import { executionRoutes } from '../http/executions.ts'
import { grantRoutes } from '../http/grants.ts'
import { questionRoutes } from '../http/questions.ts'
import { toolRoutes } from '../http/tools.ts'
import type { Card, Question } from '../protocol/index.ts'
import { createCallCounts } from '../store/sqlite/calls/call-counts.ts'
import { createConfirmationStore, createExecutionStore } from '../store/sqlite/calls/confirmations.ts'
import { createGrantStore } from '../store/sqlite/calls/grants.ts'
import { createQuestionStore } from '../store/sqlite/calls/questions.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Foundation } from './foundation.ts'
import type { ComposedHomelab } from './homelab.ts'

/** Wires the parts between a tool call and its effect: policy, judge, confirmations, grants, executor. */
export function composeGate(
  foundation: Foundation,
  parts: {
    config: Pick<Config, 'protectedTargets' | 'confirmTtlMs'>
    homelab: Pick<ComposedHomelab, 'homelab' | 'cluster' | 'shownAsProtected' | 'nodeRoles'>
    proofOf: World['proofOf']
    catalog: Catalog
    agents: Agents
    changeStore: ChangeStore
    planStore: PlanStore
    /** Stores a run that follows a plan. */
    addRun: Parameters<typeof createPlans>[0]['addRun']
    /** Starts a run of one command. */
    start: Parameters<typeof createReturns>[0]['start']
    images: ImageStore
    apiTokens: Pick<ApiTokens, 'list'>
    /** Lets tests watch or break the execution store. */
    executions: ((store: ExecutionStore) => ExecutionStore) | undefined
    /** Called with a session's waiting cards whenever they change. */
    waiting(sessionId: string, pending: Card[]): void
    /** The same with its open questions. */
    asking(sessionId: string, open: Question[]): void
    /** Called when a call runs that the policy wants told. */
    observed: Parameters<typeof createExecutor>[0]['observed']
    /** Called with the changes that go back soon whenever they may have changed. */
    goingBack: Parameters<typeof createReturns>[0]['soon']
    note: RecordParts['note'] & Parameters<typeof createQuestions>[0]['note']
  },
) {
  const { clock, now, database, settings, journal, redactor, redact, isStopping, report, activity } = foundation
  const { catalog, images, apiTokens, changeStore } = parts
  const { homelab, cluster, shownAsProtected, nodeRoles } = parts.homelab
  const stored = createExecutionStore(database)
  const executions = parts.executions?.(stored) ?? stored
  const policy = createActivePolicy({
    written: foundation.writtenPolicy,
    hasTool: (name) => catalog.get(name) !== undefined,
    protectedTargets: parts.config.protectedTargets,
    shownAsProtected,
    nodeRoles,
    settings,
    journal,
    transactions: database,
    announce(text, level) {
      foundation.announce('policy')(text, level)
      activity.changed({ what: 'settings' })
    },
  })
  const units = createUnits(cluster, clock)
  const madeBy = (vmid: number) => makerOf(changeStore, cluster.state(), vmid, now())
  const { proofOf } = parts
  const world = () => ({
    ...{ cluster: cluster.state(), policy: policy.current(), now: now(), unitOf: units.seen, madeBy },
    ...(proofOf && { proofOf }),
  })
  const previews = createPreviews(catalog, clock)
  const judge = createJudge(catalog, world, previews.seen, parts.agents)
  const seeingJudge = createSeeingJudge(judge, units.look, previews.look)
  const watchers = createWatchers(report)
  const effectsOf = createEffectsOf(catalog, world)
  /** Dependencies that several parts need. */
  const shared = {
    ...{ clock, redactor, redact, isStopping, report, world, judge, effectsOf, executions, images, cluster, catalog },
    ...{ journal, proof: journal.proof, transactions: database, store: createConfirmationStore(database) },
    ...{ ttlMs: parts.config.confirmTtlMs, isWatched: watchers.isWatched, note: parts.note },
    lookAgain: createLookAgain(cluster, units, effectsOf, previews.look),
    changed(sessionId: string) {
      activity.changed({ what: 'confirmations', sessionId })
      parts.waiting(sessionId, confirmations.pending(sessionId))
    },
  }
  const changed = () => {
    activity.changed({ what: 'changes' })
    if (!isStopping()) returns.look()
  }
  const changes = createChanges({ ...shared, store: changeStore, timers: homelab.networkTimers, changed })
  const returns = createReturns({
    ...shared,
    store: changeStore,
    isReached: (node) => cluster.state().nodes.some(({ name, status }) => name === node && status === 'online'),
    start: parts.start,
    soon: parts.goingBack,
    changed,
    announce: foundation.announce('call'),
  })
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
  const ways = createWays({ ...shared, changes, plans })
  const confirmations = createConfirmations({
    ...shared,
    ways,
    grants,
    arm: changeStore.arm,
    redactValue: redactor.value,
    // A token made again under the same name is another one: it has asked for nothing yet.
    isAskerKnown: ({ requestedBy: { token }, createdAt: askedAt }) =>
      token === undefined ||
      apiTokens
        .list()
        .some(
          ({ name, createdAt, expiresAt = Number.POSITIVE_INFINITY }) =>
            name === token && createdAt <= askedAt && expiresAt > now(),
        ),
  })
  const questions = createQuestions({
    ...shared,
    store: createQuestionStore(database),
    changed(sessionId) {
      activity.changed({ what: 'questions', sessionId })
      parts.asking(sessionId, questions.open(sessionId))
    },
  })
  const executor = createExecutor({
    ...shared,
    questions,
    observed: parts.observed,
    ways,
    seeingJudge,
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
    returns,
    plans,
    grants,
    calls,
    seeingJudge,
    effectsOf,
    lookAgain: shared.lookAgain,
    confirmations,
    questions,
    executor,
    watchers,
    routes: {
      confirmations: confirmationRoutes(confirmations, now),
      questions: questionRoutes(questions, now),
      grants: grantRoutes(grants),
      tools: toolRoutes({
        catalog,
        judge: seeingJudge,
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

export type Gate = ReturnType<typeof composeGate>
