import { hashOf } from 'node-kit/canonical'
import { type Approve, JarvisError, type Principal, type ToolCall } from 'protocol'
import type { Redactor } from '../../gate/index.ts'
import { type Clock, oldBefore } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type CallContext, missing } from '../call.ts'
import type { Begun } from '../changes/changes.ts'
import { causedOf } from '../confirmations/card.ts'
import { standingOf } from '../confirmations/drift.ts'
import type { Reservation } from '../confirmations/grants.ts'
import type { Judge, Ready } from '../judgement.ts'
import type { Journal, JournalProof, Transactions } from '../ports.ts'
import type { PlanStore, Seen, StepNote, StoredPlan, StoredStep } from './plan.ts'

const keptForMs = 90 * 24 * 3_600_000

/** The data with which a run that executes a plan starts. `plan`: the plan's id. `at`: start time, Unix ms. */
export type PlanRunStart = { id: string; sessionId: string; plan: string; asker: Principal; at: number }

export type PlanParts = {
  store: PlanStore
  proof: Pick<JournalProof, 'execution'>
  journal: Journal
  transactions: Pick<Transactions, 'atomically' | 'afterCommit'>
  judge: Judge
  redactor: Redactor
  clock: Clock
  /** Stores a run that executes a plan as an active run. */
  addRun(run: PlanRunStart): void
  /** Called after each change of a plan. */
  changed(): void
  report(error: unknown, message: string): void
}

/**
 * Plans that have begun. The claim of the call that leads to a plan writes the plan, its run, and an approval for each call that asks. An approval
 * is bound to the plan, the call's id and its hash. All of it is written in one transaction; if a run waits for the card, in the transaction of the
 * decision.
 */
export class Plans {
  readonly #parts: PlanParts
  /**
   * The targets in the state in which an earlier step of the plan left them, by call. Kept only in memory: after a restart they are unknown, so
   * later steps ask a person.
   */
  readonly #after = new Map<string, Seen>()

  constructor(parts: PlanParts) {
    this.#parts = parts
  }

  /** Begins the plan that a call leads to, in the transaction of the call's claim. @returns the plan's facts for the journal */
  begin(call: ToolCall, ready: Ready, { context, approvedBy }: Begun): { plan: JournalledPlan } {
    const { store, transactions, redactor, clock, addRun, changed } = this.#parts
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
      // A step that waits for an earlier step could not be judged, so it is not approved.
      if (isLater === true && !led.has(number)) return { number, toolUseId, tier: 'red', callHash }
      const { tier, ...seen } = this.#seenOf({ toolUseId, toolName, toolInput }, asker)
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
    addRun({ id: runId, sessionId, plan: id, asker, at })
    transactions.afterCommit(changed)
    return { plan: journalled(plan) }
  }

