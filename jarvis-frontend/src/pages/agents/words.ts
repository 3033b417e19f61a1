import type { AgentBinding, AgentDeed, AgentInfo } from 'protocol'
import { dollars, thousands } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'

const doors: Record<AgentBinding['door'], string> = {
  dashboard: 'dashboard',
  mcp: 'MCP client',
  v1: 'program',
  job: 'job',
  channel: 'channel',
}

/** A binding in words: `MCP client, token films`. */
export function bindingWords({ door, ...fields }: AgentBinding): string {
  const rest = Object.entries(fields).map(([field, value]) => `${field} ${value}`)
  return [doors[door], ...rest].join(', ')
}

/** The doors and people that are bound to an agent, for the list. */
export function talksTo({ id, bindings }: Pick<AgentInfo, 'id' | 'bindings'>): string {
  const bound = bindings.map(bindingWords)
  return (id === 'main' ? ['you', ...bound] : bound.length === 0 ? [`@${id}`] : bound).join('; ')
}

/** The part of its budget that an agent has used today. `ratio`: 0 to 1; undefined without a limit. */
export function usedWords({ usedToday, budget }: Pick<AgentInfo, 'usedToday' | 'budget'>): {
  words: string
  ratio?: number
} {
  const { tokens, usd, calls, minutes } = usedToday
  const shares = [
    budget.usd === undefined
      ? undefined
      : { ratio: usd / budget.usd, words: `${dollars(usd)} of ${dollars(budget.usd)}` },
    budget.tokens === undefined
      ? undefined
      : { ratio: tokens / budget.tokens, words: `${thousands(tokens)} of ${thousands(budget.tokens)}` },
    budget.calls === undefined
      ? undefined
      : { ratio: calls / budget.calls, words: `${calls} of ${budget.calls} calls` },
    budget.minutes === undefined
      ? undefined
      : { ratio: minutes / budget.minutes, words: `${Math.round(minutes)} of ${budget.minutes} min` },
  ].filter((share) => share !== undefined)
  const [most] = shares.toSorted((one, other) => other.ratio - one.ratio)
  if (most === undefined) return { words: tokens === 0 ? 'nothing' : `${thousands(tokens)} tokens` }
  return { ratio: most.ratio, words: most.ratio >= 1 ? 'stopped until midnight' : most.words }
}

/** Words and mark for an action: `Asked` for a call with a card, `Read` for a call that ran at once. */
export function deedWords({ kind, outcome }: Pick<AgentDeed, 'kind' | 'outcome'>): { word: string; mark: MarkKind } {
  const came: MarkKind = outcome === 'failed' ? 'bad' : outcome === 'unknown' ? 'unknown' : 'ok'
  if (kind === 'refusal') return { word: 'Refused', mark: 'none' }
  if (kind === 'decision') return { word: 'Decided', mark: 'step' }
  if (kind === 'result') return { word: came === 'ok' ? 'Did' : 'Tried', mark: came }
  if (outcome === undefined) return { word: 'Asked', mark: 'step' }
  return outcome === 'rehearsed' ? { word: 'Rehearsed', mark: 'step' } : { word: 'Read', mark: came }
}
