import { isPicture } from 'protocol'
import { callsIn } from 'protocol/settles'
import { charsOfAttachment } from '../attachments.ts'
import { isSkillText } from '../loaded-skills.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'
import { longestResult, shortResult } from './cut-result.ts'
import { type Cut, cutsIn } from './cuts.ts'
import { type Fold, foldsIn, isGiven, isTask } from './folds.ts'
import type { Size } from './size.ts'
import { charsOfContent } from './size.ts'

/** A model’s window. `tokens`: maximum tokens of the request and the answer together. `answer`: the part reserved for the answer. */
export type Window = { tokens: number; answer: number }

/** The fold before the next turn. `count`: the number of entries that are folded, or of results that are replaced by summaries. */
export type NextFold = { what: Fold['what']; why: Fold['why']; upTo: number; count: number }

/** Share of the window above which old results are replaced by their summaries, 0..1. */
export const resultsAt = 0.6
/** Share of the window above which old turns are folded, 0..1. */
export const turnsAt = 0.75
/**
 * Number of newest runs, the run in progress included, whose results are not replaced by summaries. Also the maximum number of runs that stay
 * unfolded after a fold.
 */
const runsKept = 4
/** Share of the window that the unfolded runs may fill after a fold, 0..1. */
const keptShare = 0.2
/** The smallest share of the window that a fold must free, 0..1. A smaller gain is not worth losing the provider’s cache. */
const leastGain = 0.05
/** Tokens that the fold’s own text takes, estimated. */
const costOfFold = 600

export type Reading = {
  /** The entries of the request, oldest first. */
  entries: readonly StoredEntry[]
  /** The id of the run in progress. */
  current: string
  size: Size
  window: Window
  /** Maximum number of runs that are sent to the model. */
  mostRuns: number
  isOpen?: (entry: StoredEntry) => boolean
}

/** Decides what to fold before the next turn, from the stored entries only; undefined if the request fits without a fold. */
export function nextFold(reading: Reading): NextFold | undefined {
  const { size, window } = reading
  const given = givenIn(reading)
  const runs = new Set(given.flatMap((entry) => (entry.type === 'user' || isClients(entry) ? [entry.runId] : [])))
  if (runs.size > reading.mostRuns) {
    const kept = reading.mostRuns + 1 - Math.max(1, Math.floor(reading.mostRuns / 2))
    const cut = cutsIn(given, reading.current, reading.isOpen).find((one) => !one.isInside && one.runsAfter <= kept)
    if (cut !== undefined) return turns(reading, given, { cut, why: 'runs' })
  }
  const isFull = size.tokens > turnsAt * window.tokens || size.tokens + window.answer > window.tokens
  if (size.tokens > resultsAt * window.tokens || isFull) {
    const results = resultsToPutAway(reading)
    if (results !== undefined) return results
  }
  if (!isFull) return undefined
  const cut = cutFor(reading, given, { most: runsKept, share: keptShare, gain: leastGain })
  return cut && turns(reading, given, { cut, why: 'window' })
}

/** Returns the fold to make after the model refused a request as too long, because its window is smaller than JARVIS assumed. */
export function foldOfRefused(reading: Reading): NextFold | undefined {
  const given = givenIn(reading)
  const cut =
    cutFor(reading, given, { most: 1, share: keptShare / 4, gain: 0 }) ??
    cutsIn(given, reading.current, reading.isOpen).at(-1)
  return cut && turns(reading, given, { cut, why: 'refused' })
}

/** Returns the fold that a person asks for with `/fold`: all entries except the newest answer. */
export function foldAsked(reading: Reading): NextFold | undefined {
  const given = givenIn(reading)
  // The command `/fold` is itself a run, so two runs stay after the cut.
  const cut = cutsIn(given, reading.current, reading.isOpen).find((one) => !one.isInside && one.runsAfter <= 2)
  return cut && turns(reading, given, { cut, why: 'asked' })
}

function givenIn({ entries }: Reading): StoredEntry[] {
  const { fold } = foldsIn(entries)
  return entries.filter((entry) => isGiven(entry, fold) && entry.type !== 'compaction')
}

const isClients = (entry: StoredEntry) => entry.type === 'assistant' && entry.madeBy === 'client'

function turns(
  { current }: Reading,
  given: readonly StoredEntry[],
  { cut, why }: { cut: Cut; why: Fold['why'] },
): NextFold | undefined {
  const count = given.filter((entry) => entry.seq <= cut.seq && isGone(entry, cut, current)).length
  return count === 0 ? undefined : { what: 'turns', why, upTo: cut.seq, count }
}

/**
 * Returns the oldest position after which the kept entries fit the allowed share. If the run in progress alone is larger, returns a position inside
 * it.
 * @param limits.most maximum number of runs that stay unfolded
 * @param limits.share share of the window that the kept entries may fill, 0..1
 * @param limits.gain smallest share of the window that the fold must free, 0..1
 */
