import type { Severity, ToolInput } from 'protocol'
import { holds, readCondition, wordsOfCondition } from '../runbooks/expressions.ts'
import { NotKnown, seenWords } from '../runbooks/fill.ts'
import type { Check, Measure } from './check.ts'
import { seen, siteObject, when } from './measure.ts'

/** A check that looks at the answer of a read-only tool. `when`: a condition over `$result`, written as in a runbook. */
export type OwnTool = { tool: string; args: ToolInput; when: string }

/** @throws ExpressionFault if the text is not a condition */
export function lookAtTool(
  title: string,
  severity: Severity,
  own: OwnTool,
): Pick<Check, 'reads' | 'limit' | 'pace' | 'from' | 'look'> {
  const condition = readCondition(own.when)
  return {
    reads: `the tool ${own.tool}`,
    limit: () => `When ${wordsOfCondition(condition)}.`,
    pace: 'sweep',
    from: [],
    async look({ ask }) {
      const { data, problem } = await ask(own.tool, own.args)
      if (problem !== undefined) throw new Error(problem)
      const scope = new Map([['result', data]])
      const words = seenWords(condition, scope)
      const of = { object: siteObject, words, sentence: `${title}: ${words}.` }
      const measure = (level: Measure['level']) => seen([{ ...of, level }])
      try {
        return measure(when(holds(condition, scope), severity))
      } catch (error) {
        if (error instanceof NotKnown) return measure('unseen')
        throw error
      }
    },
  }
}
