import type { Decision } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { askerOf, type CallContext, type Way } from '../call.ts'
import type { Judge } from '../judge.ts'
import type { ConfirmationStore, Resolution, StoredConfirmation } from '../ports.ts'
import { type Event, type Step, stateOf } from '../states.ts'
import type { Ways } from '../way.ts'
import { unseenForMs } from './card.ts'
import { type Replacing, type Standing, standingOf } from './drift.ts'

/** A call that waits for a card's decision. */
export type Attended = Way & { context: CallContext; asked: StoredConfirmation }
type Waiting = { way: Attended; wake(step: Step): void; disarm(): void }
type Decided = Extract<Event, { resolution: Resolution }>

const retryEveryMs = 5_000

/** Keeps the calls that wait for their cards, advances them when a card is decided, and expires cards at their time. */
export function createAttended(parts: {
  store: ConfirmationStore
  ways: Pick<Ways, 'tryTake'>
  judge: Judge
  clock: Clock
  ttlMs: number
  /** Told after each change of the list. */
  changed(sessionId: string): void
  redact(text: string): string
  isStopping(): boolean
  report(error: unknown, message: string): void
}) {
  const { store, clock } = parts
  const waiting = new Map<string, Waiting>()

  /** Advances the card's call and wakes whoever waits for it. No-op when the card was decided before. */
  function resolve(toolUseId: string, event: Decided): void {
    const waits = waiting.get(toolUseId)
    const way = waits?.way ?? unattended(toolUseId)
    if (way?.state !== 'asked') return
    const step = parts.ways.tryTake(way, event)
    if (step === undefined || waits === undefined) return
    waiting.delete(toolUseId)
    waits.disarm()
    if (step.then === 'wait') watch(waits.way, waits.wake)
    else waits.wake(step)
    // The call may be running already; its outcome is reported first.
    setImmediate(() => parts.isStopping() || parts.changed(waits.way.asked.sessionId))
  }

  /** A card that nobody waits for, because its run was not resumed yet or has ended. */
  function unattended(id: string): Way | undefined {
    const { resolution, ...asked } = store.get(id) ?? {}
    if (!('card' in asked)) return undefined
    const { toolUseId, callId = toolUseId, toolName, toolInput } = asked.card
    const call = { type: 'tool_call', toolUseId: callId, toolName, toolInput } as const
    return { state: stateOf(resolution?.decision), call, context: undefined, asked }
  }

  function watch(way: Attended, wake: Waiting['wake']) {
    const { toolUseId, expiresAt } = way.asked.card
    waiting.set(toolUseId, { way, wake, disarm: expireAt(toolUseId, expiresAt) })
  }

  const resolution = (decision: Decision, by = 'jarvis', note?: string): Resolution => {
    return { decision, by, at: clock.now(), ...(note !== undefined && { note: parts.redact(note) }) }
  }
  /** The end of a card that another card, or the call's own result, replaces. */
  const withdrawn = ({ note, replacedBy }: Replacing) => ({ ...resolution('cancelled', 'jarvis', note), replacedBy })
  const cancel = (toolUseId: string, by: string, note?: string): void =>
    resolve(toolUseId, { type: 'withdraw', resolution: resolution('cancelled', by, note) })
  const expire = (toolUseId: string): void => resolve(toolUseId, { type: 'expire', resolution: resolution('expired') })

  /** Expires the card at `at`, Unix ms. Tries again soon when the store cannot write. */
  function expireAt(toolUseId: string, at: number): () => void {
    return clock.after(Math.max(0, at - clock.now()), () => {
      try {
        expire(toolUseId)
      } catch (error) {
        parts.report(error, 'a card could not be expired')
        const waits = waiting.get(toolUseId)
        if (waits !== undefined) waits.disarm = expireAt(toolUseId, clock.now() + retryEveryMs)
      }
    })
  }

  /** Compares a card that a call waits for with the call's present verdict. */
  function standingOfWay({ call, context, asked }: Attended): Standing {
    return standingOf(asked.card, parts.judge(call.toolName, call.toolInput, context.sources, askerOf(context)))
  }

  return {
    resolve,
    resolution,
    withdrawn,
    cancel,
    expire,
    /** How a card compares with its call's present verdict, and whether the call may start at once; undefined where no call waits for it. */
    standing(toolUseId: string): { standing: Standing; isNext: boolean } | undefined {
      const way = waiting.get(toolUseId)?.way
      if (way === undefined) return undefined
      return { standing: standingOfWay(way), isNext: way.isNext === true && !way.context.isRehearsal() }
    },
    /** Waits until the call's card, or a card that replaced it, is decided. @returns the step that follows */
    wait(way: Attended): Promise<Step> {
      const { signal } = way.context
      let withdraw = () => {}
      return new Promise<Step>((resolve, reject) => {
        watch(way, resolve)
        withdraw = () => {
          try {
            cancel(way.asked.card.toolUseId, way.context.abortedBy())
          } catch (error) {
            reject(error)
          }
        }
        if (signal.aborted) withdraw()
        else signal.addEventListener('abort', withdraw, { once: true })
      }).finally(() => signal.removeEventListener('abort', withdraw))
    },
    /** Withdraws the card when it no longer shows what would run. */
    review(toolUseId: string): void {
      const way = waiting.get(toolUseId)?.way
      const standing = way && standingOfWay(way)
      if (standing === undefined || standing.kind === 'stands') return
      resolve(toolUseId, { type: 'drift', standing, resolution: withdrawn(standing) })
    },
    /** Withdraws other cards of the same answer for the same call, so that one denial is enough. */
    cancelTwins({ card, sessionId, callKey }: StoredConfirmation, by: string): void {
      for (const [toolUseId, { way }] of waiting) {
        const { asked } = way
        const isTwin = asked.sessionId === sessionId && asked.callKey === callKey
        if (isTwin && asked.card.requestedBy.kind === card.requestedBy.kind)
          cancel(toolUseId, by, 'The same call was denied.')
      }
    },
    /** Starts the time to live of cards that an operator's screen shows: those of a session, or all. */
    seen(sessionId?: string, toolUseId?: string): void {
      const at = clock.now()
      for (const { card } of store.unseen(sessionId)) {
        if (toolUseId !== undefined && card.toolUseId !== toolUseId) continue
        const expiresAt = Math.min(at, card.createdAt + unseenForMs) + parts.ttlMs
        store.see(card.toolUseId, at, expiresAt)
        const waits = waiting.get(card.toolUseId)
        if (waits === undefined) continue
        waits.disarm()
        waits.disarm = expireAt(card.toolUseId, expiresAt)
      }
    },
    /** Stops expiring cards. The next start takes over those that wait. */
    stop(): void {
      for (const { disarm } of waiting.values()) disarm()
      waiting.clear()
    },
  }
}
export type AttendedCards = ReturnType<typeof createAttended>
