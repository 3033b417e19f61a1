import type { Card, ChatEvents, Entry, Question, QueuedMessage, Snapshot, TodoItem } from 'protocol'

/** An event of `/chat` with its name. */
export type ChatEvent = { [Name in keyof ChatEvents]: { name: Name } & ChatEvents[Name] }[keyof ChatEvents]

/** The state of one session that the page draws. */
export type SessionView = {
  sessionId: string
  title: string
  /** True if the session is a rehearsal: a call that would change something only says what it would do. */
  isRehearsal: boolean
  /** The model chosen for the session; undefined: the default model. */
  model: string | undefined
  /** The effort with which models think in the session; undefined: the effort of the settings. */
  effort: Snapshot['effort']
  /** The agent of the session; undefined: `main`. */
  agent: string | undefined
  branchedFrom: Snapshot['branchedFrom']
  lastSeq: number
  /** The run in progress; undefined: none. */
  runId: string | undefined
  entries: readonly Entry[]
  hasEarlier: boolean
  partial: { text: string; thinking: string }
  pending: readonly Card[]
  /** Questions that wait for a person. */
  questions: readonly Question[]
  queued: readonly QueuedMessage[]
  /** The newest to-do list of the model. */
  todo: readonly TodoItem[]
  progress: Readonly<Record<string, string>>
  notice: { message: string; retryAt?: number } | undefined
}

export function fromSnapshot(snapshot: Snapshot): SessionView {
  return {
    sessionId: snapshot.sessionId,
    title: snapshot.title,
    isRehearsal: snapshot.isRehearsal,
    model: snapshot.model,
    effort: snapshot.effort,
    agent: snapshot.agent,
    branchedFrom: snapshot.branchedFrom,
    lastSeq: snapshot.seq,
    runId: snapshot.runId,
    entries: snapshot.entries,
    hasEarlier: snapshot.hasEarlier,
    partial: snapshot.partial,
    pending: snapshot.pending,
    questions: snapshot.questions ?? [],
    queued: snapshot.queued,
    todo: snapshot.todo ?? [],
    progress: snapshot.progress,
    notice:
      snapshot.notice === undefined
        ? undefined
        : {
            message: snapshot.notice.message,
            retryAt: snapshot.notice.retryAt,
          },
  }
}

/** True if events between the view and this event are missing. The page then needs a new snapshot. */
export const skips = (view: SessionView, event: ChatEvent): boolean => event.seq > view.lastSeq + 1

/** Applies an event to the view. Events with a seq that was already seen change nothing, so reconnecting is safe. @param now Unix ms */
export function reduce(view: SessionView, event: ChatEvent, now: number): SessionView {
  if (event.seq <= view.lastSeq) return view
  const seen = { ...view, lastSeq: event.seq }
  switch (event.name) {
    case 'chat:token':
      return {
        ...seen,
        runId: event.runId,
        notice: undefined,
        partial: { ...view.partial, text: view.partial.text + event.text },
      }
    case 'chat:thinking':
      return {
        ...seen,
        runId: event.runId,
        notice: undefined,
        partial: { ...view.partial, thinking: view.partial.thinking + event.text },
      }
    case 'chat:taken_back':
      return { ...seen, partial: { text: '', thinking: view.partial.thinking + view.partial.text } }
    case 'chat:tool_progress':
      return { ...seen, progress: { ...view.progress, [event.toolUseId]: event.message } }
    case 'chat:notice': {
      const retry = event.retryInMs === undefined ? {} : { retryAt: now + event.retryInMs }
      return { ...seen, notice: { message: event.message, ...retry } }
    }
    case 'chat:queued':
      return { ...seen, queued: event.queued }
    case 'chat:title':
      return { ...seen, title: event.title }
    case 'chat:rehearsal':
      return { ...seen, isRehearsal: event.isRehearsal }
    default:
      return fold(seen, entryOf(event))
  }
}

type EntryEvent = Extract<ChatEvent, { name: `chat:${Entry['type']}` }>

function entryOf(event: EntryEvent): Entry {
  const { name, sessionId: _, ...rest } = event
  return { type: name.slice('chat:'.length), ...rest } as Entry
}

const nothing = { text: '', thinking: '' }

function fold(view: SessionView, entry: Entry): SessionView {
  const next = { ...view, entries: [...view.entries, entry] }
  switch (entry.type) {
    case 'user':
      return { ...next, runId: entry.runId, partial: nothing, notice: undefined }
    case 'assistant':
      if (isOfChild(view, entry)) return next
      // The entry with the cost of naming the session may arrive after its run has ended, even during another run.
      if (view.entries.some(({ type, runId }) => runId === entry.runId && (type === 'done' || type === 'error')))
        return next
      return { ...next, runId: entry.runId, partial: nothing, notice: undefined }
    case 'tool_use':
    case 'blocked':
    case 'reconciled':
      return next
    case 'tool_result':
      return { ...next, progress: without(view.progress, entry.toolUseId) }
    case 'confirm_needed':
      return { ...next, pending: [...view.pending, matterOf(entry)] }
    case 'confirm_resolved':
      return { ...next, pending: view.pending.filter((card) => card.toolUseId !== entry.toolUseId) }
    case 'question':
      return { ...next, questions: [...view.questions, matterOf(entry)] }
    case 'question_resolved':
      return { ...next, questions: view.questions.filter(({ questionId }) => questionId !== entry.questionId) }
    case 'plan':
      // A child run has its own to-do list.
      return view.entries.some(({ type, runId }) => type === 'subrun' && runId === entry.runId)
        ? next
        : { ...next, todo: entry.items }
    case 'done':
    case 'error':
      if (isOfChild(view, entry)) return next
      return { ...next, runId: undefined, partial: nothing, progress: {}, notice: undefined }
    default:
      // A newer server may send events that this page does not know.
      return next
  }
}

/** True if an entry belongs to a child run. Its entries do not change the state of the run that the person reads. */
const isOfChild = (view: SessionView, { runId }: Entry): boolean =>
  view.entries.some((entry) => entry.type === 'subrun' && entry.runId === runId)

/** The content of an entry, without its type, seq, run and time. */
function matterOf<E extends Entry>({ type: _, seq: __, runId: ___, at: ____, ...matter }: E) {
  return matter
}

function without(progress: Readonly<Record<string, string>>, toolUseId: string) {
  const { [toolUseId]: _, ...rest } = progress
  return rest
}

/** Puts older entries, read over REST, before the known ones. */
export function withEarlier(view: SessionView, earlier: readonly Entry[], hasEarlier: boolean): SessionView {
  const first = view.entries[0]?.seq ?? Number.POSITIVE_INFINITY
  return { ...view, hasEarlier, entries: [...earlier.filter((entry) => entry.seq < first), ...view.entries] }
}
