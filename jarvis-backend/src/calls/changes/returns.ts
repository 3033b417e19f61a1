import type { ToolInput } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Journal, Transactions } from '../ports.ts'
import type { ChangeStore, StoredChange } from './change.ts'

/** A setTimeout may fire late after the machine slept, so wall clocks are compared this often. */
const lookEveryMs = 60_000
/** How often one looks whether a node is reached again. */
const awayEveryMs = 5_000
/** Of an approval that JARVIS could not follow for so long nobody expects any more that it still counts. */
const latestMs = 24 * 60 * 60_000
/** How long before its time a person is told. */
const tellBeforeMs = 2 * 60_000
/** A node's own timer goes first: two reloads at once could be in each other's way. */
const nodeFirstMs = 30_000
/** How often going back is tried, a minute apart, before a person is told that it did not work. */
const mostTries = 5

/** Starts what a person approved with a card to happen later: a change goes back by itself, a safety snapshot is deleted. */
export function createReturns(parts: {
  store: ChangeStore
  journal: Journal
  transactions: Transactions
  clock: Clock
  isReached(node: string): boolean
  /** Starts a run of this one command, as the one who approved it. @param ended told with the call's result or refusal */
  start(command: { text: string; title: string; by: string }, ended: (summary: string) => void): void
  /** Told which changes go back within two minutes, whenever that may have changed. */
  soon(changes: readonly (StoredChange & { goesBackAt: number })[]): void
  /** Told after each change of the list. */
  changed(): void
  /** @param words whose words the text holds, and what is said to those whom that conversation is closed to */
  announce(text: string, level: 'info' | 'warning', words: { sessionId: string; facts: string }): void
  report(error: unknown, message: string): void
}) {
  const { store, clock, journal, transactions } = parts
  const tries = new Map<string, { times: number; at: number }>()
  let disarm = () => {}

  /** A node that is not reached takes its change back by itself: that is looked at once it is reached. */
  const isThere = ({ timerOn }: StoredChange) => timerOn === undefined || parts.isReached(timerOn)

  function giveUp({ id, sessionId, toolName, target, sentence, problem, timerOn }: StoredChange) {
    const isLost = timerOn !== undefined && !parts.isReached(timerOn)
    const [state, why, short] = isLost
      ? (['unknown', `${timerOn} was to take it back by its own timer, and cannot be asked.`, 'unknown'] as const)
      : (['made', 'Look at what its session says, and take it back by hand.', 'no'] as const)
    const said = short === 'unknown' ? 'Whether it went back is not known.' : 'It could not go back by itself.'
    tries.delete(id)
    transactions.durably(() => {
      const moved = { state, problem: problem ?? `${said} ${why}`, goesBackAt: undefined }
      if (!store.move(id, ['armed'], moved)) return
      journal.append('change', { change: 'not_gone_back', toolUseId: id, target, by: 'jarvis' })
    })
    parts.announce(`${sentence} ${said}`, 'warning', { sessionId, facts: `${toolName} changed ${target.id}. ${said}` })
    parts.changed()
  }

  function tryNow(change: StoredChange, text: string, isTooLate: boolean, isOver: () => void) {
    const { times, at } = tries.get(change.id) ?? { times: 0, at: 0 }
    if (times > 0 && clock.now() - at < lookEveryMs) return
    if (times >= mostTries || isTooLate) return isOver()
    tries.set(change.id, { times: times + 1, at: clock.now() })
    const command = { text, title: `By itself: ${change.sentence}`, by: change.approvedBy ?? 'jarvis' }
    parts.start(command, (problem) => {
      // It has begun otherwise, and its own result is kept.
      if (store.move(change.id, ['armed'], { state: 'armed', problem })) parts.changed()
    })
  }

  function look() {
    disarm()
    const now = clock.now()
    const due = store.due()
    const isLate = (at = now) => now - at > latestMs
    parts.soon(due.filter(isTold).filter((change) => soonAt(change) <= now && change.goesBackAt > now))
    for (const change of due) {
      try {
        if (change.state === 'armed' && dueAt(change) <= now && (isLate(change.goesBackAt) || isThere(change)))
          tryNow(change, commandLine('undo', { change: change.id }), isLate(change.goesBackAt), () => giveUp(change))
        const { later } = change
        if (later !== undefined && later.at <= now)
          tryNow(change, commandLine(later.toolName, later.input), isLate(later.at + 2 * latestMs), () => {
            tries.delete(change.id)
            store.endLater(change.id, `This was not done: ${later.sentence}`)
            const { sessionId, target } = change
            const facts = `${later.toolName} was not done on ${target.id}.`
            parts.announce(`This was not done: ${later.sentence}`, 'warning', { sessionId, facts })
          })
      } catch (error) {
        parts.report(error, `what was due for ${change.id} could not be started`)
      }
    }
    const times = due
      .flatMap((change) => [change.goesBackAt && dueAt(change), change.later?.at])
      .filter((at) => at !== undefined)
    const tellAt = due.filter(isTold).map(soonAt)
    const isAway = due.some((change) => dueAt(change) <= now && !isThere(change))
    const again = now + (isAway ? awayEveryMs : lookEveryMs)
    const next = Math.min(...times.map((at) => (at <= now ? again : at)), ...tellAt.filter((at) => at > now), again)
    disarm = times.length === 0 ? () => {} : clock.after(next - now, look)
  }

  return {
    /** Looks what is due, now and whenever something will be. */
    look,
    /** Stops looking. The next start looks again. */
    stop: () => disarm(),
  }
}

export type Returns = ReturnType<typeof createReturns>

/** When JARVIS takes a change back; after the node, where that has a timer. */
const dueAt = ({ goesBackAt = Number.POSITIVE_INFINITY, timerOn }: StoredChange) =>
  goesBackAt + (timerOn === undefined ? 0 : nodeFirstMs)

/** Armed for so long that a person may have forgotten it by the time it goes back. */
const isTold = (change: StoredChange): change is StoredChange & { goesBackAt: number } =>
  change.state === 'armed' && change.goesBackAt !== undefined && soonAt(change) > change.at
const soonAt = ({ goesBackAt = 0 }: StoredChange) => goesBackAt - tellBeforeMs

const commandLine = (toolName: string, input: ToolInput) =>
  [`/${toolName}`, ...Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(' ')
