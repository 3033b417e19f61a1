import type { PlannedCall } from './questions.ts'
import type { Outcome } from './seen.ts'

/** Matches the block that JARVIS puts before the task of a child run. The demo answers only the task. */
const before = /^\[JARVIS: another agent asks you[\s\S]*?\]\n\n/

/** Returns true if another agent handed the task over. */
export const isHandedOver = (text: string): boolean => before.test(text)

export const taskIn = (text: string): string => text.replace(before, '')

const order =
  /^\W*(?:(?:please|jarvis|could you|can you|would you)[\s,]+)*(?:ask|have|let|get|tell)\s+(?:another agent|an agent|one agent|a helper|another helper|the agents?\s+(?<agent>[a-z][\w-]*)|the\s+(?<named>[a-z][\w-]*)\s+agent)\s+(?:to\s+)?(?<task>\S[\s\S]*)$/i
/** Matches the words between two tasks for different agents. */
const another = /(?<![\s,])[\s,]+and\s+(?:another(?:\s+one|\s+agent|\s+helper)?|a second one)\s+(?:to\s+)?/i

/**
 * Returns calls for the tasks that a message hands to other agents, such as `Ask another agent to look at the storage and another to check the
 * backups`; undefined: it hands over none.
 */
export function delegated(message: string): PlannedCall[] | undefined {
  const { agent, named, task } = order.exec(message)?.groups ?? {}
  if (task === undefined) return undefined
  const id = (agent ?? named ?? 'main').toLowerCase()
  return (
    task
      .split(another)
      .map((part) => part.replace(/(?<![\s.!?])[\s.!?]+$/, ''))
      .filter((part) => part !== '')
      // The first task goes to the named agent, all others to main.
      .map((part, at) => ({
        toolName: 'delegate',
        toolInput: { agent: at === 0 ? id : 'main', task: `${capital(part)}.` },
      }))
  )
}

/** Shows the answers of the agents, each under its task. */
export const toldBy = (outcomes: readonly Outcome[]): string =>
  outcomes
    .map(({ toolInput, text, isError }) => {
      const [, words = text] = /JARVIS's record:[\s\S]*?\n\n([\s\S]*)$/.exec(text) ?? []
      const task = String(toolInput.task ?? '').replace(/\.$/, '')
      return `**${String(toolInput.agent)}**, asked to “${task}”${isError ? ', did not get it done' : ''}:\n\n${words}`
    })
    .join('\n\n')

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
