import { sleep } from 'node-kit/clock'
import { spanOf } from 'node-kit/words'
import { JarvisError, type Principal, type StepState, type ToolCall, type ToolInput } from 'protocol'
import { callIdOf, type Settling, settles } from 'protocol/settles'
import type { Guide } from '../agent/ports.ts'
import { planKindOf } from '../agent/principal.ts'
import type { Given, StoredEntry } from '../agent/sessions/transcript-store.ts'
import type { StepNote, StoredPlan } from '../calls/plans/plan.ts'
import type { Plans } from '../calls/plans/plans.ts'
import type { Done } from '../calls/run-tool.ts'
import type { Clock } from '../lib/clock.ts'
import { holds, wordsOfCondition } from '../runbooks/expressions.ts'
import { NotKnown, seenWords } from '../runbooks/fill.ts'
import { type CallEnd, isClosed, nextOf } from './next.ts'
import type { PlannedCheck, Script, ScriptStep } from './planned.ts'

/** The time between two reads of a check, ms. `soon` applies for the first `soonForMs`, `later` after that. */
const looksMs = { soon: 2_000, later: 10_000, soonForMs: 60_000 }

type Outcome = { state: StepState; outcome: string }

export type PlanGuideParts = {
  /** Returns the plans. A function, because the gate creates the plans after this part. */
  plans: () => Pick<Plans, 'get' | 'note' | 'ended' | 'over' | 'expect'>
  read(call: { toolName: string; toolInput: ToolInput }, principal: Principal, signal: AbortSignal): Promise<Done>
  /** Returns the ids of the things that a call changes. */
  targetsOf(toolName: string, toolInput: ToolInput): string[]
  /** Reads the things that a call would change again, so that the call is judged by their present state. */
  look(call: { toolName: string; toolInput: ToolInput }, asker: Principal): Promise<unknown>
  clock: Clock
}

/**
 * Decides the calls of a plan’s run. It makes the next call when the previous one has ended and its check is fulfilled. It ends the plan at the
 * first step that failed, may have run, or whose check was not fulfilled. It keeps no state of its own: everything is in the plan’s row and in the
 * run’s entries.
 */
export class PlanGuide implements Guide {
  readonly #parts: PlanGuideParts

  constructor(parts: PlanGuideParts) {
    this.#parts = parts
  }

  async next(id: string, entries: readonly StoredEntry[], signal: AbortSignal): ReturnType<Guide['next']> {
    const { plans, look } = this.#parts
    for (;;) {
      const plan = plans().get(id)
      if (plan === undefined) throw new JarvisError('not_found', 'The plan of this run is gone.')
      if (plan.state !== 'running') return { type: 'end', words: endWords(plan) }
      const idOf = (number: number) => plan.steps.find((step) => step.number === number)?.toolUseId ?? ''
      const endOf = (number: number) => endedBy(settledBy(entries, idOf(number)))
      const next = nextOf(stepsOf(plan), plan.notes, { endOf, stopBy: plan.stopBy })
      if (next.type === 'end') return { type: 'end', words: this.#over(plan, next.state, next.why) }
      if (next.type === 'close') {
        const settled = settledBy(entries, idOf(next.step.number))
        if (settled !== undefined) await this.#close({ plan, step: next.step }, settled, signal)
      } else if (next.type === 'leave') {
        const outcome = `left out, because step ${next.because} did not go as planned`
        plans().ended(id, next.step.number, { state: 'skipped', outcome })
      } else {
        const [first] = next.steps
        // The gate judges a change by the present state, so the state is read first.
        if (first?.isRead === false) await look(first, plan.asker).catch(() => {})
        return { type: 'calls', calls: next.steps.map((step) => this.#begin(id, step, idOf(step.number))) }
      }
    }
  }

  stopped(id: string, entries: readonly StoredEntry[], by: string): string {
    const { plans, clock } = this.#parts
    const plan = plans().get(id)
    if (plan === undefined) return 'The plan of this run is gone.'
    if (plan.state !== 'running') return endWords(plan)
    for (const { number, toolUseId } of plan.steps) {
      if (isClosed(plan.notes[number]?.state)) continue
      const settled = settledBy(entries, toolUseId)
      if (settled === undefined) continue
      const { state, outcome } = outcomeOf(settled)
      const isOpen = state === 'done' && stepsOf(plan).some((step) => step.number === number && step.verify)
      const note: Outcome = isOpen
        ? { state: 'surprise', outcome: `${outcome}; its check was not finished` }
        : { state, outcome }
      plans().ended(id, number, { ...note, endedAt: clock.now() })
    }
    const hasUnknown = Object.values(plans().get(id)?.notes ?? {}).some(({ state }) => state === 'unknown')
    const why = by === 'jarvis' ? 'JARVIS stopped it.' : `${by} stopped it.`
    return this.#over(plan, hasUnknown ? 'unknown' : 'stopped', why)
  }

  #begin(plan: string, step: ScriptStep, toolUseId: string): ToolCall {
    const { plans, clock } = this.#parts
    plans().note(plan, step.number, { state: 'running', startedAt: clock.now() })
    return toCall(step, toolUseId)
  }

  /** Ends the plan. @returns the run’s closing text */
  #over(plan: StoredPlan, state: 'done' | 'stopped' | 'unknown', why?: string): string {
    const { plans } = this.#parts
    plans().over(plan.id, state, why)
    return endWords(plans().get(plan.id) ?? plan)
  }

  /** Runs a step’s check, if it has one, and stores the step’s outcome. */
  async #close(
    { plan, step }: { plan: StoredPlan; step: ScriptStep },
    settled: Settling,
    signal: AbortSignal,
  ): Promise<void> {
    const { plans, clock } = this.#parts
    const { endedAt = clock.now() } = plan.notes[step.number] ?? {}
    let { state, outcome } = outcomeOf(settled)
    if (state === 'done' && step.verify !== undefined) {
      plans().note(plan.id, step.number, { state: 'checking', outcome, endedAt })
      const check = await this.#verified({ plan, check: step.verify }, endedAt, signal)
      state = check.state
      outcome = `${outcome}; ${check.outcome}`
    }
    plans().ended(plan.id, step.number, { state, outcome, endedAt: clock.now() })
    if (state === 'done' && !step.isRead) await this.#expectLater(plan, step)
  }

