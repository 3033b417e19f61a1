import type { JobTrace } from 'protocol'
import { callsIn } from 'protocol/settles'
import type { StoredEntry } from './sessions/transcript-store.ts'
import { tokensOf } from './spent.ts'

/** A call of a run. `toolUseId`: the call’s id, even if a new card with another id replaced the call’s card. */
type Step = JobTrace['steps'][number] & { toolUseId: string }

/** Returns the calls of a run in order, each with its newest state, from the run’s entries. */
export function stepsOf(entries: readonly StoredEntry[]): Step[] {
  const steps = new Map<string, Step>()
  /** Returns the id of the call to which an entry belongs. A card that replaced an earlier one has an id of its own. */
  const callOf = (entry: { toolUseId: string; callId?: string | undefined }) => entry.callId ?? entry.toolUseId
  const change = (id: string, facts: Partial<Step>) => {
    const step = steps.get(id)
    if (step !== undefined) Object.assign(step, facts)
  }
  for (const entry of entries) {
    switch (entry.type) {
      case 'assistant':
        for (const { toolUseId, toolName, toolInput } of callsIn(entry))
          steps.set(toolUseId, {
            toolUseId,
            at: entry.at,
            toolName,
            toolInput,
            tier: 'unknown',
            summary: '',
            state: 'waits',
          })
        break
      case 'confirm_needed':
        change(callOf(entry), { tier: entry.tier, state: 'waits', summary: `Waits for a person: ${entry.reason}` })
        break
      case 'confirm_resolved':
        if (entry.decision !== 'approved' && entry.replacedBy === undefined)
          change(callOf(entry), { state: 'refused', summary: decisionWords(entry) })
        break
      case 'tool_use':
        change(entry.toolUseId, { at: entry.at, tier: entry.tier })
        break
      case 'blocked':
        change(entry.toolUseId, { tier: entry.tier, state: 'refused', summary: entry.reason })
        break
      case 'tool_result':
        change(entry.toolUseId, {
          summary: entry.summary,
          state: entry.isUnknown === true ? 'unknown' : entry.isError ? 'failed' : 'done',
          ...(entry.durationMs !== undefined && { durationMs: entry.durationMs }),
        })
        break
      case 'reconciled':
        change(entry.toolUseId, { summary: entry.text, state: entry.outcome })
        break
      default:
    }
  }
  return [...steps.values()]
}

const decisionWords = ({ decision, by, note }: { decision: string; by: string; note?: string | undefined }) =>
  `${decision === 'expired' ? 'Nobody decided its card in time' : decision === 'denied' ? `Denied by ${by}` : `Its card was withdrawn by ${by}`}${note === undefined ? '.' : `: ${note}`}`

/** Returns the model’s last text; undefined if the model wrote none. */
export function saidIn(entries: readonly StoredEntry[]): string | undefined {
  const last = entries.findLast(
    (entry) => entry.type === 'assistant' && entry.content.some(({ type }) => type === 'text'),
  )
  if (last?.type !== 'assistant') return undefined
  return last.content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('\n')
}

/**
 * Returns the outcome of a run; undefined while the run goes on. `failed`: the run ended early or with an error, a call was refused, or the run
 * consists of one call, which failed. `unknown`: the outcome of a call is not known.
 */
export function outcomeOf(
  entries: readonly StoredEntry[],
): { state: 'done' | 'failed' | 'unknown'; summary: string; tokens?: number; costUsd?: number } | undefined {
  const end = entries.at(-1)
  if (end?.type !== 'done' && end?.type !== 'error') return undefined
  const steps = stepsOf(entries)
  const said = saidIn(entries)
  const isCall = !entries.some(({ type }) => type === 'user')
  const hasModel = entries.some((entry) => entry.type === 'assistant' && entry.model !== undefined)
  const spent = {
    ...(hasModel && { tokens: tokensOf(entries) }),
    costUsd: end.costUsd,
  }
  const came = (state: 'done' | 'failed' | 'unknown', summary: string) => ({
    state,
    summary: oneLine(summary),
    ...spent,
  })
  const unknown = steps.find(({ state }) => state === 'unknown')
  if (unknown !== undefined) return came('unknown', `${unknown.toolName}: ${unknown.summary}`)
  if (end.type === 'error') return came('failed', end.error)
  if (end.stopReason === 'aborted') return came('failed', 'It was stopped.')
  const refused = steps.find(({ state }) => state === 'refused')
  if (refused !== undefined) return came('failed', `${refused.toolName}: ${refused.summary}`)
  const failed = isCall ? steps.find(({ state }) => state === 'failed') : undefined
  if (failed !== undefined) return came('failed', failed.summary)
  if (end.stopReason === 'max_tokens') return came('failed', `The answer was cut at its limit of tokens. ${said ?? ''}`)
  if (end.stopReason !== 'end_turn') return came('failed', said ?? `It ended early: ${end.stopReason}.`)
  return came('done', said ?? steps.at(-1)?.summary ?? 'It ended without a word.')
}

const longestSummary = 300
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line
}
