import type { ToolInput } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Journal, Transactions } from '../ports.ts'
import type { ChangeStore, StoredChange } from './change.ts'

/** Interval at which wall clocks are compared, ms: a setTimeout may fire late after the machine slept. */
const lookEveryMs = 60_000
/** Interval of checks for a node that does not answer, ms. */
const awayEveryMs = 5_000
/** Delay after which an approval no longer counts, ms, if JARVIS could not act on it in time. */
const latestMs = 24 * 60 * 60_000
/** A person is told this long before a change goes back, ms. */
const tellBeforeMs = 2 * 60_000
/** Head start of a node's own timer before JARVIS takes the change back, ms: two reloads at once could disturb each other. */
const nodeFirstMs = 30_000
/** Number of attempts to take a change back, a minute apart, before a person is told that it failed. */
const mostTries = 5

export type ReturnParts = {
  store: ChangeStore
  journal: Journal
  transactions: Transactions
  clock: Clock
  isReached(node: string): boolean
  /** Starts a run of this one command in the name of the person who approved it. @param ended called with the call's result or refusal */
  start(command: { text: string; title: string; by: string }, ended: (summary: string) => void): void
  /** Called with the changes that go back within two minutes, whenever that list may have changed. */
  soon(changes: readonly (StoredChange & { goesBackAt: number })[]): void
  /** Called after each change of the list. */
  changed(): void
  /** Adds an activity line. @param words the session that the text quotes, and `facts`: the text for people who may not read that session */
  announce(text: string, level: 'info' | 'warning', words: { sessionId: string; facts: string }): void
  report(error: unknown, message: string): void
}

/** A command that is due for a change. `giveUp`: called once, after too many attempts or if it is too late. */
type Due = { text: string; isTooLate: boolean; giveUp(): void }

/** Starts the commands that a person approved in advance with a card: a change goes back by itself, a safety snapshot is deleted. */
export class Returns {
  readonly #parts: ReturnParts
  readonly #tries = new Map<string, { times: number; at: number }>()
  #disarm = () => {}

  constructor(parts: ReturnParts) {
    this.#parts = parts
  }

  /** Starts the commands that are due, and sets a timer for the next ones. */
  look(): void {
    const { store, clock, soon, report } = this.#parts
    this.#disarm()
    const now = clock.now()
    const due = store.due()
    soon(due.filter(isTold).filter((change) => soonAt(change) <= now && change.goesBackAt > now))
    for (const change of due) {
      try {
        this.#takeBack(change, now)
        this.#doLater(change, now)
      } catch (error) {
        report(error, `what was due for ${change.id} could not be started`)
      }
    }
    const nextAt = this.#nextLook(due, now)
    this.#disarm = nextAt === undefined ? () => {} : clock.after(nextAt - now, () => this.look())
  }

  /** Stops the timer. The commands stay stored, and the next start of JARVIS sets the timer again. */
  stop(): void {
    this.#disarm()
  }

  #takeBack(change: StoredChange, now: number): void {
    const isTooLate = isLate(now, change.goesBackAt)
    if (change.state === 'armed' && dueAt(change) <= now && (isTooLate || this.#isThere(change)))
      this.#try(change, {
        text: commandLine('undo', { change: change.id }),
        isTooLate,
        giveUp: () => this.#giveUp(change),
      })
  }

  #doLater(change: StoredChange, now: number): void {
    const { later } = change
    if (later === undefined || later.at > now) return
    this.#try(change, {
      text: commandLine(later.toolName, later.input),
      isTooLate: isLate(now, later.at + 2 * latestMs),
      giveUp: () => {
        this.#tries.delete(change.id)
        this.#parts.store.endLater(change.id, `This was not done: ${later.sentence}`)
        const { sessionId, target } = change
        const facts = `${later.toolName} was not done on ${target.id}.`
        this.#parts.announce(`This was not done: ${later.sentence}`, 'warning', { sessionId, facts })
      },
    })
  }

  #try(change: StoredChange, { text, isTooLate, giveUp }: Due): void {
    const { store, clock, start, changed } = this.#parts
    const { times, at } = this.#tries.get(change.id) ?? { times: 0, at: 0 }
    if (times > 0 && clock.now() - at < lookEveryMs) return
    if (times >= mostTries || isTooLate) {
      giveUp()
      return
    }
    this.#tries.set(change.id, { times: times + 1, at: clock.now() })
    const command = { text, title: `By itself: ${change.sentence}`, by: change.approvedBy ?? 'jarvis' }
    start(command, (problem) => {
      // If the change is no longer armed, another call took it back meanwhile, and the result of that call stays.
      if (store.move(change.id, ['armed'], { state: 'armed', problem })) changed()
    })
  }

  #giveUp({ id, sessionId, toolName, target, sentence, problem, timerOn }: StoredChange): void {
    const { store, journal, transactions, isReached, announce, changed } = this.#parts
    const isLost = timerOn !== undefined && !isReached(timerOn)
    const [state, why, short] = isLost
      ? (['unknown', `${timerOn} was to take it back by its own timer, and cannot be asked.`, 'unknown'] as const)
      : (['made', 'Look at what its session says, and take it back by hand.', 'no'] as const)
    const said = short === 'unknown' ? 'Whether it went back is not known.' : 'It could not go back by itself.'
    this.#tries.delete(id)
    transactions.durably(() => {
      const moved = { state, problem: problem ?? `${said} ${why}`, goesBackAt: undefined }
      if (!store.move(id, ['armed'], moved)) return
      journal.append('change', { change: 'not_gone_back', toolUseId: id, target, by: 'jarvis' })
    })
    announce(`${sentence} ${said}`, 'warning', { sessionId, facts: `${toolName} changed ${target.id}. ${said}` })
    changed()
  }

  /** Returns the time of the next look, Unix ms; undefined if nothing is planned. */
  #nextLook(due: readonly StoredChange[], now: number): number | undefined {
    const times = due
      .flatMap((change) => [change.goesBackAt && dueAt(change), change.later?.at])
      .filter((at) => at !== undefined)
    if (times.length === 0) return undefined
    const tellAt = due.filter(isTold).map(soonAt)
    const isAway = due.some((change) => dueAt(change) <= now && !this.#isThere(change))
    const again = now + (isAway ? awayEveryMs : lookEveryMs)
    return Math.min(...times.map((at) => (at <= now ? again : at)), ...tellAt.filter((at) => at > now), again)
  }

  /**
   * Returns true if JARVIS can take the change back. If the node does not answer, the timer on the node takes the change back, and JARVIS checks
   * once the node answers.
   */
  #isThere({ timerOn }: StoredChange): boolean {
    return timerOn === undefined || this.#parts.isReached(timerOn)
  }
}

const isLate = (now: number, at = now): boolean => now - at > latestMs

/** Returns the time at which JARVIS takes a change back, Unix ms: later than the node's own timer, if there is one. */
const dueAt = ({ goesBackAt = Number.POSITIVE_INFINITY, timerOn }: StoredChange) =>
  goesBackAt + (timerOn === undefined ? 0 : nodeFirstMs)

/** Returns true if a person is told before the change goes back: only if it stays armed for so long that a person may forget it. */
const isTold = (change: StoredChange): change is StoredChange & { goesBackAt: number } =>
  change.state === 'armed' && change.goesBackAt !== undefined && soonAt(change) > change.at
const soonAt = ({ goesBackAt = 0 }: StoredChange) => goesBackAt - tellBeforeMs

const commandLine = (toolName: string, input: ToolInput) =>
  [`/${toolName}`, ...Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(' ')
