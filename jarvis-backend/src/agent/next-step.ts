import type { Entry, StopReason, ToolCall } from '../protocol/index.ts'
import { createRepeats, mostRepeats } from './repeats.ts'
import { callIdOf, callsIn, settles } from './settles.ts'

export type Step =
  | { type: 'call_model'; mayCallTools: boolean }
  | { type: 'settle_calls'; calls: ToolCall[] }
  | { type: 'end'; stopReason: StopReason }

/** Decides what a run does next, from its entries alone, so the decision is the same after a restart. */
export function nextStep(entries: readonly Entry[], maxTurns: number): Step {
  const calls = openCalls(entries)
  if (calls.length > 0) return { type: 'settle_calls', calls }

  const turns = entries.filter((entry) => entry.type === 'assistant')
  const last = turns.at(-1)
  if (last === undefined) return { type: 'call_model', mayCallTools: true }
  if (turns.length > maxTurns) return { type: 'end', stopReason: 'loop_limit' }
  switch (last.stopReason) {
    case 'tool_use':
      // A command or a client's call needs no answer in words.
      if (last.madeBy !== undefined) return { type: 'end', stopReason: 'end_turn' }
      if (repeats(entries) > mostRepeats) return { type: 'end', stopReason: 'stuck' }
      return { type: 'call_model', mayCallTools: turns.length < maxTurns }
    case 'pause_turn':
    // The server stopped during this turn. A run stopped by a person already has its last entry.
    case 'interrupted':
      return { type: 'call_model', mayCallTools: turns.length < maxTurns }
    case 'end_turn':
    case 'max_tokens':
    case 'refusal':
      return { type: 'end', stopReason: last.stopReason }
    default:
      return last.stopReason satisfies never
  }
}

/** The greatest number of turns in which a call of the newest turn had the same outcome. */
function repeats(entries: readonly Entry[]): number {
  const count = createRepeats(entries)
  return entries.reduce(
    (newest, entry) => (entry.type === 'assistant' ? count(entry.runId, callsIn(entry)) : newest),
    0,
  )
}

/** The calls that were asked for and have no outcome yet, in the order they were asked. */
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
