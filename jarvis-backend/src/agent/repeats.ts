import type { Entry, ToolCall } from '../protocol/index.ts'
import { callIdOf, callsIn, type Settling, settles } from './settles.ts'
import { saying } from './tool-runner.ts'

/** After this many turns with the same outcome of the same call the model is told; after one more the run ends. */
export const mostRepeats = 3

/** Counts in how many turns of a run the same call had the same outcome. Give it the turns in order. */
export function createRepeats(entries: readonly Entry[]) {
  const outcomes = new Map(entries.filter(settles).map((entry) => [callIdOf(entry), sameAs(entry)]))
  const turnsOf = new Map<string, number>()
  /** @returns the greatest count among the calls of this turn, 0 without calls. A call that has no outcome yet counts as new. */
  return (runId: string, calls: readonly ToolCall[]): number => {
    const keys = calls.flatMap(({ toolUseId, toolName, toolInput }) => {
      const outcome = outcomes.get(toolUseId)
      return outcome === undefined ? [] : [JSON.stringify([runId, toolName, sorted(toolInput), outcome])]
    })
    for (const key of new Set(keys)) turnsOf.set(key, (turnsOf.get(key) ?? 0) + 1)
    return Math.max(0, ...keys.map((key) => turnsOf.get(key) ?? 0))
  }
}

/** `last seen 36 s ago`, `request 8f3a`: of one failure these differ each time. */
const figures = /[\w.:-]*\d[\w.:-]*(?: (?:ms|s|min|h|d)\b)?/g

/** Equal for two outcomes with the same information for the model. */
const sameAs = (entry: Settling): string =>
  entry.type === 'tool_result' && entry.isError ? words(entry).replace(figures, '#') : words(entry)

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

/** The order of the arguments has no meaning. */
const sorted = (input: ToolCall['toolInput']) => Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))

/** What a person is told where a run ends because it is stuck. @param entries the run's */
export function stuckWords(entries: readonly Entry[]) {
  const turns = entries.filter((entry) => entry.type === 'assistant')
  const newest = turns.at(-1)
  const names = newest === undefined ? [] : new Set(callsIn(newest).map(({ toolName }) => toolName))
  const outcome = entries.findLast(settles)
  const came = outcome === undefined ? '' : ` The last time it said: ${firstLine(words(outcome))}`
  return saying(
    `I stopped: I made the same call (${[...names].join(', ')}) ${mostRepeats + 1} times, and the outcome was the same each time.${came}\n\nTell me what to try instead, or change what is in the way and ask again.`,
  )
}

const firstLine = (text: string) => {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`.toWellFormed()
}
