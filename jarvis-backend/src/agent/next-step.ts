import type { Entry, EntryOf, StopReason, ToolCall } from 'protocol'
import { callIdOf, callsIn, settles } from 'protocol/settles'
import { isStuck, repeatsOf } from './repeats.ts'
import { isMute, mutesAtEnd, timesWritten } from './unmade.ts'

export type Step =
  | { type: 'call_model'; mayCallTools: boolean }
  | { type: 'settle_calls'; calls: ToolCall[] }
  /** The same calls had the same outcomes again and again: the model gives one answer without tools, and then the run ends. */
  | { type: 'give_up' }
  /** The model ended `times` turns in a row without text and without a call. */
  | { type: 'ask_again'; times: number; mayCallTools: boolean }
  | { type: 'end'; stopReason: StopReason }

/** Decides what a run does next, from its entries alone, so the decision is the same after a restart. */
export function nextStep(entries: readonly Entry[], maxTurns: number): Step {
  const calls = openCalls(entries)
  if (calls.length > 0) return { type: 'settle_calls', calls }

  const stopped = stopOf(entries)
  if (stopped !== undefined) return { type: 'end', stopReason: stopped }
  // A call that an operator made instead of a denied one is not a turn of the model.
  const turns = entries.flatMap((entry) => (entry.type === 'assistant' && entry.insteadOf === undefined ? [entry] : []))
  const last = turns.at(-1)
  if (last === undefined) return { type: 'call_model', mayCallTools: true }
  const isSilent = last.stopReason === 'end_turn' && isMute(last)
  if (turns.length > maxTurns && !isSilent) return { type: 'end', stopReason: 'loop_limit' }
  switch (last.stopReason) {
    case 'tool_use':
      // A command or a client’s call needs no answer in text.
      if (last.madeBy !== undefined) return { type: 'end', stopReason: 'end_turn' }
      // The program that sent the message runs these calls itself, and continues with another message.
      if (isHandedOut(entries, last)) return { type: 'end', stopReason: 'end_turn' }
      if (isStuck(repeatsOf(entries))) return { type: 'give_up' }
      return { type: 'call_model', mayCallTools: turns.length < maxTurns }
    case 'pause_turn':
    // The server stopped during this turn. If a person stops a run, the run gets its last entry at once, so it does not reach this line.
    case 'interrupted':
      return { type: 'call_model', mayCallTools: turns.length < maxTurns }
    case 'end_turn': {
      const mayCallTools = turns.length < maxTurns
      if (last.unmade?.why === 'text')
        return timesWritten(entries) === 1
          ? { type: 'call_model', mayCallTools }
          : { type: 'end', stopReason: 'unanswered' }
      if (isSilent) return { type: 'ask_again', times: mutesAtEnd(entries).length, mayCallTools }
      return { type: 'end', stopReason: 'end_turn' }
    }
    case 'max_tokens':
    case 'refusal':
      return { type: 'end', stopReason: last.stopReason }
    default:
      return last.stopReason satisfies never
  }
}

/** True if the program that asked runs a call of this turn itself. */
function isHandedOut(entries: readonly Entry[], turn: EntryOf<'assistant'>): boolean {
  const ids = new Set(callsIn(turn).map(({ toolUseId }) => toolUseId))
  return entries.some((entry) => entry.type === 'tool_result' && entry.isHandedOut === true && ids.has(entry.toolUseId))
}

/** Returns the reason if a limit or repeated turns stopped the run. The run’s last answer may come after the entry that records the stop. */
function stopOf(entries: readonly Entry[]): 'budget' | 'stuck' | undefined {
  const line = entries.findLast(({ type }) => type === 'stuck' || type === 'budget')
  if (line?.type === 'stuck') return 'stuck'
  return line?.type === 'budget' && line.what === 'stopped' ? 'budget' : undefined
}

/** The calls without an outcome, in the order in which they were made. */
export function openCalls(entries: readonly Entry[]): ToolCall[] {
  const open = new Map<string, ToolCall>()
  for (const entry of entries) {
    if (entry.type === 'assistant') {
      for (const call of callsIn(entry)) open.set(call.toolUseId, call)
    } else if (settles(entry)) {
      open.delete(callIdOf(entry))
    }
  }
  return [...open.values()]
}
