import type { Window } from '../agent/context/next-fold.ts'

/** The window of a model that the table does not know, tokens. */
const unknownWindow = 32_000

/**
 * How much a model reads and writes at once, tokens, by the last part of its name; the first that fits counts. Where an account may have
 * a larger window for more money, the usual one stands here.
 */
const windows: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^claude-(?:2|instant)/, 100_000],
  [/^claude-/, 200_000],
  [/^gpt-4\.1/, 1_047_576],
  // OpenAI names 400,000 for both directions together, of which 272,000 may be read.
  [/^gpt-5/, 272_000],
  [/^(?:gpt-4o|chatgpt-4o|gpt-4-turbo|o1-mini|o1-preview)/, 128_000],
  [/^o[134]/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^gpt-oss/, 131_072],
]

/** At most this share of a window is kept for the answer. */
const mostForAnswer = 0.25

/** The window by the model's name, tokens; undefined where the table does not know it. @param id `provider/model` */
export function windowByName(id: string): number | undefined {
  // Bedrock puts the maker before the name, and a region before the maker.
  const name = (id.split('/').at(-1)?.toLowerCase() ?? '').replace(
    /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google)\./,
    '',
  )
  return windows.find(([known]) => known.test(name))?.[1]
}

/**
 * The window of a model.
 * @param id `provider/model`
 * @param answer the most tokens of an answer, thinking included
 * @param set tokens that the operator has set, or the server names; they count more than the table
 */
export function windowOf(id: string, answer: number, set?: number): Window {
  const tokens = set ?? windowByName(id) ?? unknownWindow
  return { tokens, answer: Math.min(answer, Math.floor(tokens * mostForAnswer)) }
}