  /** Returns the approval that covers a call of a plan's run, if the state on which the approval rests has not changed. */
  reserve(
    { toolUseId, toolName, toolInput }: ToolCall,
    ready: Ready,
    { runId }: Pick<CallContext, 'runId'>,
  ): Reservation | undefined {
    const { store, clock, report } = this.#parts
    const plan = store.ofRun(runId)
    const step = plan?.steps.find((one) => one.toolUseId === toolUseId)
    if (plan?.approvedBy === undefined || step === undefined) return undefined
    if (step.seen === undefined) {
      if (step.tier === 'red')
        this.note(plan.id, step.number, { state: 'asks', outcome: 'It waited for an earlier step.' })
      return undefined
    }
    const standing = standingOf(this.#after.get(toolUseId) ?? step.seen, ready)
    const why =
      clock.now() > plan.until
        ? 'The plan was approved too long ago.'
        : standing.kind === 'stands'
          ? undefined
          : standing.note
    if (why !== undefined) {
      this.note(plan.id, step.number, { state: 'asks', outcome: why })
      return undefined
    }
    if (step.callHash !== hashOf({ toolName, toolInput }) || !this.#isProven(plan)) {
      report(undefined, `The journal has no approval of step ${step.number} of the plan ${plan.id}.`)
      return undefined
    }
    return {
      // `take` has nothing to count: a call's id can be claimed only once.
      grant: { id: `plan:${plan.id}`, by: plan.approvedBy, createdAt: plan.startedAt },
      approval: plan.id,
      take: () => true,
      release() {},
    }
  }

  /** Records the state in which a step left its target. Later steps with the same target are compared with this state. */
  expect(
    plan: StoredPlan,
    toolUseIds: readonly string[],
    callOf: (toolUseId: string) => Pick<ToolCall, 'toolName' | 'toolInput'>,
  ): void {
    for (const toolUseId of toolUseIds) {
      const { toolName, toolInput } = callOf(toolUseId)
      if (plan.steps.some((step) => step.toolUseId === toolUseId && step.seen !== undefined)) {
        const { tier: _, ...seen } = this.#seenOf({ toolUseId, toolName, toolInput }, plan.asker)
        this.#after.set(toolUseId, seen)
      }
    }
  }

  note(id: string, number: number, change: StepNote): void {
    const { store, transactions, changed } = this.#parts
    const plan = store.get(id)
    if (plan === undefined) return
    store.save({ ...plan, notes: { ...plan.notes, [number]: { ...plan.notes[number], ...change } } })
    transactions.afterCommit(changed)
  }

  /** Records the outcome of a step and writes it to the journal. */
  ended(id: string, number: number, change: StepNote): void {
    const { store, journal, transactions, redactor } = this.#parts
    transactions.atomically(() => {
      this.note(id, number, change)
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
  }

  /** Ends the plan. Does nothing if the plan had ended before. */
  over(id: string, state: 'done' | 'stopped' | 'unknown', why: string | undefined): void {
    const { store, journal, transactions, redactor, clock, changed } = this.#parts
    transactions.atomically(() => {
      const plan = store.get(id)
      if (plan === undefined || plan.state !== 'running') return
      for (const { toolUseId } of plan.steps) this.#after.delete(toolUseId)
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
      transactions.afterCommit(changed)
    })
  }

  /** Makes the plan stop after its present step. @throws JarvisError `not_found`; `conflict` if the plan has ended */
  stop(id: string, by: string): StoredPlan {
    const { store, journal, transactions, changed } = this.#parts
    const plan = store.get(id)
    if (plan === undefined) throw new JarvisError('not_found', 'There is no such plan.')
    if (plan.state !== 'running') throw new JarvisError('conflict', 'The plan is over.')
    const stopping = { ...plan, stopBy: by }
    transactions.atomically(() => {
      store.save(stopping)
      journal.append('plan', { change: 'stop_asked', plan: id, by })
    })
    changed()
    return stopping
  }

  /** Deletes plans that ended more than three months ago. The journal keeps them. */
  prune(): void {
    this.#parts.store.prune(oldBefore(this.#parts.clock, keptForMs))
  }

  get(id: string): StoredPlan | undefined {
    return this.#parts.store.get(id)
  }

  ofRun(runId: string): StoredPlan | undefined {
    return this.#parts.store.ofRun(runId)
  }

  list(query: Parameters<PlanStore['list']>[0]): StoredPlan[] {
    return this.#parts.store.list(query)
  }

  #seenOf(
    { toolUseId, toolName, toolInput }: Pick<ToolCall, 'toolUseId' | 'toolName' | 'toolInput'>,
    asker: Principal,
  ): Seen & Pick<StoredStep, 'tier'> {
    const judged = this.#parts.judge(toolName, toolInput, { asker })
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

  /**
   * Returns true if the journal's record is the same as the stored row. A row alone lets nothing run, because anybody with access to the database
   * could have written it.
   */
  #isProven(plan: StoredPlan): boolean {
    const body = this.#parts.proof.execution(plan.id)
    return body !== undefined && plan.approvedBy !== undefined && hashOf(body.plan ?? null) === hashOf(journalled(plan))
  }
}

/** The plan's record in the journal. `seen`: a hash. */
type JournalledPlan = Pick<StoredPlan, 'runId' | 'until'> & {
  hash: string
  steps: (Omit<StoredStep, 'seen'> & { seen?: string })[]
}

const quorumOf = ({ count: needed, by: roles, notAsker }: Approve) => ({
  needed,
  roles,
  ...(notAsker && ({ notAsker } as const)),
})

/** Returns the journal's record of a plan that begins: the calls that it may make, and hashes of the state on which each approval rests. */
const journalled = ({ facts: { hash }, runId, until, steps }: StoredPlan): JournalledPlan => ({
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
