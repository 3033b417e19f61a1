import type { Clock } from '../lib/clock.ts'
import type { StoredAlert, Told } from './alert.ts'
import type { Board } from './board.ts'
import { causesOf } from './hides.ts'
import { type AlertMessage, lost, messageOf } from './message.ts'
import { whyQuiet } from './quiet.ts'
import type { Surroundings } from './shown.ts'

/** Alerts that fire or end within this time go into one message, ms. */
export const groupMs = 30_000

export type TellerParts = {
  board: Board
  around(): Surroundings
  clock: Clock
  /** Commits `work` to disk before it returns. */
  durably(work: () => void): void
  /** Same as `Database.untilFree`. */
  untilFree(forever: 'forever'): Promise<void> | undefined
  report(error: unknown, message: string): void
  /** Sends a message. Never rejects. @returns in words the people whom it reached, once that is known */
  send(message: AlertMessage): Promise<string>
  /** Called with the alerts that are in each message. */
  announce(alerts: readonly StoredAlert[]): void
  changed(): void
}

/**
 * Sends people messages about alerts: at most two about each alert, and one for alerts that come together. A message is stored before it is sent,
 * and never sent again.
 */
export class Teller {
  readonly #parts: TellerParts
  #cancel = () => {}
  #isOver = false

  constructor(parts: TellerParts) {
    this.#parts = parts
  }

  /** Plans the next message. Called after a look or a decision. */
  consider(): void {
    this.#cancel()
    if (this.#isOver) return
    const waiting = this.#ready()
    if (waiting.length === 0) return
    const oldest = Math.min(...waiting.map(({ due }) => due?.at ?? 0))
    // If the clock was set back, the message does not wait for the old time.
    const inMs = Math.max(0, Math.min(groupMs, oldest + groupMs - this.#parts.clock.now()))
    this.#flushIn(inMs)
  }

  /** Marks messages that the last process was sending: nobody knows if they arrived. */
  resume(): void {
    const open = this.#parts.board.all().filter(({ told }) => told.some(({ isOpen }) => isOpen === true))
    if (open.length > 0) this.#settle(idsOf(open), undefined, lost)
  }

  stop(): void {
    this.#isOver = true
    this.#cancel()
  }

  #flushIn(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => void this.#flush())
  }

  /** Sends the message about the alerts that are due. If it cannot be stored, it is tried again. */
  async #flush(): Promise<void> {
    try {
      await this.#parts.untilFree('forever')
      await this.#tell()
    } catch (error) {
      if (this.#isOver) return
      this.#parts.report(error, 'people could not be told of alerts')
      this.#flushIn(groupMs)
    }
  }

  async #tell(): Promise<void> {
    const { board, clock, around, durably, announce, changed, send, untilFree } = this.#parts
    const alerts = this.#ready()
    if (alerts.length === 0 || this.#isOver) return
    const fired = board.open().filter(({ firedAt }) => firedAt !== undefined)
    const { state, leaning } = around()
    const causes = [...causesOf(fired, state, leaning).values()]
    const message = messageOf(alerts, ({ id }) => causes.filter((cause) => cause.id === id).length)
    const at = clock.now()
    durably(() => {
      for (const alert of alerts) {
        const { due, ...rest } = alert
        const telling: Told = { at, what: due?.what ?? 'fired', words: 'being told', isOpen: true }
        board.change(alert, { ...rest, told: [...alert.told, telling] })
      }
    })
    announce(alerts)
    changed()
    const words = await send(message)
    await untilFree('forever')
    if (!this.#isOver) this.#settle(idsOf(alerts), at, words)
  }

  /** Pending alerts that no silence, window or inhibition suppresses. Stores the reason for each suppressed one. */
  #ready(): StoredAlert[] {
    const { board, changed } = this.#parts
    const around = this.#parts.around()
    const causes = causesOf(board.open(), around.state, around.leaning)
    const told: StoredAlert[] = []
    let isNews = false
    for (const alert of board.due()) {
      const quiet = whyQuiet(alert, around, causes.get(alert.id))
      const { due } = alert
      if (due === undefined) continue
      if (quiet === undefined) told.push(alert)
      else if (quiet !== due.quiet) isNews = board.change(alert, { ...alert, due: { ...due, quiet } }) || isNews
    }
    if (isNews) changed()
    return told
  }

  /** Stores the outcome of a message: the people it reached. @param at the time of the message; undefined: every message that is being sent */
  #settle(ids: readonly string[], at: number | undefined, words: string): void {
    const { board, durably, changed } = this.#parts
    durably(() => {
      for (const id of ids) {
        const alert = board.get(id)
        if (alert === undefined) continue
        const told = alert.told.map((one): Told => {
          if (one.isOpen !== true || (at !== undefined && one.at !== at)) return one
          return { at: one.at, what: one.what, words }
        })
        board.change(alert, { ...alert, told })
      }
    })
    changed()
  }
}

const idsOf = (alerts: readonly StoredAlert[]) => alerts.map(({ id }) => id)
