import type { GoneBecause } from '../agent/run/gone.ts'
import { createWatchers } from '../agent/watchers.ts'
import type { Agents } from '../agents/agent.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import { createOriginOf } from '../auth/public-origin.ts'
import type { SessionReach } from '../auth/reach.ts'
import { createActivePolicy } from '../calls/active-policy.ts'
import { type ChangeStore, makerOf, previewFacts } from '../calls/changes/change.ts'
import { createChanges } from '../calls/changes/changes.ts'
import { createReturns } from '../calls/changes/returns.ts'
import { createAskers } from '../calls/confirmations/askers.ts'
import { createConfirmations } from '../calls/confirmations/confirmations.ts'
import { createGlass } from '../calls/confirmations/glass.ts'
import { createGrants } from '../calls/confirmations/grants.ts'
import { createExecutor } from '../calls/execute.ts'
import { createEffectsOf, createJudge, createSeeingJudge, createTryingJudge } from '../calls/judge.ts'
import { whyPowerUnknown } from '../calls/known-power.ts'
import { createLookAgain } from '../calls/look-again.ts'
import type { People } from '../calls/people.ts'
import type { PlanStore } from '../calls/plans/plan.ts'
import { createPlans } from '../calls/plans/plans.ts'
import type { ExecutionStore, ImageStore } from '../calls/ports.ts'
import { createPreviews } from '../calls/previews.ts'
import { createQuestions } from '../calls/questions/questions.ts'
import { type RecordParts, unsignedCall } from '../calls/records.ts'
import { createUnits } from '../calls/seen-units.ts'
import { createWays } from '../calls/way.ts'
import { boundOf, sightOf } from '../calls/within-role.ts'
import type { Config } from '../config/config.ts'
import { approveWords, raisesOf, usualTier, type World } from '../gate/index.ts'
import { builtInRoleNames } from '../gate/policy/roles-schema.ts'
import { leftOf } from '../homelab/operations/left-of.ts'
import { confirmationRoutes } from '../http/confirmations.ts'
import { executionRoutes } from '../http/executions.ts'
import { grantRoutes } from '../http/grants.ts'
import { questionRoutes } from '../http/questions.ts'
import { roleRoutes } from '../http/roles.ts'
import { toolRoutes } from '../http/tools.ts'
import type { Card, Principal, Question } from '../protocol/index.ts'
import type { Decisions } from '../signing/decisions.ts'
import { createCallCounts } from '../store/sqlite/calls/call-counts.ts'
import { createConfirmationStore, createExecutionStore } from '../store/sqlite/calls/confirmations.ts'
import { createGrantStore } from '../store/sqlite/calls/grants.ts'
import { createQuestionStore } from '../store/sqlite/calls/questions.ts'
import type { Catalog } from '../tools/catalog.ts'
import { ownPathsOf } from '../workbench/own-paths.ts'
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
    people: People
    /** Sends a push message to people. */
    tellOwners: Parameters<typeof createGlass>[0]['tell']
    changeStore: ChangeStore
    planStore: PlanStore
    /** Stores a run that follows a plan. */
    addRun: Parameters<typeof createPlans>[0]['addRun']
    /** Starts a run of one command. */
    start: Parameters<typeof createReturns>[0]['start']
    images: ImageStore
    apiTokens: Pick<ApiTokens, 'list'>
    reach(): SessionReach
    /** Whether a person may ask for anything now; undefined: the first owner. */
    mayAsk(person: string | undefined): boolean
    decisions: Decisions
    publicUrl: string | undefined
    /** The runs that go on. */
    runs: Parameters<typeof createAskers>[0]['runs']
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
    /** What became of the files that a call changes. */
    applied: Parameters<typeof createExecutor>[0]['applied']
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
    people: parts.people,
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
  const ownPaths = ownPathsOf(foundation.dataDir)
  const world = () => ({
    ...{ cluster: cluster.state(), policy: policy.current(), now: now(), unitOf: units.seen, madeBy },
    ...(proofOf && { proofOf }),
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
  const watchers = createWatchers(report)
  const effectsOf = createEffectsOf(catalog, world)
  const { decisions } = parts
  const store = createConfirmationStore(database, foundation.held)
  /** Dependencies that several parts need. */
  const shared = {
    ...{ clock, redactor, redact, isStopping, report, world, judge, effectsOf, executions, images, cluster, catalog },
    ...{ journal, proof: journal.proof, transactions: database, store, decisions },
    ...{ ttlMs: parts.config.confirmTtlMs, isWatched: watchers.isWatched, note: parts.note },
    people: parts.people,
    async leftOf(vmid: number, signal: AbortSignal) {
      const guest = cluster.state().guests.find((one) => one.vmid === vmid)
      return guest === undefined ? '' : leftOf(homelab.api, guest, signal)
    },
    unsigned: (callId: string) => unsignedCall(store, decisions, callId),
    lookAgain: createLookAgain(cluster, units, effectsOf, previews.look),
    changed(sessionId: string) {
      activity.changed({ what: 'confirmations', sessionId })
      parts.waiting(sessionId, confirmations.pending(sessionId))
      askers.arm()
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
  const goneBecause: GoneBecause = ({ token, person }, askedAt, looksOnly, sessionId) => {
    const isThere = looksOnly ? parts.people.find(person) !== undefined : parts.mayAsk(person)
    if (!isThere) return 'Whoever asked for it may not ask any more.'
    const asker = sessionId === undefined ? undefined : parts.people.find(person)
    if (sessionId !== undefined && asker !== undefined && !parts.reach().mayTalk(asker, sessionId))
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
    tell: parts.tellOwners,
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
  const askers = createAskers({
    ...{ clock, isStopping, report, goneBecause: cardGoneBecause, runs: parts.runs },
    pending: () => confirmations.pending(),
    withdraw: (toolUseId, because) => confirmations.cancel(toolUseId, 'jarvis', because),
  })
  const questions = createQuestions({
    ...shared,
    store: createQuestionStore(database),
    changed(sessionId) {
      activity.changed({ what: 'questions', sessionId })
      parts.asking(sessionId, questions.open(sessionId))
    },
  })
  /** The part of the cluster that the person may see in whose name is asked; undefined: all of it. */
  const sightFor = (asker: Pick<Principal, 'person'>) => sightOf(boundOf(parts.people, asker, world()), world)
  const executor = createExecutor({
    ...shared,
    questions,
    ...{ observed: parts.observed, applied: parts.applied },
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
    returns,
    plans,
    grants,
    calls,
    seeingJudge,
    tryingJudge,
    effectsOf,
    lookAgain: shared.lookAgain,
    confirmations,
    askers,
    goneBecause,
    questions,
    executor,
    watchers,
    /** The names of the roles of policy.yaml. */
    ownRoles: () => [...policy.current().roles.keys()].filter((name) => !builtInRoleNames.some((one) => one === name)),
    glass,
    sightOf: sightFor,
    routes: {
      confirmations: confirmationRoutes(confirmations, parts.reach, now, createOriginOf(parts.publicUrl)),
      roles: roleRoutes({
        roles: () => policy.current().roles,
        builtIn: builtInRoleNames,
        approveWords,
        people: parts.people,
        judge: tryingJudge,
        redact: redactor.value,
      }),
      questions: questionRoutes(questions, parts.reach, now),
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

export type Gate = ReturnType<typeof composeGate>
