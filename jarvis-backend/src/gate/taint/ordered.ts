import type { Verdict } from '../../protocol/index.ts'
import { taintRule } from '../policy/profile.ts'
import { type Sources, summarySource } from './taint.ts'

/** Words in the names of tools that say to what something is done. */
const things = new Set([
  'node',
  'guest',
  'vm',
  'container',
  'service',
  'config',
  'package',
  'lists',
  'network',
  'job',
  'up',
])

/**
 * The result that names a tool, which no guest, log or file does by itself: such a text was written for a model. Results that JARVIS
 * composed, and what the memory repeats, name tools rightly. Where the operator named the tool, or one of its words and of the call's
 * arguments, the order is their own.
 */
export function orderedBy(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  { results, operatorTexts }: Sources,
): string | undefined {
  const name = new RegExp(`(?<![\\w-])${toolName.replace(/[^\w]/g, '.')}(?![\\w-])`, 'i')
  const saysOf = (text: string, words: readonly string[]) =>
    words.some((word) => new RegExp(`(?<![\\w])${word.replace(/[^\w]/g, '.')}(?![\\w])`, 'i').test(text))
  const deeds = toolName.split('_').filter((word) => !things.has(word))
  const values = Object.values(input).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  )
  if (operatorTexts.some((text) => name.test(text) || (saysOf(text, deeds) && saysOf(text, values)))) return undefined
  return results.find(
    ({ text, isComposed, said, toolName: from }) =>
      isComposed !== true && said === undefined && from !== summarySource && name.test(text),
  )?.toolName
}

/** A bounded change that a result orders asks a person. @param from the tool whose result it is */
export const orderedVerdict = (toolName: string, from: string): Verdict => ({
  ...{ tier: 'red', rule: taintRule },
  reason: `The result of ${from} names ${toolName} itself, as a text does that orders it. The operator did not write that.`,
})