  /** Repeats a check until its condition holds or its time has passed. @param from the time at which the step ended, Unix ms */
  async #verified(
    { plan, check }: { plan: StoredPlan; check: PlannedCheck },
    from: number,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock, read } = this.#parts
    const { toolName, toolInput, until, withinMs } = check
    const principal = { ...plan.asker, kind: planKindOf(plan.asker) }
    for (;;) {
      let seen: string
      try {
        const { output } = await read({ toolName, toolInput }, principal, signal)
        const scope = new Map([['result', output.data]])
        seen = output.isError === true ? `${toolName} could not be read: ${output.summary}` : seenWords(until, scope)
        if (output.isError !== true && isSo(until, scope)) return { state: 'done', outcome: `seen: ${seen}` }
      } catch (error) {
        if (signal.aborted) throw error
        seen = error instanceof Error ? error.message : String(error)
      }
      const spentMs = clock.now() - from
      if (spentMs >= withinMs)
        return {
          state: 'surprise',
          outcome: `${wordsOfCondition(until)} was not seen within ${spanOf(withinMs / 1000)}: ${seen}`,
        }
      const every = spentMs < looksMs.soonForMs ? looksMs.soon : looksMs.later
      await sleep(clock, Math.max(1, Math.min(every, withinMs - spentMs)), signal)
    }
  }

  /** Updates the expected state of later steps on the same things, because this step has changed them. */
  async #expectLater(plan: StoredPlan, step: ScriptStep): Promise<void> {
    const { plans, look, targetsOf } = this.#parts
    const changed = new Set(targetsOf(step.toolName, step.toolInput))
    const later = stepsOf(plan).filter(
      ({ number, isRead, toolName, toolInput }) =>
        number > step.number && !isRead && targetsOf(toolName, toolInput).some((target) => changed.has(target)),
    )
    for (const one of later) {
      const toolUseId = plan.steps.find(({ number }) => number === one.number)?.toolUseId
      if (toolUseId === undefined) continue
      // If the state cannot be read now, the later step shows a card of its own.
      try {
        await look(one, plan.asker).catch(() => {})
        plans().expect(plan, [toolUseId], () => one)
      } catch (error) {
        if (!(error instanceof JarvisError)) throw error
      }
    }
  }
}

const stepsOf = ({ script }: StoredPlan): readonly ScriptStep[] => (script as Script).steps

function isSo(until: PlannedCheck['until'], scope: ReadonlyMap<string, unknown>): boolean {
  try {
    return holds(until, scope)
  } catch (error) {
    if (error instanceof NotKnown) return false
    throw error
  }
}

const toCall = ({ toolName, toolInput }: ScriptStep, toolUseId: string): ToolCall => ({
  type: 'tool_call',
  toolUseId,
  toolName,
  toolInput,
})

type Ended = Settling & Given

const settledBy = (entries: readonly StoredEntry[], toolUseId: string): Ended | undefined =>
  entries.filter(settles).find((entry) => callIdOf(entry) === toolUseId)

const endedBy = (entry: Settling | undefined): CallEnd =>
  entry === undefined ? undefined : entry.type === 'confirm_resolved' ? 'refused' : 'came'

function outcomeOf(entry: Ended): Outcome & StepNote {
  switch (entry.type) {
    case 'blocked':
      return { state: 'failed', outcome: `refused: ${entry.reason}` }
    case 'confirm_resolved': {
      const note = entry.note === undefined ? '' : `: ${entry.note}`
      return { state: 'failed', outcome: `its card was ${entry.decision} by ${entry.speaker ?? entry.by}${note}` }
    }
    case 'tool_result':
      if (entry.isUnknown) return { state: 'unknown', outcome: entry.summary }
      if (entry.isRehearsal) return { state: 'failed', outcome: 'a rehearsal goes on here, so nothing was run' }
      return { state: entry.isError ? 'failed' : 'done', outcome: entry.summary }
    default:
      return entry satisfies never
  }
}

/** Returns the text about a plan’s end, with a line for each step. */
export function endWords({ facts, notes, state, why }: StoredPlan): string {
  const words = {
    running: 'runs',
    done: 'is done',
    stopped: 'was stopped',
    unknown: 'was stopped: a step may have run',
  }
  const lines = facts.steps.map(({ number, title, state: planned, read, when }) => {
    const note = notes[number]
    const shown = note?.state ?? planned
    const said = note?.outcome ?? read ?? when
    return `${number}. ${title}: ${shown === 'waits' ? 'not begun' : shown}${said === undefined ? '' : `, ${said}`}`
  })
  const name = facts.runbook === undefined ? facts.title : `The plan “${facts.title}”`
  return [`${name} ${words[state]}.${why === undefined ? '' : ` ${why}`}`, ...lines].join('\n')
}
