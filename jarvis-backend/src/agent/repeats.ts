import { hashOf } from 'node-kit/canonical'
import type { Entry, ToolCall } from 'protocol'
import { callIdOf, callsIn, type Settling, settles } from 'protocol/settles'
import { steady } from './steady.ts'

/** After this many equal turns in a row, the model is told that it repeats itself. */
export const equalTurnsTold = 3
/** After this many equal turns in a row the run is stuck. */
export const equalTurnsStuck = 5
/**
 * `longestCycle`: the longest cycle that is searched for, turns. `cyclesStuck`: how many times a cycle must be repeated for the run to count as
 * stuck.
 */
const longestCycle = 4
const cyclesStuck = 3

/**
 * The repetition at the newest turn. `equal`: the number of equal turns in a row. `cycle`: the length in turns of a cycle that was repeated three
 * times; undefined if there is none.
 */
export type Repeats = { equal: number; cycle: number | undefined }

/** Returns how a turn repeats the turns before it. A turn without calls, or with a call that has no outcome, repeats nothing. */
export type RepeatsOf = (runId: string, calls: readonly ToolCall[]) => Repeats

/**
 * Creates a function that compares the turns of a run by their calls and outcomes; refused and denied calls count too. Two turns are equal if they
 * have the same tools, arguments and results; clocks, uptimes and counters in the results are ignored. Call the function for the turns in order.
 */
export function createRepeats(entries: readonly Entry[]): RepeatsOf {
  const outcomes = new Map(entries.filter(settles).map((entry) => [callIdOf(entry), entry]))
  const turnsOf = new Map<string, string[]>()
  return (runId, calls) => {
    const turns = turnsOf.get(runId) ?? []
    turnsOf.set(runId, turns)
    const settled = calls.flatMap((call) => {
      const outcome = outcomes.get(call.toolUseId)
      return outcome === undefined ? [] : keyOf(call, outcome)
    })
    if (settled.length === 0 || settled.length < calls.length) {
      turns.length = 0
      return { equal: 0, cycle: undefined }
    }
    turns.push([...new Set(settled)].sort().join(' '))
    return { equal: equalAtEnd(turns), cycle: cycleAtEnd(turns) }
  }
}

/** True if another turn would only repeat the same outcome. */
export const isStuck = ({ equal, cycle }: Repeats): boolean => equal >= equalTurnsStuck || cycle !== undefined

/** Hashes of settled calls by outcome. Entries do not change, and each step of a run compares all of them again. */
const keys = new WeakMap<Settling, { call: ToolCall; key: string }>()

function keyOf(call: ToolCall, outcome: Settling): string {
  const known = keys.get(outcome)
  if (known?.call === call) return known.key
  const { toolName, toolInput } = call
  const key = hashOf({ toolName, toolInput, outcome: sameAs(outcome), isError: isError(outcome) })
  keys.set(outcome, { call, key })
  return key
}

/** Matches figures such as `36 s` in `seen 36 s ago` and `3` in `attempt 3`, which differ each time although the failure is the same. */
const figures = /(?<![\w.:-])[\w.:-]*\d[\w.:-]*(?: (?:ms|s|min|h|d)\b)?/g

/** Returns a text that is equal for two outcomes that tell the model the same. */
const sameAs = (entry: Settling): string =>
  entry.type === 'tool_result' && entry.isError ? words(entry).replace(figures, '#') : steady(words(entry))

const isError = (entry: Settling) => entry.type !== 'tool_result' || entry.isError

function equalAtEnd(turns: readonly string[]): number {
  const last = turns.at(-1)
  const other = turns.findLastIndex((turn) => turn !== last)
  return turns.length - 1 - other
}

function cycleAtEnd(turns: readonly string[]): number | undefined {
  for (let length = 2; length <= longestCycle; length += 1) {
    const tail = turns.slice(-length * cyclesStuck)
    if (tail.length === length * cyclesStuck && tail.every((turn, at) => turn === tail[at % length])) {
      // Turns that are all equal are not a cycle.
      if (tail.some((turn) => turn !== tail[0])) return length
    }
  }
  return undefined
}

function words(entry: Settling): string {
  switch (entry.type) {
    case 'tool_result':
      return entry.result
    case 'blocked':
      return entry.reason
    case 'confirm_resolved':
      return entry.decision
  }
}

/** Says how the newest turn with calls repeats earlier ones since a person wrote. @param all a run's entries */
export function repeatsOf(all: readonly Entry[]): Repeats {
  const entries = all.slice(all.findLastIndex(({ type }) => type === 'user') + 1)
  const count = createRepeats(entries)
  return entries.reduce<Repeats>(
    (newest, entry) => (entry.type === 'assistant' ? count(entry.runId, callsIn(entry)) : newest),
    { equal: 0, cycle: undefined },
  )
}

/** Returns the text for a person about a run that is stuck. @param entries the run’s entries */
export function stuckWords(entries: readonly Entry[]): string {
  const { cycle } = repeatsOf(entries)
  const turns = entries.filter((entry) => entry.type === 'assistant').slice(-(cycle ?? 1))
  const names = [...new Set(turns.flatMap((turn) => callsIn(turn).map(({ toolName }) => toolName)))].join(', ')
  const outcome = entries.findLast(settles)
  const came = outcome === undefined ? '' : ` The last time it said: ${firstLine(words(outcome))}`
  const what =
    cycle === undefined
      ? `I made the same call (${names}) ${equalTurnsStuck} times in a row, and the outcome was the same each time.`
      : `I made the same ${cycle} calls (${names}) ${cyclesStuck} times over, and the outcomes were the same each time.`
  return `${what}${came}`
}

const firstLine = (text: string) => {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`.toWellFormed()
}
