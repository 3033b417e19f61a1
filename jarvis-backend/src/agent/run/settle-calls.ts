import { hashOf } from 'node-kit/canonical'
import { type Principal, personFor, type ToolCall } from 'protocol'
import { callsIn } from 'protocol/settles'
import { loadedSkills } from '../loaded-skills.ts'
import type { RunParts } from '../ports.ts'
import { rightsOf } from '../principal.ts'
import type { Run } from '../run.ts'
import type { Draft, Given } from '../sessions/entries.ts'
import { toldBy } from '../speaker.ts'
import type { CallContext } from '../tool-runner.ts'
import type { RunEnds } from './ends.ts'
import { isOfProgram, type RunFacts } from './facts.ts'
import type { RunReading } from './reading.ts'

/** Settles the calls of a run. Calls run at the same time, but changes to the same thing run one after the other, in the order of the calls. */
export class SettleCalls {
  readonly #parts: Pick<RunParts, 'tools' | 'toolFacts' | 'askers'>
  readonly #facts: RunFacts
  readonly #reading: RunReading
  readonly #ends: RunEnds

  constructor(
    parts: Pick<RunParts, 'tools' | 'toolFacts' | 'askers'>,
    { facts, reading, ends }: { facts: RunFacts; reading: RunReading; ends: RunEnds },
  ) {
    this.#parts = parts
    this.#facts = facts
    this.#reading = reading
    this.#ends = ends
  }

  /** Rejects if a call's outcome cannot be stored. */
  async settle(run: Run, open: readonly ToolCall[]): Promise<void> {
    // If an operator denied a call and made another one instead, JARVIS runs that call itself, even if the program has a tool with the same name.
    const isTheirs = (call: ToolCall) =>
      call.malformed === undefined && isOfProgram(run.origin, call.toolName) && insteadIn(run, call) === undefined
    const isTwin = (call: ToolCall) =>
      !isTheirs(call) && !this.#parts.toolFacts.isRead(call.toolName) && hasTwin(run, call)
    const twins = open.filter(isTwin)
    for (const { toolUseId, toolName } of twins) run.append(ranOnce(toolUseId, toolName))
    const refusal = this.#facts.refusalIn(run)
    const outcomes = await Promise.allSettled(
      open
        .filter((call) => !isTheirs(call) && !twins.includes(call))
        .map((call) => this.#settleOne(run, call, refusal)),
    )
    const fault = outcomes.find((outcome) => outcome.status === 'rejected')
    if (fault !== undefined) throw fault.reason
    if (run.isStopped) return
    for (const { toolUseId, toolName } of open.filter(isTheirs)) run.append(handedOut(toolUseId, toolName))
  }

  /** Settles a call. If a person denied it and proposed an alternative call, settles the alternative too. */
  #settleOne(run: Run, call: ToolCall, refusal: CallContext['refusal']): Promise<void> {
    const locks = this.#parts.tools.locksOf(call)
    const before = run.locks.after(locks)
    const settled = this.#parts.tools.settle(call, this.#contextOf(run, call, { before, refusal }))
    run.locks.hold(locks, settled)
    return settled.then(
      async () => {
        const other = alternativeTo(run, call)
        if (other !== undefined) await this.#settleOne(run, other, refusal)
      },
      (error: unknown) => {
        // The outcome cannot be stored, so the run stops and its cards are withdrawn.
        run.haltCalls()
        throw error
      },
    )
  }

  #contextOf(run: Run, call: ToolCall, { before, refusal }: Pick<CallContext, 'before' | 'refusal'>): CallContext {
    const own = insteadIn(run, call)
    const principal = own ?? this.#facts.principalIn(run)
    return {
      sessionId: run.row.sessionId,
      runId: run.id,
      signal: run.signal,
      progress: (toolUseId, message) => run.report(toolUseId, message),
      principal,
      kin: () => this.#facts.kinOf(run),
      ...(refusal && own === undefined && { refusal }),
      append: (entry) => this.#append(run, principal, entry),
      abortedBy: () => run.abortedBy,
      before,
      isRehearsal: () => run.session.isRehearsal,
      loadedSkills: () => loadedSkills([...this.#reading.earlierEntries(run), ...run.entries]),
      // If an operator made this call instead of a denied one, its words are the operator’s own and come from no other source.
      sources: () => (own === undefined ? this.#reading.sourcesFor(run, call) : { results: [], operatorTexts: [] }),
    }
  }

  /** Stores an entry of a call. Stores the run’s end too, if no step follows it. */
  #append(run: Run, principal: Principal, entry: Draft): void {
    if (entry.type === 'tool_result') delete run.progress[entry.toolUseId]
    const by = toldBy(entry)
    const name = by === undefined ? undefined : this.#parts.askers.speaker(run.row.sessionId, by)
    const named: Draft & Given = name === undefined ? entry : { ...entry, speaker: name }
    const entries = [...run.entries, run.append(named)]
    if (entry.type === 'tool_result' && !rightsOf(principal).hasModel) this.#ends.endWith(run, entries)
  }
}

const handedOut = (toolUseId: string, toolName: string): Draft => ({
  type: 'tool_result',
  toolUseId,
  isError: false,
  isHandedOut: true,
  durationMs: 0,
  result: 'The program that asked runs this call itself. What came of it is not known here yet.',
  summary: `${toolName} was handed to the program that asked.`,
})

const ranOnce = (toolUseId: string, toolName: string): Draft => ({
  type: 'tool_result',
  toolUseId,
  isError: false,
  durationMs: 0,
  result: 'The same call stands before it in this turn. It counts once: what came of it stands there.',
  summary: `${toolName} stands twice in this turn and counts once.`,
})

/** True if the model made the same call earlier in the same turn. */
function hasTwin({ entries }: Run, { toolUseId, toolName, toolInput }: ToolCall): boolean {
  const turn = entries.findLast(
    (entry) => entry.type === 'assistant' && callsIn(entry).some((one) => one.toolUseId === toolUseId),
  )
  if (turn?.type !== 'assistant' || turn.model === undefined) return false
  const calls = callsIn(turn)
  const key = hashOf({ toolName, toolInput })
  return calls
    .slice(
      0,
      calls.findIndex((one) => one.toolUseId === toolUseId),
    )
    .some(
      (one) =>
        one.malformed === undefined &&
        one.toolName === toolName &&
        hashOf({ toolName, toolInput: one.toolInput }) === key,
    )
}

/** Returns the operator who made this call instead of a denied one; undefined for any other call. */
function insteadIn({ entries }: Run, { toolUseId }: ToolCall): Principal | undefined {
  const turn = entries.find(
    (entry) => entry.type === 'assistant' && callsIn(entry).some((one) => one.toolUseId === toolUseId),
  )
  if (turn?.type !== 'assistant' || turn.insteadOf === undefined) return undefined
  const { by } = turn.insteadOf
  return { kind: 'command', name: by, ...personFor(by) }
}

/** Returns the call that an operator made instead of this one; undefined if there is none. */
function alternativeTo({ entries }: Run, { toolUseId }: ToolCall): ToolCall | undefined {
  const turn = entries.find((entry) => entry.type === 'assistant' && entry.insteadOf?.toolUseId === toolUseId)
  return turn?.type === 'assistant' ? callsIn(turn)[0] : undefined
}
