import type { Decision } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { askedBy, type CallContext, type Way } from '../call.ts'
import type { Judge } from '../judgement.ts'
import type { ConfirmationStore, Resolution, StoredConfirmation } from '../ports.ts'
import { type Event, type Step, stateOf } from '../states.ts'
import type { Ways } from '../way.ts'
import { unseenForMs } from './card.ts'
import { type Replacing, type Standing, standingOf } from './drift.ts'

/** A call that waits for a card's decision. */
export type Attended = Way & { context: CallContext; asked: StoredConfirmation }
type Waiting = { way: Attended; wake(step: Step): void; disarm(): void }
type Decided = Extract<Event, { resolution: Resolution }>

export type AttendedParts = {
  store: ConfirmationStore
  ways: Pick<Ways, 'tryTake'>
  judge: Judge
  clock: Clock
  ttlMs: number
  /** Called after each change of the list. */
  changed(sessionId: string): void
  redact(text: string): string
  isStopping(): boolean
  report(error: unknown, message: string): void
}

const retryEveryMs = 5_000

/** Keeps the calls that wait for their cards, advances a call when its card is decided, and expires cards when their time is over. */
export class AttendedCards {
  readonly #parts: AttendedParts
  /** The waiting calls, by their newest card. */
  readonly #waiting = new Map<string, Waiting>()

  constructor(parts: AttendedParts) {
    this.#parts = parts
  }

  /** Waits until the call's card, or a card that replaced it, is decided. @returns the step that follows */
  wait(way: Attended): Promise<Step> {
    const { signal } = way.context
    let withdraw = () => {}
    return new Promise<Step>((resolve, reject) => {
      this.#watch(way, resolve)
      withdraw = () => {
        try {
          this.cancel(way.asked.card.toolUseId, way.context.abortedBy())
        } catch (error) {
          reject(error)
        }
      }
      if (signal.aborted) withdraw()
      else signal.addEventListener('abort', withdraw, { once: true })
    }).finally(() => signal.removeEventListener('abort', withdraw))
  }

  /** Advances the card's call, and wakes the run that waits for it. Does nothing if the card was decided before. */
  resolve(toolUseId: string, event: Decided): void {
    const { ways, isStopping, changed } = this.#parts
    const waits = this.#waiting.get(toolUseId)
    const way = waits?.way ?? this.#unattended(toolUseId)
    if (way?.state !== 'asked') return
    const step = ways.tryTake(way, event)
    if (step === undefined || waits === undefined) return
    this.#waiting.delete(toolUseId)
    waits.disarm()
    if (step.then === 'wait') this.#watch(waits.way, waits.wake)
    else waits.wake(step)
    // Called later, so that the outcome of the call, which may be running already, is reported first.
    setImmediate(() => isStopping() || changed(waits.way.asked.sessionId))
  }

  resolution(decision: Decision, by = 'jarvis', note?: string): Resolution {
    const { clock, redact } = this.#parts
    return { decision, by, at: clock.now(), ...(note !== undefined && { note: redact(note) }) }
  }

  /** Returns the resolution of a card that is replaced by another card or by the call's own result. */
  withdrawn({ note, replacedBy }: Replacing): Resolution {
    return { ...this.resolution('cancelled', 'jarvis', note), replacedBy }
  }

  cancel(toolUseId: string, by: string, note?: string): void {
    this.resolve(toolUseId, { type: 'withdraw', resolution: this.resolution('cancelled', by, note) })
  }

  expire(toolUseId: string): void {
    this.resolve(toolUseId, { type: 'expire', resolution: this.resolution('expired') })
  }

  /** Compares a card with its call's present verdict. `isNext`: the call may start at once. Undefined if no call waits for the card. */
  standing(toolUseId: string): { standing: Standing; isNext: boolean } | undefined {
    const way = this.#waiting.get(toolUseId)?.way
    if (way === undefined) return undefined
    return { standing: this.#standingOf(way), isNext: way.isNext === true && !way.context.isRehearsal() }
  }

  /** Withdraws the card if it no longer shows the call that would run. */
  review(toolUseId: string): void {
    const way = this.#waiting.get(toolUseId)?.way
    const standing = way && this.#standingOf(way)
    if (standing === undefined || standing.kind === 'stands') return
    this.resolve(toolUseId, { type: 'drift', standing, resolution: this.withdrawn(standing) })
  }

  /** Withdraws the session's other cards for the same call, so that one denial is enough. */
  cancelTwins({ card, sessionId, callKey }: StoredConfirmation, by: string): void {
    for (const [toolUseId, { way }] of this.#waiting) {
      const { asked } = way
      const isTwin = asked.sessionId === sessionId && asked.callKey === callKey
      if (isTwin && asked.card.requestedBy.kind === card.requestedBy.kind)
        this.cancel(toolUseId, by, 'The same call was denied.')
    }
  }

  /** Starts the time to live of the cards that an operator's screen shows: one card, the cards of a session, or all. */
  seen(sessionId?: string, toolUseId?: string): void {
    const { store, clock, ttlMs } = this.#parts
    const at = clock.now()
    for (const { card } of store.unseen(sessionId)) {
      if (toolUseId !== undefined && card.toolUseId !== toolUseId) continue
      const expiresAt = Math.min(at, card.createdAt + unseenForMs) + ttlMs
      store.see(card.toolUseId, at, expiresAt)
      const waits = this.#waiting.get(card.toolUseId)
      if (waits === undefined) continue
      waits.disarm()
      waits.disarm = this.#expireAt(card.toolUseId, expiresAt)
    }
  }

  /** Stops the timers. The next start of JARVIS continues with the waiting cards. */
  stop(): void {
    for (const { disarm } of this.#waiting.values()) disarm()
    this.#waiting.clear()
  }

  /** Returns a card's call if no run waits for it, because the run was not resumed yet or has ended. */
  #unattended(id: string): Way | undefined {
    const { resolution, ...asked } = this.#parts.store.get(id) ?? {}
    if (!('card' in asked)) return undefined
    const { toolUseId, callId = toolUseId, toolName, toolInput } = asked.card
    const call = { type: 'tool_call', toolUseId: callId, toolName, toolInput } as const
    return { state: stateOf(resolution?.decision), call, context: undefined, asked }
  }

  #watch(way: Attended, wake: Waiting['wake']): void {
    const { toolUseId, expiresAt } = way.asked.card
    this.#waiting.set(toolUseId, { way, wake, disarm: this.#expireAt(toolUseId, expiresAt) })
  }

  /** Expires the card at `at`, Unix ms. If the store cannot be written, tries again after a short time. @returns a function that stops the timer */
  #expireAt(toolUseId: string, at: number): () => void {
    const { clock, report } = this.#parts
    return clock.after(Math.max(0, at - clock.now()), () => {
      try {
        this.expire(toolUseId)
      } catch (error) {
        report(error, 'a card could not be expired')
        const waits = this.#waiting.get(toolUseId)
        if (waits !== undefined) waits.disarm = this.#expireAt(toolUseId, clock.now() + retryEveryMs)
      }
    })
  }

  /** Compares a card that a call waits for with the call's present verdict. */
  #standingOf({ call, context, asked }: Attended): Standing {
    const { toolName, toolInput } = call
    return standingOf(asked.card, this.#parts.judge(toolName, toolInput, askedBy(context)))
  }
}
