/** The order in a `/dry-run` line. `isRehearsal` undefined: the line only asks for the state, or was not understood. */
export type RehearsalOrder = { isRehearsal?: boolean; problem?: string }

/** The line `/dry-run on`, `/dry-run off` or `/dry-run`, typed by the operator; undefined for any other message. */
export function rehearsalOrder(message: string): RehearsalOrder | undefined {
  const [line, word = ''] = /^\/dry-run(?:[ \t]+(\S.*)?)?$/.exec(message.trim()) ?? []
  if (line === undefined) return undefined
  if (word === '') return {}
  if (word === 'on' || word === 'off') return { isRehearsal: word === 'on' }
  return { problem: 'Not understood. Write /dry-run on or /dry-run off. Nothing was changed.' }
}

/** Returns JARVIS’s answer to a `/dry-run` line. */
export const rehearsalLine = (isRehearsal: boolean): string =>
  isRehearsal
    ? 'Rehearsal is on: reads run, and what would change something only says what it would do. /dry-run off ends it.'
    : 'Rehearsal is off: calls run as they are judged.'

/** The block that is added to each message of a rehearsal for the model. */
export const duringRehearsal = `<rehearsal>
The operator rehearses: reads run, every call that would change something answers with what it would do, and nothing is
changed. Make the calls as you would otherwise, and say in the answer what would have been done.
</rehearsal>`
