import { JarvisError, type Principal, type StepState, type ToolCall, type ToolInput } from 'protocol'
import type { Guide } from '../agent/ports.ts'
import { planKindOf } from '../agent/principal.ts'
import type { Given, StoredEntry } from '../agent/sessions/transcript-store.ts'
import { callIdOf, type Settling, settles } from '../agent/settles.ts'
import type { StepNote, StoredPlan } from '../calls/plans/plan.ts'
import type { Plans } from '../calls/plans/plans.ts'
import type { Done } from '../calls/run-tool.ts'
import { type Clock, sleep } from '../lib/clock.ts'
import { spanOf } from '../lib/words.ts'
import { holds, wordsOfCondition } from '../runbooks/expressions.ts'
import { NotKnown, seenWords } from '../runbooks/fill.ts'
import { type CallEnd, isClosed, nextOf } from './next.ts'
import type { PlannedCheck, Script, ScriptStep } from './planned.ts'

/** How often a check reads again, ms: soon at first. */
const looksMs = { soon: 2_000, later: 10_000, soonForMs: 60_000 }

type Outcome = { state: StepState; outcome: string }

/**
 * Leads the run of a plan: the next call after the last has ended and its check has come true; the end at the first that
 * failed, may have run, or was not seen as it should be. What it knows is in the plan's row and in the run's entries.
 */
export function createGuide(parts: {
  plans: () => Pick<Plans, 'get' | 'note' | 'ended' | 'over' | 'expect'>
  read(call: { toolName: string; toolInput: ToolInput }, principal: Principal, signal: AbortSignal): Promise<Done>
  /** The things that a call changes. */
  targetsOf(toolName: string, toolInput: ToolInput): string[]
  /** Reads what a call would change again, so that it is judged as it is now. */
  look(call: { toolName: string; toolInput: ToolInput }, asker: Principal): Promise<unknown>
  clock: Clock
}): Guide {
  const { clock } = parts

  /** Reads until it is as wanted, or the time is over. @param from when the step ended, Unix ms */
  async function verified(plan: StoredPlan, check: PlannedCheck, from: number, signal: AbortSignal): Promise<Outcome> {
    const { toolName, toolInput, until, withinMs } = check
    const principal = { ...plan.asker, kind: planKindOf(plan.asker) }
    for (;;) {
      let seen: string
      try {
        const { output } = await parts.read({ toolName, toolInput }, principal, signal)
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

  /** Ends the plan. @returns the run's last words */
  function over(plan: StoredPlan, state: 'done' | 'stopped' | 'unknown', why?: string): string {
    parts.plans().over(plan.id, state, why)
    return endWords(parts.plans().get(plan.id) ?? plan)
  }

  return {
    async next(id, entries, signal) {
      for (;;) {
        const plan = parts.plans().get(id)
        if (plan === undefined) throw new JarvisError('not_found', 'The plan of this run is gone.')
        if (plan.state !== 'running') return { type: 'end', words: endWords(plan) }
        const { steps } = plan.script as Script
        const idOf = (number: number) => plan.steps.find((step) => step.number === number)?.toolUseId ?? ''
        const endOf = (number: number) => endedBy(settledBy(entries, idOf(number)))
        const next = nextOf(steps, plan.notes, endOf, plan.stopBy)
        if (next.type === 'end') return { type: 'end', words: over(plan, next.state, next.why) }
        if (next.type === 'close') {
          const settled = settledBy(entries, idOf(next.step.number))
          if (settled !== undefined) await close(plan, next.step, settled, signal)
          continue
        }
        if (next.type === 'leave') {
          const outcome = `left out, because step ${next.because} did not go as planned`
          parts.plans().ended(id, next.step.number, { state: 'skipped', outcome })
          continue
        }
        const [first] = next.steps
        // The gate judges a change by what it finds, so that is read first.
        if (first?.isRead === false) await parts.look(first, plan.asker).catch(() => {})
        return {
          type: 'calls',
          calls: next.steps.map((one) => {
            parts.plans().note(id, one.number, { state: 'running', startedAt: clock.now() })
            return toCall(one, idOf(one.number))
          }),
        }
      }

      /** Writes down what became of a step, after its check. */
      async function close(plan: StoredPlan, step: ScriptStep, settled: Settling, signal: AbortSignal) {
        const came = outcomeOf(settled)
        const { endedAt = clock.now() } = plan.notes[step.number] ?? {}
        let { state, outcome } = came
        if (state === 'done' && step.verify !== undefined) {
          parts.plans().note(plan.id, step.number, { state: 'checking', outcome, endedAt })
          const check = await verified(plan, step.verify, endedAt, signal)
          state = check.state
          outcome = `${outcome}; ${check.outcome}`
        }
        parts.plans().ended(plan.id, step.number, { state, outcome, endedAt: clock.now() })
        if (state === 'done' && !step.isRead) await expectLater(plan, step)
      }
    },

    stopped(id, entries, by) {
      const plan = parts.plans().get(id)
      if (plan === undefined) return 'The plan of this run is gone.'
      if (plan.state !== 'running') return endWords(plan)
      for (const { number, toolUseId } of plan.steps) {
        if (isClosed(plan.notes[number]?.state)) continue
        const settled = settledBy(entries, toolUseId)
        if (settled === undefined) continue
        const { state, outcome } = outcomeOf(settled)
        const isOpen =
          state === 'done' && (plan.script as Script).steps.some((step) => step.number === number && step.verify)
        const note: Outcome = isOpen
          ? { state: 'surprise', outcome: `${outcome}; its check was not finished` }
          : { state, outcome }
        parts.plans().ended(id, number, { ...note, endedAt: clock.now() })
      }
      const hasUnknown = Object.values(parts.plans().get(id)?.notes ?? {}).some(({ state }) => state === 'unknown')
      return over(
        plan,
        hasUnknown ? 'unknown' : 'stopped',
        by === 'jarvis' ? 'JARVIS stopped it.' : `${by} stopped it.`,
      )
    },
  }

  /** Later steps on what this one changed expect what is found now. */
  async function expectLater(plan: StoredPlan, step: ScriptStep): Promise<void> {
    const { steps } = plan.script as Script
    const changed = new Set(parts.targetsOf(step.toolName, step.toolInput))
    const later = steps.filter(
      ({ number, isRead, toolName, toolInput }) =>
        number > step.number && !isRead && parts.targetsOf(toolName, toolInput).some((target) => changed.has(target)),
    )
    for (const one of later) {
      const toolUseId = plan.steps.find(({ number }) => number === one.number)?.toolUseId
      if (toolUseId === undefined) continue
      // Where it cannot be told now, the step asks by itself.
      try {
        await parts.look(one, plan.asker).catch(() => {})
        parts.plans().expect(plan, [toolUseId], () => one)
      } catch (error) {
        if (!(error instanceof JarvisError)) throw error
      }
    }
  }
}

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

/** How a plan ended, and what was seen of each step. */
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
