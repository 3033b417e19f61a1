import { newId } from '../lib/ids.ts'
import type { Limits } from '../protocol/index.ts'
import { type AlertStore, fingerprintOf, isSilent, type StoredAlert } from './alert.ts'
import type { Check, CheckPorts, Looked, Measure } from './check.ts'
import { lost } from './message.ts'
import { recordedSince } from './recorded.ts'
import { closed, flaps, step, takesAfterMs } from './step.ts'

/** What only a look renews is written this seldom, ms: a disk in a homelab is an SD card. */
const rewriteMs = 5 * 60_000
export const everyMsOf = ({ pace }: Pick<Check, 'pace'>) => (pace === 'state' ? 60_000 : 3_600_000)

export type Board = ReturnType<typeof createBoard>

/** The alerts that have not ended, and those that ended and count still, in memory and on disk. */
export function createBoard(parts: { store: AlertStore; now(): number; samples: CheckPorts['samples'] }) {
  const { store, now: present } = parts
  const open = new Map<string, StoredAlert>()
  /** The last ended one of a fingerprint. */
  const last = new Map<string, StoredAlert>()
  /** Ended ones of which somebody is still to be told, or is being told. */
  const owed = new Map<string, StoredAlert>()
  /** Differs after each change. */
  let version = 0
  /** As they are on disk. */
  const kept = new Map<string, StoredAlert>()
  for (const alert of store.current(present())) {
    if (alert.state !== 'resolved') {
      open.set(fingerprintOf(alert), alert)
      kept.set(alert.id, alert)
    } else {
      last.set(fingerprintOf(alert), alert)
      if (isOwed(alert)) owed.set(alert.id, alert)
    }
  }

  /** Keeps what became of an alert. @returns whether others see a difference */
  function put(before: StoredAlert | undefined, after: StoredAlert | undefined): boolean {
    version += 1
    const key = after ?? before
    if (key === undefined) return false
    const fingerprint = fingerprintOf(key)
    if (after === undefined || after.state === 'resolved') {
      if (open.get(fingerprint)?.id === key.id) open.delete(fingerprint)
      kept.delete(key.id)
      if (after === undefined) store.remove(key.id)
      else keepEnded(fingerprint, after)
      return true
    }
    open.set(fingerprint, after)
    const saved = kept.get(after.id)
    const isNews = saved === undefined || newsOf(saved) !== newsOf(after)
    if (!isNews && after.seenAt - (saved?.seenAt ?? 0) < rewriteMs) return false
    store.save(after)
    kept.set(after.id, after)
    return isNews
  }

  function keepEnded(fingerprint: string, alert: StoredAlert) {
    // An older one may be told of after a newer one has ended.
    if ((last.get(fingerprint)?.resolvedAt ?? 0) <= (alert.resolvedAt ?? 0)) last.set(fingerprint, alert)
    if (isOwed(alert)) owed.set(alert.id, alert)
    else owed.delete(alert.id)
    store.save(alert, isOwed(alert) ? Number.MAX_SAFE_INTEGER : countsUntilOf(alert))
  }

  return {
    version: () => version,
    /** Those that have not ended. */
    open: (): StoredAlert[] => [...open.values()],
    /** Those that have not ended, and those that ended and count still. */
    all: (): StoredAlert[] => [...open.values(), ...last.values(), ...owed.values()],
    /** The newest of each fingerprint whose silence holds, ended ones too. */
    silent: (now: number): StoredAlert[] =>
      [...new Map([...last, ...open]).values()].filter((alert) => isSilent(alert, now)),
    /** Those of which somebody is to be told. */
    due: (): StoredAlert[] => [...owed.values(), ...open.values()].filter(({ due }) => due !== undefined),
    get: (id: string): StoredAlert | undefined =>
      [...open.values()].find((alert) => alert.id === id) ?? owed.get(id) ?? store.get(id),
    /** @returns whether others see a difference */
    change: (before: StoredAlert, after: StoredAlert): boolean => put(before, after),
    /** When the next pending alert fires, Unix ms. */
    nextFires: (): number => Math.min(...[...open.values()].map(({ firesAt = Number.POSITIVE_INFINITY }) => firesAt)),
    /**
     * Takes in what a check saw. @param failed the check saw nothing: all its alerts are held
     * @returns whether others see a difference
     */
    take(check: Check, looked: Looked | 'failed', limits: Limits, now: number): boolean {
      const forMs = typeof check.forMs === 'number' ? check.forMs : check.forMs(limits)
      const facts = { now, check: check.id, forMs, everyMs: everyMsOf(check) }
      const measures = new Map<string, Measure>()
      if (looked !== 'failed') for (const measure of looked.measures) measures.set(measure.object.id, measure)
      let isNews = false
      const turn = (before: StoredAlert | undefined, measure: Parameters<typeof step>[1]) => {
        const fingerprint = fingerprintOf({ check: check.id, object: measure.object })
        const mayRipen = before?.firedAt === undefined && 'words' in measure && measure.level !== 'clear'
        const after = step(before, measure, {
          ...{ ...facts, id: newId('alr'), earlier: ofSameGuest(last.get(fingerprint), measure.object) },
          ...(mayRipen && { recordedSince: recordedSince(measure, facts, parts.samples) }),
        })
        if (before !== undefined || after !== undefined) isNews = put(before, after) || isNews
      }
      for (const before of [...open.values()]) {
        if (before.check !== check.id || measures.has(before.object.id)) continue
        const isUnseen =
          looked === 'failed' ||
          looked.unread.has('*') ||
          (before.object.node !== undefined && looked.unread.has(before.object.node))
        turn(before, { object: before.object, level: isUnseen ? 'unseen' : 'gone' })
      }
      for (const { level, ...measure } of measures.values()) {
        const found = open.get(fingerprintOf({ check: check.id, object: measure.object }))
        const isOver = found?.object.guest !== undefined && isOther(found.object, measure.object)
        if (isOver) turn(found, { object: found.object, level: 'gone', ending: 'Another guest has its number now.' })
        const before = isOver ? undefined : found && ofPresentGuest(found, measure.object)
        turn(before, level === 'unseen' ? { object: measure.object, level } : { ...measure, level })
      }
      return isNews
    },
    /** Ends the alerts that `isOver` names, without a word to anybody. */
    close(isOver: (alert: StoredAlert) => boolean, ending: string): boolean {
      const over = [...open.values()].filter(isOver)
      for (const alert of over) put(alert, closed(alert, ending, present()))
      return over.length > 0
    },
    /**
     * Ends all alerts without a word to anybody. What a person said of them, and what was to be told of them, ends too: the same names are
     * other things from now on.
     */
    leave(ending: string) {
      const left = [...open.values(), ...last.values(), ...owed.values()]
      for (const alert of new Map(left.map((one) => [one.id, one])).values()) {
        const over = alert.state === 'resolved' ? alert : closed(alert, ending, present())
        if (over === undefined) store.remove(alert.id)
        else {
          const { silence: _silence, due: _due, ...rest } = over
          const told = rest.told.map(({ isOpen, ...one }) => (isOpen ? { ...one, words: lost } : one))
          store.save({ ...rest, told })
        }
      }
      for (const known of [open, last, owed, kept]) known.clear()
      version += 1
    },
    /** Forgets ended alerts whose time to count is over. */
    forget(now: number) {
      for (const [fingerprint, alert] of last) if (countsUntilOf(alert) <= now) last.delete(fingerprint)
    },
  }
}

/** Whether two sights of one number are of different guests, as far as is known. */
const isOther = ({ guest: one }: StoredAlert['object'], { guest: other }: StoredAlert['object']) =>
  one !== undefined && other !== undefined && one.id !== other.id

/** What a person said of an alert holds for the guest that they meant. */
const ofSameGuest = (earlier: StoredAlert | undefined, { guest }: StoredAlert['object']) =>
  earlier?.object.guest?.id === guest?.id ? earlier : undefined

/** An alert of an older release names no guest: it goes on, and what was said of it only where the guest was there then. */
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
/** Of which somebody is to be told, or is being told. */
const isOwed = ({ due, told }: StoredAlert) => due !== undefined || told.some(({ isOpen }) => isOpen === true)

/** All of an alert but what each look renews. */
const newsOf = ({ seenAt: _seen, values: _values, amount: _amount, ...alert }: StoredAlert) => JSON.stringify(alert)
