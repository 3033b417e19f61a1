import { isSilent, type StoredAlert } from './alert.ts'
import type { Measure } from './check.ts'

const minuteMs = 60_000
const keptValues = 12
const rank = { info: 0, look: 1, failed: 2 } as const

/**
 * An alert flaps after this many turns (fired or ended) within `withinMs`. That covers a guest that restarts every half hour as well as a value at
 * its limit. No further message is sent until there was no turn for `quietMs`.
 */
export const flaps = { turns: 5, withinMs: 120 * minuteMs, quietMs: 60 * minuteMs }
/** Time after an alert's end within which a new alert of the same fingerprint keeps the acknowledgement, ms. */
export const takesAfterMs = 15 * minuteMs
/**
 * A pending alert begins anew after a long gap between two looks, because the values in between are not known: a gap longer than this (ms), than
 * three looks, and than a quarter of the time until the alert fires.
 */
const longestGapMs = 15 * minuteMs

export type StepFacts = {
  now: number
  /** The id of the alert if a new one begins. */
  id: string
  check: string
  forMs: number
  everyMs: number
  /** Unix ms since when the recorded samples show the condition without a gap; undefined if they do not. */
  recordedSince?: number | undefined
  /** The last ended alert of the same fingerprint, while it still counts. */
  earlier?: StoredAlert | undefined
}

/** An object that was not seen, or no longer exists. */
export type Missing =
  | { object: Measure['object']; level: 'unseen' }
  | { object: Measure['object']; level: 'gone'; ending?: string }

/**
 * Applies the result of a look to an alert.
 * @param measure `gone`: the object no longer exists
 * @returns the alert; undefined if there is none now. A pending alert that ends is removed
 */
export function step(
  before: StoredAlert | undefined,
  measure: (Measure & { level: Exclude<Measure['level'], 'unseen'> }) | Missing,
  facts: StepFacts,
): StoredAlert | undefined {
  const { now } = facts
  if (measure.level === 'unseen') return before === undefined ? undefined : unseen(before, now)
  if (measure.level === 'gone')
    return before?.firedAt === undefined ? undefined : ended(before, measure.ending ?? 'It is gone.', { now })
  if (measure.level === 'clear') return before?.firedAt === undefined ? undefined : cleared(before, measure, now)
  if (before === undefined) return measure.level === 'between' ? undefined : begun(measure, measure.level, facts)
  const { notSeenSince: _seen, isClear: wasClear, explainedBy: _explained, ...known } = before
  const seen: StoredAlert = { ...known, ...valuesOf(before, measure), seenAt: now }
  if (before.firedAt !== undefined) return goesOn(seen, { wasClear: wasClear === true, level: measure.level }, now)
  if (now - before.seenAt > Math.max(longestGapMs, 3 * facts.everyMs, facts.forMs / 4)) seen.since = now
  seen.since = Math.min(seen.since, facts.recordedSince ?? seen.since)
  return measure.level === 'between' ? seen : ripened({ ...seen, severity: measure.level }, facts)
}

function begun(measure: Measure, severity: StoredAlert['severity'], facts: StepFacts): StoredAlert {
  const { now, id, check, earlier, recordedSince = now } = facts
  const { acknowledged, silence, turns = [], resolvedAt = 0 } = earlier ?? {}
  const isRecent = now - resolvedAt <= takesAfterMs
  const stays =
    isRecent &&
    acknowledged !== undefined &&
    !isWorse(acknowledged, { severity, amount: measure.value, isLowBad: measure.isLowBad })
  return ripened(
    {
      id,
      check,
      severity,
      state: 'pending',
      since: Math.min(recordedSince, now),
      seenAt: now,
      turns: now - resolvedAt <= flaps.withinMs ? turns : [],
      told: [],
      ...valuesOf(undefined, measure),
      ...(stays && { acknowledged }),
      ...(earlier !== undefined && silence !== undefined && isSilent(earlier, now) && { silence }),
    },
    facts,
  )
}

/** Makes a pending alert fire if its time is over. Allows some slack, because hourly looks are never exactly an hour apart. */
function ripened(alert: StoredAlert, { now, forMs, everyMs }: StepFacts): StoredAlert {
  const firesAt = alert.since + forMs
  const slackMs = everyMs > minuteMs ? everyMs / 5 : 0
  if (firesAt - slackMs > now) return { ...alert, state: 'pending', firesAt }
  const { firesAt: _over, ...rest } = alert
  const fired: StoredAlert = { ...rest, ...turned(alert, now), state: 'firing', firedAt: now }
  return alert.severity === 'info' ? fired : { ...fired, due: { what: 'fired', at: now } }
}

function goesOn(
  seen: StoredAlert,
  { wasClear, level }: { wasClear: boolean; level: Measure['level'] },
  now: number,
): StoredAlert {
  const { flapping, ...calm } = seen
  const isQuiet = flapping !== undefined && flapping.until > now
  const alert: StoredAlert = isQuiet ? seen : calm
  const turnedBack = isQuiet && wasClear ? turned(alert, now) : {}
  const severity = level === 'between' || level === 'clear' || level === 'unseen' ? alert.severity : level
  // The alert no longer comes and goes but stays bad, which is worth a message.
  const stays = flapping !== undefined && !isQuiet && severity !== 'info'
  const due = stays ? { due: { what: 'fired' as const, at: now } } : {}
  return withoutAcknowledgement({ ...alert, ...turnedBack, ...due, state: 'firing', severity }, now)
}

