import type { Limits } from 'protocol'
import { newId } from '../lib/ids.ts'
import { type AlertStore, fingerprintOf, isSilent, type StoredAlert } from './alert.ts'
import type { Check, CheckPorts, Looked, Measure } from './check.ts'
import { lost } from './message.ts'
import { recordedSince } from './recorded.ts'
import { closed, flaps, step, takesAfterMs } from './step.ts'

/** Shortest time between two writes of an alert whose values alone have changed, ms, because the disk of a homelab may be an SD card. */
const rewriteMs = 5 * 60_000
export const everyMsOf = ({ pace }: Pick<Check, 'pace'>) => (pace === 'state' ? 60_000 : 3_600_000)

/** Open alerts, and ended alerts that still count, in memory and on disk. */
export class Board {
  readonly #store: AlertStore
  readonly #now: () => number
  readonly #samples: CheckPorts['samples']
  /** Alerts that have not ended, by fingerprint. */
  readonly #open = new Map<string, StoredAlert>()
  /** The newest ended alert of each fingerprint. */
  readonly #last = new Map<string, StoredAlert>()
  /** Ended alerts by id for which a message is still to be sent, or is being sent. */
  readonly #owed = new Map<string, StoredAlert>()
  /** Open alerts as they are stored on disk, by id. */
  readonly #kept = new Map<string, StoredAlert>()
  #version = 0

  constructor(parts: { store: AlertStore; now(): number; samples: CheckPorts['samples'] }) {
    this.#store = parts.store
    this.#now = parts.now
    this.#samples = parts.samples
    for (const alert of parts.store.current(parts.now())) {
      if (alert.state !== 'resolved') {
        this.#open.set(fingerprintOf(alert), alert)
        this.#kept.set(alert.id, alert)
      } else {
        this.#last.set(fingerprintOf(alert), alert)
        if (isOwed(alert)) this.#owed.set(alert.id, alert)
      }
    }
  }

  /** A number that differs after each change. */
  version(): number {
    return this.#version
  }

