import type { PlannedCall } from './questions.ts'
import type { Outcome } from './seen.ts'

/** What a child run reads before its task; the demo answers the task alone. */
const before = /^\[JARVIS: another agent asks you[\s\S]*?\]\n\n/

/** Whether another agent asked. */
export const isHandedOver = (text: string): boolean => before.test(text)

export const taskIn = (text: string): string => text.replace(before, '')

const order =
  /^\W*(?:(?:please|jarvis|could you|can you|would you)[\s,]+)*(?:ask|have|let|get|tell)\s+(?:another agent|an agent|one agent|a helper|another helper|the agents?\s+(?<agent>[a-z][\w-]*)|the\s+(?<named>[a-z][\w-]*)\s+agent)\s+(?:to\s+)?(?<task>\S[\s\S]*)$/i
/** Where the task of another one begins. */
const another = /(?<![\s,])[\s,]+and\s+(?:another(?:\s+one|\s+agent|\s+helper)?|a second one)\s+(?:to\s+)?/i

/** The tasks that a message hands to other agents, as `Ask another agent to look at the storage and another to check the backups`. */
export function delegated(message: string): PlannedCall[] | undefined {
  const { agent, named, task } = order.exec(message)?.groups ?? {}
  if (task === undefined) return undefined
  const id = (agent ?? named ?? 'main').toLowerCase()
  return (
    task
      .split(another)
      .map((part) => part.replace(/(?<![\s.!?])[\s.!?]+$/, ''))
      .filter((part) => part !== '')
      // The named agent takes the first task; “another” is not it.
      .map((part, at) => ({
        toolName: 'delegate',
        toolInput: { agent: at === 0 ? id : 'main', task: `${capital(part)}.` },
      }))
  )
}

/** What the agents came to, each under its task. */
export const toldBy = (outcomes: readonly Outcome[]): string =>
  outcomes
    .map(({ toolInput, text, isError }) => {
      const [, words = text] = /JARVIS's record:[\s\S]*?\n\n([\s\S]*)$/.exec(text) ?? []
      const task = String(toolInput.task ?? '').replace(/\.$/, '')
      return `**${String(toolInput.agent)}**, asked to “${task}”${isError ? ', did not get it done' : ''}:\n\n${words}`
    })
    .join('\n\n')

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
