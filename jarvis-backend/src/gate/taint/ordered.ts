import type { Verdict } from '../../protocol/index.ts'
import { taintRule } from '../policy/profile.ts'
import { type Sources, summarySource } from './taint.ts'

/**
 * The result that names a tool, which no guest, log or file does by itself: such a text was written for a model. Results that JARVIS
 * composed, and what the memory repeats, name tools rightly. Nothing is an order of the operator's own.
 */
export function orderedBy(toolName: string, { results, operatorTexts }: Sources): string | undefined {
  const name = new RegExp(`(?<![\\w-])${toolName.replace(/[^\w]/g, '.')}(?![\\w-])`, 'i')
  if (operatorTexts.some((text) => name.test(text))) return undefined
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
