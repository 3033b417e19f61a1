import type { Snapshot } from 'protocol'
import { Value } from '../../lib/value.ts'
import { type ChatEvent, fromSnapshot, reduce, type SessionView, skips, withEarlier } from './state.ts'

/** A message that the server has not acknowledged, shown until then. `afterSeq`: the last known seq when the message was sent. */
export type Outgoing = { requestId: string; text: string; afterSeq: number; error?: string; attachments?: string[] }

export type SessionState = {
  /** Undefined until the first snapshot. */
  view: SessionView | undefined
  missing: boolean
  outgoing: readonly Outgoing[]
  /** Thinking time of each turn, ms, by the seq of its assistant entry. */
  thoughtMs: ReadonlyMap<number, number>
  thinkingSince: number | undefined
  /** When the present turn ended its thinking and wrote its first token, Unix ms. */
  thoughtUntil: number | undefined
}

export const nothingYet: SessionState = {
  view: undefined,
  missing: false,
  outgoing: [],
  thoughtMs: new Map(),
  thinkingSince: undefined,
  thoughtUntil: undefined,
}

/** Runs `work` once: at the next frame, or on a timer in a background tab. */
export type Schedule = (work: () => void) => void

export const nextFrame: Schedule = (work) => {
  if (document.hidden) setTimeout(work, 250)
  else requestAnimationFrame(work)
}

/**
 * The state of one session in this browser. Tokens are applied at the next frame; any other event is applied at once, after the tokens before it.
 * Events that arrive before a requested snapshot are held back. After the snapshot, those that it does not contain are applied.
 */
export class SessionStore {
  readonly state = new Value<SessionState>(nothingYet)
  /** The state without the streaming text, so that it does not change with each token. */
  readonly calm = new Value<SessionState>(nothingYet)
  #held: ChatEvent[] = []
  #isHolding = true
  #isScheduled = false
  readonly #schedule: Schedule
  readonly #onGap: () => void
  readonly #now: () => number

  constructor(schedule: Schedule, onGap: () => void, now: () => number = Date.now) {
    this.#schedule = schedule
    this.#onGap = onGap
    this.#now = now
  }

  /** Holds back events until `take` is called. */
  hold(): void {
    this.#isHolding = true
  }

  /** Call when the link is lost. Drops held events, because the next snapshot contains them. */
  lose(): void {
    if (!this.#isHolding) this.#flush()
    this.#isHolding = true
    this.#held = []
  }

  take(snapshot: Snapshot): void {
    const before = this.state.get().view
    const fresh = fromSnapshot(snapshot)
    const first = snapshot.since === undefined ? (fresh.entries[0]?.seq ?? 0) : snapshot.since + 1
    const earlier = before?.entries.filter((entry) => entry.seq < first) ?? []
    // Keep the known entries if the snapshot continues them without a gap.
    const joins = earlier.length > 0 && (before?.lastSeq ?? -1) >= first - 1
    const view = joins ? withEarlier(fresh, earlier, before?.hasEarlier ?? false) : fresh
    this.#isHolding = false
    this.#patch({ view, missing: false, outgoing: unsent(this.state.get().outgoing, view) })
    this.#flush()
  }

  markMissing(): void {
    this.#patch({ missing: true })
  }

  receive(event: ChatEvent): void {
    this.#held.push(event)
    if (this.#isHolding) return
    if (event.name !== 'chat:token' && event.name !== 'chat:thinking') this.#flush()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      this.#schedule(() => {
        this.#isScheduled = false
        if (!this.#isHolding) this.#flush()
      })
    }
  }

  addEarlier(entries: Parameters<typeof withEarlier>[1], hasEarlier: boolean): void {
    const { view } = this.state.get()
    if (view !== undefined) this.#patch({ view: withEarlier(view, entries, hasEarlier) })
  }

  addOutgoing(message: Outgoing): void {
    const others = this.state.get().outgoing.filter((other) => other.requestId !== message.requestId)
    this.#patch({ outgoing: [...others, message] })
  }

  dropOutgoing(requestId: string): void {
    this.#patch({ outgoing: this.state.get().outgoing.filter((message) => message.requestId !== requestId) })
  }

  #flush(): void {
    const held = this.#held
    this.#held = []
    const state = this.state.get()
    let { view, thinkingSince, thoughtUntil } = state
    if (view === undefined || held.length === 0) return
    let thoughtMs = state.thoughtMs
    const now = this.#now()
    for (const event of held) {
      if (skips(view, event)) {
        this.#isHolding = true
        this.#held = held.filter((other) => other.seq > (view?.lastSeq ?? 0))
        this.#onGap()
        break
      }
      if (event.seq <= view.lastSeq) continue
      if (event.name === 'chat:thinking') thinkingSince ??= now
      else if (event.name === 'chat:assistant' && thinkingSince !== undefined) {
        thoughtMs = new Map(thoughtMs).set(event.seq, (thoughtUntil ?? now) - thinkingSince)
        thinkingSince = undefined
        thoughtUntil = undefined
      } else if (event.name === 'chat:token' && thinkingSince !== undefined) thoughtUntil ??= now
      else if (event.name === 'chat:taken_back') {
        thinkingSince ??= now
        thoughtUntil = undefined
      }
      view = reduce(view, event, now)
    }
    if (view.runId === undefined) {
      thinkingSince = undefined
      thoughtUntil = undefined
    }
    // The entry of a message may arrive before the acknowledgement. Drop the unsent message then, so that it is not shown twice.
    const left = unsent(state.outgoing, view)
    const outgoing = left.length === state.outgoing.length ? state.outgoing : left
    this.#patch({ view, outgoing, thoughtMs, thinkingSince, thoughtUntil })
  }

  #patch(change: Partial<SessionState>): void {
    const state = { ...this.state.get(), ...change }
    if (!isCalm(this.calm.get(), state)) this.calm.set(state)
    this.state.set(state)
  }
}

/** True if the two states differ only in the streaming text. */
function isCalm(before: SessionState, after: SessionState): boolean {
  if (before.view === undefined || after.view === undefined) return false
  const rest = ({ view, ...others }: SessionState) => ({ ...others, ...view, lastSeq: 0, partial: startOf(view) })
  const [old, now] = [rest(before), rest(after)]
  return (Object.keys(now) as (keyof typeof now)[]).every((key) => Object.is(old[key], now[key]))
}

const startOf = (view: SessionView | undefined) => `${view?.partial.thinking !== ''} ${view?.partial.text !== ''}`

/** Removes messages that the snapshot contains: they were delivered, even if the acknowledgement was lost. */
function unsent(outgoing: readonly Outgoing[], view: SessionView): readonly Outgoing[] {
  return outgoing.filter(
    (message) =>
      !view.queued.some((queued) => queued.text === message.text) &&
      !view.entries.some(
        (entry) => entry.type === 'user' && entry.text === message.text && entry.seq > message.afterSeq,
      ),
  )
}