  /** Alerts that have not ended. */
  open(): StoredAlert[] {
    return [...this.#open.values()]
  }

  /** Open alerts, and ended alerts that still count. */
  all(): StoredAlert[] {
    return [...this.#open.values(), ...this.#last.values(), ...this.#owed.values()]
  }

  /** The newest alert of each fingerprint, ended ones included, if its silence still holds. */
  silent(now: number): StoredAlert[] {
    return [...new Map([...this.#last, ...this.#open]).values()].filter((alert) => isSilent(alert, now))
  }

  /** Alerts about which a message is to be sent. */
  due(): StoredAlert[] {
    return [...this.#owed.values(), ...this.#open.values()].filter(({ due }) => due !== undefined)
  }

  get(id: string): StoredAlert | undefined {
    return this.open().find((alert) => alert.id === id) ?? this.#owed.get(id) ?? this.#store.get(id)
  }

  /** Replaces an alert. @returns whether clients see a difference */
  change(before: StoredAlert, after: StoredAlert): boolean {
    return this.#put(before, after)
  }

  /** The time at which the next pending alert fires, Unix ms. */
  nextFires(): number {
    return Math.min(...this.open().map(({ firesAt = Number.POSITIVE_INFINITY }) => firesAt))
  }

  /**
   * Applies the result of a check. @param looked `failed`: the check saw nothing, so all its alerts are held @returns whether clients see a
   * difference
   */
  take(check: Check, looked: Looked | 'failed', { limits, now }: { limits: Limits; now: number }): boolean {
    const forMs = typeof check.forMs === 'number' ? check.forMs : check.forMs(limits)
    const facts = { now, check: check.id, forMs, everyMs: everyMsOf(check) }
    const measures = new Map<string, Measure>()
    if (looked !== 'failed') for (const measure of looked.measures) measures.set(measure.object.id, measure)
    let isNews = false
    const turn = (before: StoredAlert | undefined, measure: Parameters<typeof step>[1]) => {
      const fingerprint = fingerprintOf({ check: check.id, object: measure.object })
      const mayRipen = before?.firedAt === undefined && 'words' in measure && measure.level !== 'clear'
      const after = step(before, measure, {
        ...facts,
        id: newId('alr'),
        earlier: ofSameGuest(this.#last.get(fingerprint), measure.object),
        ...(mayRipen && { recordedSince: recordedSince(measure, facts, this.#samples) }),
      })
      if (before !== undefined || after !== undefined) isNews = this.#put(before, after) || isNews
    }
    for (const before of this.open()) {
      if (before.check !== check.id || measures.has(before.object.id)) continue
      const isUnseen =
        looked === 'failed' ||
        looked.unread.has('*') ||
        (before.object.node !== undefined && looked.unread.has(before.object.node))
      turn(before, { object: before.object, level: isUnseen ? 'unseen' : 'gone' })
    }
    for (const { level, ...measure } of measures.values()) {
      const found = this.#open.get(fingerprintOf({ check: check.id, object: measure.object }))
      const isOver = found?.object.guest !== undefined && isOther(found.object, measure.object)
      if (isOver) turn(found, { object: found.object, level: 'gone', ending: 'Another guest has its number now.' })
      const before = isOver ? undefined : found && ofPresentGuest(found, measure.object)
      turn(before, level === 'unseen' ? { object: measure.object, level } : { ...measure, level })
    }
    return isNews
  }

  /** Ends the alerts that `isOver` selects. No message is sent. @returns whether an alert ended */
  close(isOver: (alert: StoredAlert) => boolean, ending: string): boolean {
    const over = this.open().filter(isOver)
    for (const alert of over) this.#put(alert, closed(alert, ending, this.#now()))
    return over.length > 0
  }

  /** Ends all alerts, silences and pending messages, because the same names mean other things from now on. No message is sent. */
  leave(ending: string): void {
    for (const alert of new Map(this.all().map((one) => [one.id, one])).values()) {
      const over = alert.state === 'resolved' ? alert : closed(alert, ending, this.#now())
      if (over === undefined) this.#store.remove(alert.id)
      else {
        const { silence: _silence, due: _due, ...rest } = over
        const told = rest.told.map(({ isOpen, ...one }) => (isOpen ? { ...one, words: lost } : one))
        this.#store.save({ ...rest, told })
      }
    }
    for (const known of [this.#open, this.#last, this.#owed, this.#kept]) known.clear()
    this.#version += 1
  }

  /** Removes ended alerts from memory that no longer count. */
  forget(now: number): void {
    for (const [fingerprint, alert] of this.#last) if (countsUntilOf(alert) <= now) this.#last.delete(fingerprint)
  }

  /** Stores a change of an alert. @returns whether clients see a difference */
  #put(before: StoredAlert | undefined, after: StoredAlert | undefined): boolean {
    this.#version += 1
    const key = after ?? before
    if (key === undefined) return false
    const fingerprint = fingerprintOf(key)
    if (after === undefined || after.state === 'resolved') {
      if (this.#open.get(fingerprint)?.id === key.id) this.#open.delete(fingerprint)
      this.#kept.delete(key.id)
      if (after === undefined) this.#store.remove(key.id)
      else this.#keepEnded(fingerprint, after)
      return true
    }
    this.#open.set(fingerprint, after)
    const saved = this.#kept.get(after.id)
    const isNews = saved === undefined || newsOf(saved) !== newsOf(after)
    if (!isNews && after.seenAt - (saved?.seenAt ?? 0) < rewriteMs) return false
    this.#store.save(after)
    this.#kept.set(after.id, after)
    return isNews
  }

  #keepEnded(fingerprint: string, alert: StoredAlert): void {
    // An older alert may still wait for its message after a newer one has ended.
    if ((this.#last.get(fingerprint)?.resolvedAt ?? 0) <= (alert.resolvedAt ?? 0)) this.#last.set(fingerprint, alert)
    if (isOwed(alert)) this.#owed.set(alert.id, alert)
    else this.#owed.delete(alert.id)
    this.#store.save(alert, isOwed(alert) ? Number.MAX_SAFE_INTEGER : countsUntilOf(alert))
  }
}

/** True if both objects name a guest, and the guests differ. */
const isOther = ({ guest: one }: StoredAlert['object'], { guest: other }: StoredAlert['object']) =>
  one !== undefined && other !== undefined && one.id !== other.id

/** The earlier alert, if it is about the same guest. A person's decision about an alert holds only for that guest. */
const ofSameGuest = (earlier: StoredAlert | undefined, { guest }: StoredAlert['object']) =>
  earlier?.object.guest?.id === guest?.id ? earlier : undefined

/**
 * An alert of an older release names no guest. It continues, but keeps a person's decisions only if the present guest existed when the alert began.
 */
function ofPresentGuest(before: StoredAlert, { guest }: StoredAlert['object']): StoredAlert {
  if (guest === undefined || before.object.guest !== undefined || guest.since <= before.since) return before
  const { acknowledged: _said, silence: _silence, ...alert } = before
  return alert
}

const countsUntilOf = ({ resolvedAt = 0, silence }: StoredAlert) =>
  Math.max(
    resolvedAt + Math.max(takesAfterMs, flaps.withinMs),
    silence === undefined ? 0 : (silence.until ?? Number.MAX_SAFE_INTEGER),
  )
/** True if a message about the alert is to be sent, or is being sent. */
const isOwed = ({ due, told }: StoredAlert) => due !== undefined || told.some(({ isOpen }) => isOpen === true)

/** The parts of an alert that a look does not renew by itself. They tell if the alert has changed. */
const newsOf = ({ seenAt: _seen, values: _values, amount: _amount, ...alert }: StoredAlert) => JSON.stringify(alert)
