import {
  type Card,
  type Entry,
  mainAgentId,
  type Question,
  type QueuedMessage,
  type Snapshot,
  type TodoItem,
} from 'protocol'
import type { Run } from '../run.ts'
import type { StoredEntry } from './entries.ts'
import type { LiveSession } from './live-session.ts'
import type { StoredSession } from './transcript-store.ts'

/**
 * Builds all data that a screen needs to show a session.
 * @param of `items`: the session’s last entries; `session`: set if runs in it are in progress; `run`: the run that answers a message, if there is
 * one
 * @param since the last `seq` that the screen has: older entries are left out, unless the screen missed more entries than `items` holds
 */
export function snapshotOf(
  of: {
    stored: StoredSession
    session: LiveSession | undefined
    run: Run | undefined
    items: readonly StoredEntry[]
    hasEarlier: boolean
    pending: Card[]
    questions: Question[]
    queued: QueuedMessage[]
    todo: readonly TodoItem[] | undefined
  },
  toWire: (entry: StoredEntry) => Entry,
  since: number | undefined,
): Snapshot {
  const { session, run, items, hasEarlier, pending, questions, queued } = of
  const { id, title, nextSeq, isRehearsal, model, effort, agent, branchedFrom } = of.stored
  const seq = (session?.nextSeq ?? nextSeq) - 1
  const joins = since !== undefined && since <= seq && since >= (items[0]?.seq ?? 0)
  return {
    sessionId: id,
    title,
    isRehearsal,
    model,
    effort,
    ...(agent !== mainAgentId && { agent }),
    branchedFrom,
    seq,
    ...(run && { runId: run.row.id }),
    entries: (joins ? items.filter((entry) => entry.seq > since) : items).map(toWire),
    hasEarlier,
    ...(joins && { since }),
    partial: run ? { ...run.partial } : { text: '', thinking: '' },
    pending,
    questions,
    queued,
    ...(of.todo && { todo: [...of.todo] }),
    progress: Object.assign({}, ...[...(session?.runs.values() ?? [])].map(({ progress }) => progress)),
    ...(run?.notice && { notice: run.notice }),
  }
}
