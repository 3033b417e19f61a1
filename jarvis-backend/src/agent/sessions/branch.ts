import { type Content, JarvisError } from 'protocol'
import { usageOf } from '../spent.ts'
import type { StoredEntry, TranscriptStore } from './transcript-store.ts'

/** The point at which a branch leaves its session: before a message, or after an answer. */
export type BranchPoint = { before: number } | { after: number }

/**
 * A branch copies all entries with a `seq` below `below`. `entry`: the entry at which the branch is shown. `cut`: a run that the branch cuts off,
 * with the entries that replace its last ones and end it.
 */
export type Branch = { entry: number; below: number; cut?: { runId: string; entries: StoredEntry[] } }

/**
 * Finds the last entry of a branch. The last run of a branch always gets an end. Calls after the last answer of the branch are left out, because
 * their outcomes belong to the original session.
 * @throws JarvisError `not_found`, `invalid_request`
 */
export function branchAt(
  store: Pick<TranscriptStore, 'entry' | 'entriesOfRun'>,
  sessionId: string,
  point: BranchPoint,
): Branch {
  const seq = 'before' in point ? point.before : point.after
  const entry = store.entry(sessionId, seq)
  if (entry === undefined) throw new JarvisError('not_found', `This session has no entry ${seq}.`)
  if ('before' in point) {
    if (entry.type !== 'user')
      throw new JarvisError('invalid_request', `before: entry ${seq} is not a message of yours.`)
    return { entry: seq, below: seq }
  }
  const words = entry.type === 'assistant' ? entry.content.filter((item) => item.type !== 'tool_call') : []
  if (entry.type !== 'assistant' || !words.some(isText)) {
    throw new JarvisError('invalid_request', `after: entry ${seq} is not an answer in words.`)
  }
  const run = store.entriesOfRun(entry.runId)
  if (run[0]?.type === 'subrun')
    throw new JarvisError(
      'invalid_request',
      `after: entry ${seq} is another agent's answer. Name one of the session's own.`,
    )
  const later = run.filter((other) => other.seq > seq)
  const end = later.find(({ type }) => type === 'done' || type === 'error')
  const isLast = !later.some((other) => other.type === 'assistant' && other.content.length > 0)
  if (end !== undefined && isLast && words.length === entry.content.length) return { entry: seq, below: end.seq + 1 }
  const { runId, at } = entry
  const usage = usageOf(run.filter((other) => other.seq <= seq))
  const entries: StoredEntry[] = [
    { ...entry, content: words, stopReason: 'end_turn' },
    { type: 'done', seq, runId, at, usage, stopReason: 'end_turn' },
  ]
  return { entry: seq, below: seq, cut: { runId, entries } }
}

const isText = (item: Content) => item.type === 'text' && item.text.trim() !== ''
