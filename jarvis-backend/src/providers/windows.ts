import type { Window } from '../agent/context/next-fold.ts'

/** The window of a model that the table does not know, tokens. */
const unknownWindow = 32_000

/**
 * Context windows in tokens, matched against the last part of the model's id. The first matching row counts. If an account can buy a larger window,
 * the table holds the usual one. For `gpt-5` the figure is the limit of the input.
 */
const windows: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^claude-(?:2|instant)/, 100_000],
  [/^claude-/, 200_000],
  [/^gpt-4\.1/, 1_047_576],
  // OpenAI's figure of 400,000 covers input and output together; 272,000 of them are for input.
  [/^gpt-5/, 272_000],
  [/^(?:gpt-4o|chatgpt-4o|gpt-4-turbo|o1-mini|o1-preview)/, 128_000],
  [/^o[134]/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^gpt-oss/, 131_072],
]

/** Maximum share of a window that is reserved for the answer. */
const mostForAnswer = 0.25

/** Returns the context window by the model's name, tokens; undefined if the table does not know the model. @param id `provider/model` */
export function windowByName(id: string): number | undefined {
  // Bedrock puts the maker before the name, and a region before the maker.
  const name = (id.split('/').at(-1)?.toLowerCase() ?? '').replace(
    /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google)\./,
    '',
  )
  return windows.find(([known]) => known.test(name))?.[1]
}

/**
 * Returns the context window of a model. @param id `provider/model` @param answer maximum length of an answer in tokens, thinking included @param
 * set tokens from the operator's settings or from the server; they override the table
 */
export function windowOf(id: string, answer: number, set?: number): Window {
  const tokens = set ?? windowByName(id) ?? unknownWindow
  return { tokens, answer: Math.min(answer, Math.floor(tokens * mostForAnswer)) }
}
