import { hashOf } from 'node-kit/canonical'
import type { Entry, ToolCall } from 'protocol'
import { callIdOf, callsIn, type Settling, settles } from './settles.ts'
import { steady } from './steady.ts'

/** After this many equal turns in a row the model is told. */
export const equalTurnsTold = 3
/** After this many equal turns in a row the run is stuck. */
export const equalTurnsStuck = 5
/** The longest cycle of turns that is searched for, and how often it must come for a run to count as stuck. */
const longestCycle = 4
const cyclesStuck = 3

/** How the newest turn repeats earlier ones. `equal`: the number of equal turns in a row. `cycle`: the length of a cycle that came three times. */
export type Repeats = { equal: number; cycle: number | undefined }

/** Returns how a turn repeats those before it. A turn without calls, or with a call without an outcome, repeats nothing. */
export type RepeatsOf = (runId: string, calls: readonly ToolCall[]) => Repeats

/**
 * Compares the turns of a run by their calls and outcomes, refused and denied calls included. Turns are equal if they have the same tools, arguments
 * and results, except clocks, uptimes and counters in the results. Pass the turns in order.
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

/** Figures such as `seen 36 s ago` and `attempt 3`, which differ each time for one and the same failure. */
const figures = /(?<![\w.:-])[\w.:-]*\d[\w.:-]*(?: (?:ms|s|min|h|d)\b)?/g

/** Equal for two outcomes with the same information for the model. */
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
      // Equal turns are no cycle.
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

/** The words for a person when a run is stuck. @param entries the run's */
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
