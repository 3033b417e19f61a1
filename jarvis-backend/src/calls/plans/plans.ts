import { hashOf } from 'node-kit/canonical'
import { type Approve, JarvisError, type Principal, type ToolCall, type ToolInput } from 'protocol'
import type { Redactor } from '../../gate/index.ts'
import { type Clock, oldBefore } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type CallContext, missing, type Ready } from '../call.ts'
import { causedOf } from '../confirmations/card.ts'
import { standingOf } from '../confirmations/drift.ts'
import type { Reservation } from '../confirmations/grants.ts'
import type { Judge } from '../judge.ts'
import type { Journal, JournalProof } from '../ports.ts'
import type { PlanStore, Seen, StepNote, StoredPlan, StoredStep } from './plan.ts'

const keptForMs = 90 * 24 * 3_600_000

/** Where a plan's run comes from. */
export type PlanRunStart = { id: string; sessionId: string; plan: string; asker: Principal; at: number }

/**
 * Plans that began. The claim of the call that leads to a plan writes the plan, its run, and an approval of each call that
 * asks, bound to the plan, the call's id and its hash: one transaction, which is the decision's where somebody waits for
 * the card.
 */
export function createPlans(parts: {
  store: PlanStore
  proof: Pick<JournalProof, 'execution'>
  journal: Journal
  transactions: { atomically<T>(work: () => T): T; afterCommit(run: () => void): void }
  judge: Judge
  redactor: Redactor
  clock: Clock
  /** Stores a run that follows a plan, as one that is at work. */
  addRun(run: PlanRunStart): void
  /** Told after each change of a plan. */
  changed(): void
  report(error: unknown, message: string): void
}) {
  const { store, clock, journal, transactions, redactor } = parts
  /** How the targets were right after an earlier step of the plan changed them. Lost with the process: those steps ask then. */
  const after = new Map<string, Seen>()

  const seenOf = (
    toolUseId: string,
    toolName: string,
    toolInput: ToolInput,
    asker: Principal,
  ): Seen & Pick<StoredStep, 'tier'> => {
    const judged = parts.judge(toolName, toolInput, undefined, asker)
    if (judged.kind !== 'ready')
      throw new JarvisError('conflict', `The plan has changed since: ${judged.verdict.reason} Nothing was run.`)
    const { target, preview, verdict } = judged
    return {
      toolUseId,
      target,
      ...(preview?.basis && { basis: preview.basis }),
      rule: verdict.rule,
      ...(verdict.approve && { approvals: quorumOf(verdict.approve) }),
      tier: verdict.tier,
    }
  }

  /** Whether the journal holds what the row says: a row alone, which anybody could have written, lets nothing run. */
  const isProven = (plan: StoredPlan): boolean => {
    const body = parts.proof.execution(plan.id)
    return body !== undefined && plan.approvedBy !== undefined && hashOf(body.plan ?? null) === hashOf(journalled(plan))
  }

  function note(id: string, number: number, change: StepNote) {
    const plan = store.get(id)
    if (plan === undefined) return
    store.save({ ...plan, notes: { ...plan.notes, [number]: { ...plan.notes[number], ...change } } })
    transactions.afterCommit(parts.changed)
  }

  return {
    /** A call that leads to a plan begins, in the transaction of its claim. @returns what the journal keeps beside it */
    begin(call: ToolCall, ready: Ready, context: CallContext, approvedBy: string | undefined) {
      const { leads = missing() } = ready.preview ?? {}
      const { toolUseId: id } = call
      const { sessionId } = context
      const asker = causedOf(ready, context)
      const at = clock.now()
      const runId = newId('run')
      const led = new Set(ready.led?.map(({ number }) => number))
      const steps = leads.calls.map(({ number, toolName, toolInput, isLater }): StoredStep => {
        const toolUseId = newId('tu')
        const callHash = hashOf({ toolName, toolInput })
        // It could not be judged, so nothing of it is approved.
        if (isLater === true && !led.has(number)) return { number, toolUseId, tier: 'red', callHash }
        const { tier, ...seen } = seenOf(toolUseId, toolName, toolInput, asker)
        return { number, toolUseId, tier, callHash, ...(tier === 'red' && { seen }) }
      })
      const plan: StoredPlan = {
        id,
        sessionId,
        runId,
        asker,
        steps,
        notes: {},
        script: leads.script,
        facts: redactor.value({ ...leads.facts, id }),
        approvedBy,
        until: at + leads.maxAgeMs,
        state: 'running' as const,
        startedAt: at,
      }
      store.add(plan)
      parts.addRun({ id: runId, sessionId, plan: id, asker, at })
      transactions.afterCommit(parts.changed)
      return { plan: journalled(plan) }
    },

    /** The approval that covers a call of a plan's run, if what it rests on is still so. */
    reserve(
      { toolUseId, toolName, toolInput }: ToolCall,
      ready: Ready,
      { runId }: CallContext,
    ): Reservation | undefined {
      const plan = store.ofRun(runId)
      const step = plan?.steps.find((one) => one.toolUseId === toolUseId)
      if (plan?.approvedBy === undefined || step === undefined) return undefined
      if (step.seen === undefined) {
        if (step.tier === 'red')
          note(plan.id, step.number, { state: 'asks', outcome: 'It waited for an earlier step.' })
        return undefined
      }
      const standing = standingOf(after.get(toolUseId) ?? step.seen, ready)
      const why =
        clock.now() > plan.until
          ? 'The plan was approved too long ago.'
          : standing.kind === 'stands'
            ? undefined
            : standing.note
      if (why !== undefined) {
        note(plan.id, step.number, { state: 'asks', outcome: why })
        return undefined
      }
      if (step.callHash !== hashOf({ toolName, toolInput }) || !isProven(plan)) {
        parts.report(undefined, `The journal has no approval of step ${step.number} of the plan ${plan.id}.`)
        return undefined
      }
      return {
        // The claim of its id is unique, so it runs once.
        grant: { id: `plan:${plan.id}`, by: plan.approvedBy, createdAt: plan.startedAt },
        approval: plan.id,
        take: () => true,
        release() {},
      }
    },

    /** A step has changed its target: what later steps of the same target find now is what they expect. */
    expect(
      plan: StoredPlan,
      toolUseIds: readonly string[],
      callOf: (toolUseId: string) => Pick<ToolCall, 'toolName' | 'toolInput'>,
    ) {
      for (const toolUseId of toolUseIds) {
        const { toolName, toolInput } = callOf(toolUseId)
        if (plan.steps.some((step) => step.toolUseId === toolUseId && step.seen !== undefined)) {
          const { tier: _, ...seen } = seenOf(toolUseId, toolName, toolInput, plan.asker)
          after.set(toolUseId, seen)
        }
      }
    },

    note,
    /** What came of a step, for the record. */
    ended(id: string, number: number, change: StepNote) {
      transactions.atomically(() => {
        note(id, number, change)
        const toolUseId = store.get(id)?.steps.find((step) => step.number === number)?.toolUseId
        journal.append('plan', {
          change: 'step',
          plan: id,
          step: number,
          ...(toolUseId !== undefined && { toolUseId }),
          state: change.state,
          ...(change.outcome !== undefined && { seen: redactor.text(change.outcome) }),
        })
      })
    },
    /** The plan is over. No-op where it was before. */
    over(id: string, state: 'done' | 'stopped' | 'unknown', why: string | undefined) {
      transactions.atomically(() => {
        const plan = store.get(id)
        if (plan === undefined || plan.state !== 'running') return
        for (const { toolUseId } of plan.steps) after.delete(toolUseId)
        const script = redactor.value(plan.script)
        store.save({
          ...plan,
          script,
          state,
          endedAt: clock.now(),
          ...(why !== undefined && { why: redactor.text(why) }),
        })
        journal.append('plan', {
          change: 'over',
          plan: id,
          state,
          ...(why !== undefined && { why: redactor.text(why) }),
        })
        transactions.afterCommit(parts.changed)
      })
    },
    /** The plan stops after its present step. @throws JarvisError `not_found`; `conflict` where it is over */
    stop(id: string, by: string): StoredPlan {
      const plan = store.get(id)
      if (plan === undefined) throw new JarvisError('not_found', 'There is no such plan.')
      if (plan.state !== 'running') throw new JarvisError('conflict', 'The plan is over.')
      const stopping = { ...plan, stopBy: by }
      transactions.atomically(() => {
        store.save(stopping)
        journal.append('plan', { change: 'stop_asked', plan: id, by })
      })
      parts.changed()
      return stopping
    },
    /** Forgets plans that ended three months ago; the journal keeps them. */
    prune: () => store.prune(oldBefore(clock, keptForMs)),
    get: store.get,
    ofRun: store.ofRun,
    list: store.list,
  }
}

export type Plans = ReturnType<typeof createPlans>

const quorumOf = ({ count: needed, by: roles, notAsker }: Approve) => ({
  needed,
  roles,
  ...(notAsker && ({ notAsker } as const)),
})

/** What the journal says of a plan as it begins: which calls it lets run, and on what that rests. */
const journalled = ({ facts: { hash }, runId, until, steps }: StoredPlan) => ({
  hash,
  runId,
  until,
  steps: steps.map(({ number, toolUseId, tier, callHash, seen }) => ({
    number,
    toolUseId,
    tier,
    callHash,
    ...(seen && { seen: hashOf(seen) }),
  })),
})
