import type { Clock } from '../lib/clock.ts'
import type { StoredAlert, Told } from './alert.ts'
import type { Board } from './board.ts'
import { causesOf } from './hides.ts'
import { type AlertMessage, lost, messageOf } from './message.ts'
import { whyQuiet } from './quiet.ts'
import type { Surroundings } from './shown.ts'

/** What fires or ends so soon after another goes into one message with it, ms. */
export const groupMs = 30_000

export type Teller = ReturnType<typeof createTeller>

/**
 * Tells people of alerts: at most twice of each, together what comes together. A message is written down before it is sent, and never sent
 * again.
 */
export function createTeller(parts: {
  board: Board
  around(): Surroundings
  clock: Clock
  /** On disk before it returns. */
  durably(work: () => void): void
  /** As `Database.untilFree`. */
  untilFree(forever: 'forever'): Promise<void> | undefined
  report(error: unknown, message: string): void
  /** @returns whom it reached, in words, once that is known. Never rejects. */
  send(message: AlertMessage): Promise<string>
  /** Told of what is being sent. */
  announce(alerts: readonly StoredAlert[]): void
  changed(): void
}) {
  const { board, clock } = parts
  let cancel = () => {}
  let isOver = false

  /** Of those that wait to be told, those of which nothing says that nobody needs to hear. */
  function ready(): StoredAlert[] {
    const around = parts.around()
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
    if (isNews) parts.changed()
    return told
  }

  /** Tells of what is due. Where that cannot be stored, it is tried again. */
  async function flush() {
    try {
      await parts.untilFree('forever')
      await tell()
    } catch (error) {
      if (isOver) return
      parts.report(error, 'people could not be told of alerts')
      cancel = clock.after(groupMs, () => void flush())
    }
  }

  async function tell() {
    const alerts = ready()
    if (alerts.length === 0 || isOver) return
    const fired = board.open().filter(({ firedAt }) => firedAt !== undefined)
    const { state, leaning } = parts.around()
    const causes = [...causesOf(fired, state, leaning).values()]
    const message = messageOf(alerts, ({ id }) => causes.filter((cause) => cause.id === id).length)
    const at = clock.now()
    parts.durably(() => {
      for (const alert of alerts) {
        const { due, ...rest } = alert
        const telling: Told = { at, what: due?.what ?? 'fired', words: 'being told', isOpen: true }
        board.change(alert, { ...rest, told: [...alert.told, telling] })
      }
    })
    parts.announce(alerts)
    parts.changed()
    const words = await parts.send(message)
    await parts.untilFree('forever')
    if (isOver) return
    settle(
      alerts.map(({ id }) => id),
      at,
      words,
    )
  }

  function settle(ids: readonly string[], at: number | undefined, words: string) {
    parts.durably(() => {
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
    parts.changed()
  }

  return {
    /** Looks at what is to be told, after a look or a decision. */
    consider() {
      cancel()
      if (isOver) return
      const waiting = ready()
      if (waiting.length === 0) return
      const oldest = Math.min(...waiting.map(({ due }) => due?.at ?? 0))
      const now = clock.now()
      // Where the clock was set back, nobody waits for the old time.
      cancel = clock.after(Math.max(0, Math.min(groupMs, oldest + groupMs - now)), () => void flush())
    },
    /** Says of messages that the last process was sending that their fate is unknown. */
    resume() {
      const open = board.all().filter(({ told }) => told.some(({ isOpen }) => isOpen === true))
      if (open.length > 0)
        settle(
          open.map(({ id }) => id),
          undefined,
          lost,
        )
    },
    stop() {
      isOver = true
      cancel()
    },
  }
}