function cutFor(
  reading: Reading,
  given: readonly StoredEntry[],
  { most, share, gain }: { most: number; share: number; gain: number },
): Cut | undefined {
  const { size, window, current } = reading
  const { resultsTo } = foldsIn(reading.entries)
  const tokensOf = (entries: readonly StoredEntry[]) =>
    entries.reduce((sum, entry) => sum + charsGiven(entry, resultsTo), 0) / size.charsPerToken
  const kept = (cut: Cut) => given.filter((entry) => entry.seq > cut.seq)
  const isWorth = (cut: Cut) => {
    const gone = given.filter((entry) => entry.seq <= cut.seq && isGone(entry, cut, current))
    return tokensOf(gone) - costOfFold * (gain === 0 ? 0 : 1) >= gain * window.tokens && gone.length > 0
  }
  const cuts = cutsIn(given, current, reading.isOpen)
  const between = cuts.filter((cut) => !cut.isInside)
  const fits = (cut: Cut) => tokensOf(kept(cut)) <= share * window.tokens
  const best = between.find((cut) => cut.runsAfter <= most && fits(cut)) ?? between.at(-1)
  if (best !== undefined && isWorth(best) && (fits(best) || leavesRoom(reading, given, { cut: best, tokensOf })))
    return best
  // The newest turn of the model stays, because the next turn continues it.
  const inside = cuts.filter((cut) => cut.isInside && kept(cut).some(({ type }) => type === 'assistant'))
  const within = inside.find(fits) ?? inside.at(-1)
  if (within !== undefined && isWorth(within)) return within
  return best !== undefined && isWorth(best) ? best : undefined
}

const isGone = (entry: StoredEntry, cut: Cut, current: string) =>
  !(cut.isInside && entry.runId === current && isTask(entry))

function leavesRoom(
  { size, window }: Reading,
  given: readonly StoredEntry[],
  { cut, tokensOf }: { cut: Cut; tokensOf(entries: readonly StoredEntry[]): number },
): boolean {
  const left = size.tokens - tokensOf(given.filter((entry) => entry.seq <= cut.seq)) + costOfFold
  return left <= resultsAt * window.tokens && left + window.answer <= window.tokens
}

/** The fold that replaces results of older runs by their summaries; undefined if it would free too little. */
function resultsToPutAway(reading: Reading): NextFold | undefined {
  const { size, window } = reading
  const { fold, resultsTo } = foldsIn(reading.entries)
  const given = givenIn(reading)
  const starts = new Map<string, number>()
  for (const { runId, seq } of given) if (!starts.has(runId)) starts.set(runId, seq)
  const first = [...starts.values()].sort((a, b) => a - b).at(-runsKept)
  if (first === undefined || starts.size <= runsKept) return undefined
  const upTo = first - 1
  const results = given.filter(
    (entry) =>
      (entry.type === 'tool_result' ? entry.result.length > shortResult : hasTextFile(entry)) &&
      entry.seq <= upTo &&
      entry.seq > Math.max(resultsTo, fold?.upTo ?? -1),
  )
  const saved = results.reduce((sum, entry) => sum + charsGiven(entry, resultsTo) - charsGiven(entry, upTo), 0)
  if (saved / size.charsPerToken < leastGain * window.tokens) return undefined
  return { what: 'results', why: 'window', upTo, count: results.length }
}

const hasTextFile = (entry: StoredEntry) =>
  entry.type === 'user' && entry.attachments?.some((file) => !isPicture(file)) === true

/** Returns how many characters an entry takes in a request. */
export function charsGiven(entry: StoredEntry, resultsTo: number): number {
  switch (entry.type) {
    case 'user': {
      const files = entry.attachments ?? []
      const chars = files.reduce((sum, file) => sum + charsOfAttachment(file, entry.seq <= resultsTo), 0)
      return entry.text.length + (entry.context?.length ?? 0) + chars
    }
    case 'subrun':
      return entry.change === 'begin' ? entry.task.length + (entry.context?.length ?? 0) : 0
    case 'recalled':
      return entry.items.reduce((sum, { text, name }) => sum + text.length + name.length + 40, 0)
    case 'assistant':
      if (entry.madeBy === 'client') return 0
      return entry.content.reduce((sum, item) => sum + charsOfContent(item), 0) + 60 * callsIn(entry).length
    case 'skill':
      return entry.text.length
    case 'tool_result':
      if (isSkillText(entry)) return entry.result.length
      if (entry.seq <= resultsTo && entry.result.length > shortResult) return entry.summary.length + 120
      return Math.min(entry.result.length, longestResult + 120) + 5_000 * (entry.images?.length ?? 0)
    case 'blocked':
      return entry.reason.length + 60
    case 'confirm_resolved':
      return 60 + (entry.note?.length ?? 0)
    case 'reconciled':
      return entry.text.length + 60
    default:
      return 0
  }
}
