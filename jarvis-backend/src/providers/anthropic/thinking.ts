import type Anthropic from '@anthropic-ai/sdk'
import type { Effort } from 'protocol'

type Thinking = Pick<Anthropic.MessageCreateParamsStreaming, 'max_tokens' | 'thinking' | 'output_config'>

/** The way to ask a model for thinking. `none`: the model cannot think. */
export type ThinkingMode = 'adaptive' | 'budget' | 'none'

/** Tokens for thinking, in addition to those of the answer. */
const budgets = { low: 2_048, medium: 8_192, high: 16_384 }
/** Limit of `max_tokens` that every thinking model accepts. Longer limits already leave room for thinking. */
const mostWithThoughts = 32_000
const leastBudget = 1_024

/**
 * Returns the thinking mode of a model. Models up to 4.5 accept only a budget; models from 4.7 accept only `adaptive`; unknown models are treated as
 * new.
 */
export function thinkingMode(model: string): ThinkingMode {
  if (/claude-3-7/.test(model)) return 'budget'
  if (/claude-(?:[12]\b|3-|instant)/.test(model)) return 'none'
  const [, major, minor = '0'] = /claude-(?:opus|sonnet|haiku)-(\d)(?:-(\d)(?!\d))?/.exec(model) ?? []
  if (major === undefined) return 'adaptive'
  return Number(major) === 4 && Number(minor) <= 5 ? 'budget' : 'adaptive'
}

/** Limits, tokens. `maxTokens`: the limit of the answer, without thinking that may come on top. `most`: the limit of answer and thinking together. */
type Limits = { maxTokens: number; most?: number | undefined }

/**
 * The fields of a request that set thinking.
 * @param effort undefined: the model's default
 */
export function thinkingFields(mode: ThinkingMode, effort: Effort | undefined, limits: Limits): Thinking {
  const { most = Number.POSITIVE_INFINITY } = limits
  const maxTokens = Math.min(limits.maxTokens, most)
  if (effort === undefined || mode === 'none') return { max_tokens: maxTokens }
  if (effort === 'off') return { max_tokens: maxTokens, ...(mode === 'adaptive' && { thinking: { type: 'disabled' } }) }
  const max_tokens = Math.min(most, Math.max(maxTokens, Math.min(maxTokens + budgets[effort], mostWithThoughts)))
  if (mode === 'adaptive')
    return { max_tokens, thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort } }
  const budget_tokens = Math.min(budgets[effort], max_tokens - leastBudget)
  return { max_tokens, ...(budget_tokens >= leastBudget && { thinking: { type: 'enabled', budget_tokens } }) }
}
