import type { Entry, EntryOf } from 'protocol'

type Turn = EntryOf<'assistant'>
export type Unmade = NonNullable<Turn['unmade']>

/** True for a model’s turn that has neither text nor a call. */
export const isMute = ({ content, madeBy, stopReason }: Turn): boolean =>
  madeBy === undefined &&
  (stopReason === 'end_turn' || stopReason === 'max_tokens') &&
  !content.some((item) => item.type === 'tool_call' || (item.type === 'text' && item.text.trim() !== ''))

/** Returns the turns without text at the end of a run, oldest first. */
export function mutesAtEnd(entries: readonly Entry[]): Turn[] {
  const turns = entries.filter((entry) => entry.type === 'assistant')
  return turns.slice(turns.findLastIndex((turn) => !isMute(turn)) + 1)
}

/** Counts the turns of a run in which a model wrote its calls as text. */
export const timesWritten = (entries: readonly Entry[]): number =>
  entries.filter((entry) => entry.type === 'assistant' && entry.unmade?.why === 'text').length

/** Advice for a person whose server does not read its model's calls. */
export const letServerRead =
  'Set its server to read the model’s calls: --jinja for llama.cpp, --enable-auto-tool-choice with --tool-call-parser for vLLM and SGLang, a model whose template has tools for Ollama and LM Studio. Or choose another model.'

/** Returns the text for a person after a turn whose calls were not run. @param isAgain true if the model had been told before */
export function unmadeWords({ why, toolNames }: Unmade, isAgain: boolean): string {
  const names = namesOf(toolNames)
  if (why === 'cut')
    return `Nothing was run: the answer was cut at its limit of tokens, in the middle of a call of ${names}. Raise the limit of the model’s answers, or ask for less at once.`
  const first = `Nothing was run: the model wrote a call of ${names} as text instead of making it.`
  return isAgain ? `${first} ${letServerRead}` : first
}

/** Returns the text for the model about its own turn whose calls were not run. */
export const unmadeTold = ({ why, toolNames }: Unmade): string =>
  why === 'cut'
    ? `[JARVIS: your answer was cut at its limit of tokens, in the middle of a call of ${namesOf(toolNames)}. Nothing was run.]`
    : `[JARVIS: you wrote a call of ${namesOf(toolNames)} as text. Nothing was run, and nothing is ever run from text. Make the call with the tools that you are given, or answer in words.]`

/** Returns the text for a person about a run without an answer. @param mutes the last turns of the run, all without text */
export function unansweredWords(mutes: readonly Turn[]): string {
  const models = [...new Set(mutes.map(({ model }) => model ?? 'the model'))]
  const who = models.length === 1 ? `${models[0]} ended its reply` : `${models.join(' and ')} ended their replies`
  return `There is no answer: ${who} without a word each time it was asked. Ask again, or choose another model.`
}

/** The text for a person about an answer that reached its token limit before its first word. */
export const cutBeforeWords =
  'There is no answer: it reached its limit of tokens before the first word, in the model’s thinking. Raise the limit of the model’s answers, or lower its effort.'

const namesOf = (names: readonly string[]): string => names.map((name) => name.slice(0, 80)).join(', ')