/** Ends an acknowledgement if the alert is worse than it was then. That is worth a message: the second and last of the alert's two messages. */
function withoutAcknowledgement(alert: StoredAlert, now: number): StoredAlert {
  const { acknowledged, ...rest } = alert
  if (acknowledged === undefined || !isWorse(acknowledged, alert)) return alert
  return rest.told.length >= 2 ? rest : { ...rest, due: { what: 'fired', at: now } }
}

const isWorse = (
  { severity, untilValue }: NonNullable<StoredAlert['acknowledged']>,
  now: { severity: StoredAlert['severity']; amount?: number | undefined; isLowBad?: true | undefined },
) =>
  rank[now.severity] > rank[severity] ||
  (untilValue !== undefined &&
    now.amount !== undefined &&
    (now.isLowBad === true ? now.amount < untilValue : now.amount > untilValue))

function unseen(before: StoredAlert, now: number): StoredAlert {
  const { firesAt: _unknown, ...rest } = before
  const notSeenSince = before.notSeenSince ?? now
  return { ...rest, notSeenSince, ...(before.firedAt !== undefined && { state: 'held' }) }
}

function cleared(before: StoredAlert, measure: Measure, now: number): StoredAlert {
  const { notSeenSince: _seen, explainedBy: _explained, ...known } = before
  const seen: StoredAlert = { ...known, ...valuesOf(before, measure), seenAt: now }
  const words =
    before.value === undefined || before.value === measure.words ? measure.words : `${before.value} → ${measure.words}`
  const isQuiet = before.flapping !== undefined && before.flapping.until > now
  const turn = before.isClear === true ? { turns: before.turns, flapping: undefined } : turned(before, now)
  const flapping = turn.flapping ?? (isQuiet ? before.flapping : undefined)
  if (flapping === undefined) return ended({ ...seen, sentence: before.sentence }, words, { now, turns: turn.turns })
  const due = flapping.since === now && before.severity !== 'info' ? { what: 'fired' as const, at: now } : seen.due
  return {
    ...seen,
    turns: turn.turns,
    sentence: before.sentence,
    state: 'firing',
    isClear: true,
    flapping,
    ...(due !== undefined && { due }),
  }
}

/** Counts one turn: the alert fired or ended. */
function turned(alert: StoredAlert, now: number): Pick<StoredAlert, 'turns' | 'flapping'> {
  const turns = [...alert.turns.filter((at) => at > now - flaps.withinMs && at <= now), now]
  const { flapping } = alert
  const isQuiet = flapping !== undefined && flapping.until > now
  const changes = isQuiet ? flapping.changes + 1 : turns.length
  // While the alert goes on flapping, its quiet time is extended and keeps its start.
  const since = isQuiet ? (flapping.since ?? 0) : now
  if (turns.length >= flaps.turns) return { turns, flapping: { until: now + flaps.quietMs, changes, since } }
  return isQuiet ? { turns, flapping: { ...flapping, changes } } : { turns }
}

/** @param by `turns`: the turns with the one of this look; default: the earlier turns */
function ended(
  before: StoredAlert,
  ending: string,
  { now, turns = before.turns }: { now: number; turns?: readonly number[] },
): StoredAlert {
  const { due, flapping: _calm, isClear: _clear, firesAt: _over, notSeenSince: _seen, ...rest } = before
  const wasTold = rest.told.some(({ what }) => what === 'fired')
  const resolved: StoredAlert = { ...rest, turns, state: 'resolved', resolvedAt: now, ending }
  if (
    wasTold &&
    !rest.told.some(({ what }) => what === 'resolved') &&
    (rest.told.length < 2 || rest.turns.length >= flaps.turns)
  )
    return { ...resolved, due: { what: 'resolved', at: now } }
  if (due === undefined || wasTold) return resolved
  const words = due.quiet ?? 'nobody: it ended before anybody was told'
  return { ...resolved, told: [...rest.told, { at: due.at, what: 'fired', words }] }
}

/** Ends an alert whose check no longer exists; `ending` says so. No message is sent. */
export function closed(before: StoredAlert, ending: string, now: number): StoredAlert | undefined {
  if (before.firedAt === undefined) return undefined
  const { due: _none, ...alert } = ended(before, ending, { now })
  return alert
}

function valuesOf(before: StoredAlert | undefined, measure: Measure) {
  const { words, value, isLowBad, sentence, object, explainedBy, chart, inputs } = measure
  const values = [...(before?.values ?? []), words].slice(-keptValues)
  return {
    object,
    sentence,
    value: words,
    values,
    ...(value !== undefined && { amount: value }),
    ...(isLowBad && { isLowBad }),
    explainedBy,
    ...(chart !== undefined && { chart }),
    ...(inputs !== undefined && { inputs }),
  }
}
