import { hashOf } from 'node-kit/canonical'
import { type Principal, personFor, type ToolCall } from 'protocol'
import type { ActiveRun } from '../active-run.ts'
import { loadedSkills } from '../loaded-skills.ts'
import { rightsOf } from '../principal.ts'
import type { RunParts } from '../run-agent.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Draft, Given } from '../sessions/transcript-store.ts'
import { callsIn } from '../settles.ts'
import { toldBy } from '../speaker.ts'
import { contextOf } from '../tool-runner.ts'
import type { createRunEnds } from './ends.ts'
import { isOfProgram, type RunFacts } from './facts.ts'
import type { createRunReading } from './reading.ts'

/** @returns a function that runs all calls at once, and changes to the same thing one after the other in the order of the calls */
export function createSettleCalls(
  { tools, speaker, isRead }: Pick<RunParts, 'tools' | 'speaker' | 'isRead'>,
  { principalIn, refusalIn, kinOf }: RunFacts,
  { sourcesFor, earlierEntries }: ReturnType<typeof createRunReading>,
  { endWith }: ReturnType<typeof createRunEnds>,
) {
  return async (session: LiveSession, run: ActiveRun, open: ToolCall[]): Promise<void> => {
    const lastOf = run.locks
    const refusal = refusalIn(run)

    /** Settles a call and then, where it was denied for another one, that one. */
    function settle(call: ToolCall): Promise<void> {
      const locks = tools.locksOf(call)
      const earlier = locks.flatMap((lock) => lastOf.get(lock) ?? [])
      const own = insteadIn(run, call)
      const principal = own ?? principalIn(run)
      const settled = tools.settle(call, {
        ...contextOf(session, run),
        principal,
        kin: () => kinOf(session, run),
        ...(refusal && own === undefined && { refusal }),
        append(entry) {
          if (entry.type === 'tool_result') delete run.progress[entry.toolUseId]
          const by = toldBy(entry)
          const name = by === undefined ? undefined : speaker(session.id, by)
          const named: Draft & Given = name === undefined ? entry : { ...entry, speaker: name }
          const entries = [...run.entries, session.append(run, named)]
          if (entry.type === 'tool_result' && !rightsOf(principal).hasModel) endWith(session, run, entries)
        },
        abortedBy: () => run.abortedBy,
        before: earlier.length === 0 ? undefined : Promise.all(earlier),
        isRehearsal: () => session.isRehearsal,
        loadedSkills: () => loadedSkills([...earlierEntries(session, run), ...run.entries]),
        // What the operator calls is the operator's own words.
        sources: () => (own === undefined ? sourcesFor(session, run, call) : { results: [], operatorTexts: [] }),
      })
      // A call's failure does not keep later calls from beginning.
      const isOver = settled.catch(() => {})
      for (const lock of locks) lastOf.set(lock, isOver)
      void isOver.then(() => {
        for (const lock of locks) if (lastOf.get(lock) === isOver) lastOf.delete(lock)
      })
      return settled.then(
        async () => {
          const other = alternativeTo(run, call)
          if (other !== undefined) await settle(other)
        },
        (error: unknown) => {
          // The failure cannot be stored, so the run ends and withdraws its cards.
          run.abort.abort()
          throw error
        },
      )
    }

    // A call that an operator makes in place of a denied one is JARVIS's own.
    const isTheirs = (call: ToolCall) =>
      call.malformed === undefined && isOfProgram(run.origin, call.toolName) && insteadIn(run, call) === undefined
    const isTwin = (call: ToolCall) => !isTheirs(call) && !isRead(call.toolName) && hasTwin(run, call)
    const twins = open.filter(isTwin)
    for (const { toolUseId, toolName } of twins) session.append(run, ranOnce(toolUseId, toolName))
    const outcomes = await Promise.allSettled(
      open.filter((call) => !isTheirs(call) && !twins.includes(call)).map(settle),
    )
    const fault = outcomes.find((outcome) => outcome.status === 'rejected')
    if (fault !== undefined) throw fault.reason
    if (run.abort.signal.aborted) return
    for (const { toolUseId, toolName } of open.filter(isTheirs)) session.append(run, handedOut(toolUseId, toolName))
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

/** Whether the same call stands before it in its model's turn. */
function hasTwin({ entries }: ActiveRun, { toolUseId, toolName, toolInput }: ToolCall): boolean {
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

/** Whose call it is, where an operator makes it in place of a denied one. */
function insteadIn({ entries }: ActiveRun, { toolUseId }: ToolCall): Principal | undefined {
  const turn = entries.find(
    (entry) => entry.type === 'assistant' && callsIn(entry).some((one) => one.toolUseId === toolUseId),
  )
  if (turn?.type !== 'assistant' || turn.insteadOf === undefined) return undefined
  const { by } = turn.insteadOf
  return { kind: 'command', name: by, ...personFor(by) }
}

/** The call that an operator makes in place of this one. */
function alternativeTo({ entries }: ActiveRun, { toolUseId }: ToolCall): ToolCall | undefined {
  const turn = entries.find((entry) => entry.type === 'assistant' && entry.insteadOf?.toolUseId === toolUseId)
  return turn?.type === 'assistant' ? callsIn(turn)[0] : undefined
}
