import type { PlannedCall } from './questions.ts'
import { plain } from './words.ts'

const wish =
  /[\s,]*\b(?:as (?:a|one|a single) plan|in one go|on one card|with one approval)\b[\s,:]*|^\W*(?:please )?(?:propose|make)(?: me)? a plan(?: to| for| that)?\b[\s:,]*/i

/** Returns the message without the wish for one plan, such as `in one go` in `restart 104 and 105 in one go`; undefined: there is no such wish. */
export function wishedAsPlan(message: string): string | undefined {
  const rest = message.replace(wish, ' ').trim()
  return wish.test(message) && rest !== '' ? rest : undefined
}

/** Makes a plan from calls, in their order. Each step waits for the one before it. @param goal the person's words */
export const planOf = (goal: string, calls: readonly PlannedCall[]): PlannedCall => ({
  toolName: 'propose_plan',
  toolInput: {
    goal: goal.slice(0, 500),
    steps: calls.map(({ toolName, toolInput }, at) => ({
      id: idOf(calls, at),
      tool: toolName,
      input: toolInput,
      ...(at > 0 && { after: [idOf(calls, at - 1)] }),
    })),
  },
})

const idOf = (calls: readonly PlannedCall[], at: number) => `${calls[at]?.toolName}_${at + 1}`

/** Tells the result of a plan: a sentence, and a line for each step. @param text of the tool's result */
export function planWords(text: string): string {
  const [head = '', ...steps] = text.split('\n')
  return [plain(head), steps.map((line) => plain(line).replace(/^(\d+)\. [^:]*: /, '$1. ')).join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}
