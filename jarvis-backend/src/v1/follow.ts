import type { Ended } from 'openai-door/answer'
import { type Card, type Entry, noUsage, type Usage } from 'protocol'
import { callsIn } from 'protocol/settles'
import type { Runs } from '../agent/runs.ts'
import type { StoredEntry, TranscriptStore } from '../agent/sessions/transcript-store.ts'

/** Receives what happens in a run. Called synchronously, in order. */
export type Listener = {
  text(delta: string): void
  thinking(delta: string): void
  /** Called when a card begins to wait for a person. */
  waits(card: Card): void
  /** Called with an entry of the run, after the entry's text was passed to `text`. */
  entry?(entry: Entry): void
  ended(end: Ended): void
}

export type FollowParts = {
  runs: Pick<Runs, 'watch' | 'goesOn'>
  transcripts: Pick<TranscriptStore, 'entriesOfRun' | 'unfinishedRuns'>
}

/** Separates the text of two turns. */
export const turnBreak = '\n\n'

/**
 * Passes everything in a run to the listener: its past so far, then all that follows until its end. The run may have ended already.
 * @param isNew true: the run began in this turn of the event loop, in a new session, so there is no past
 * @returns `end` stops following; `check` reports the end of a run that was removed
 */
export function followRun(
  { runs, transcripts }: FollowParts,
  { sessionId, runId, isNew = false }: { sessionId: string; runId: string; isNew?: boolean },
  listener: Listener,
): { end(): void; check(): void } {
  let isOver = false
  /** Text of the present turn that was passed on. `needsBreak`: text was passed on before this turn. */
  let streamed = ''
  let needsBreak = false
  const told = new Set<string>()
  let lastSeq = -1

  const say = (text: string) => {
    if (text === '') return
    const isFirst = streamed === ''
    streamed += text
    listener.text(isFirst && needsBreak ? turnBreak + text : text)
  }
  /**
   * The text of this turn turned out to be thinking. Text that a program has received cannot be withdrawn, so the answer begins again after a break.
   */
  const takeBack = () => {
    if (streamed !== '') needsBreak = true
    streamed = ''
  }
  const show = (card: Card) => {
    if (told.has(card.toolUseId)) return
    told.add(card.toolUseId)
    listener.waits(card)
  }
  const end = () => {
    isOver = true
    watch?.end()
  }
  const hear = (entry: Entry) => {
    if (entry.type === 'assistant') {
      const text = wordsOf(entry)
      // Redaction of the whole text may differ from redaction of its streamed pieces. The text then stays as it was streamed.
      if (text.startsWith(streamed)) say(text.slice(streamed.length))
      if (text !== '' || streamed !== '') needsBreak = entry.stopReason !== 'interrupted'
      streamed = ''
    }
    listener.entry?.(entry)
    if (entry.type === 'done' || entry.type === 'error') {
      end()
      listener.ended(endOf(transcripts.entriesOfRun(runId), entry))
    }
  }
  const watch = runs.watch(sessionId, {
    isOperator: false,
    tell(event, payload) {
      if (isOver) return
      // A card of a child run, or of a plan of this run, also delays this run, so it is reported too.
      if (event === 'chat:confirm_needed') return show(payload as Card)
      if (payload.runId !== runId || payload.seq <= lastSeq) return
      if (event === 'chat:token') say((payload as { text: string }).text)
      else if (event === 'chat:thinking') listener.thinking((payload as { text: string }).text)
      else if (event === 'chat:taken_back') takeBack()
      else hear({ ...payload, type: event.slice('chat:'.length) } as Entry)
    },
  })
  if (!isNew) catchUp()
  function catchUp() {
    const stored = transcripts.entriesOfRun(runId)
    const { partial, pending, runId: atWork, seq } = watch.snapshot()
    lastSeq = stored.at(-1)?.seq ?? -1
    for (const entry of stored) if (!isOver) hear(entry)
    if (!isOver && atWork === runId) {
      lastSeq = Math.max(lastSeq, seq)
      say(partial.text)
    }
    if (!isOver) for (const card of pending) show(card)
  }
  const check = () => {
    const isGone =
      !runs.goesOn(sessionId, runId) && !transcripts.unfinishedRuns(sessionId).some(({ id }) => id === runId)
    if (isOver || !isGone) return
    end()
    listener.ended({
      type: 'failed',
      code: 'aborted',
      message: 'The conversation was removed.',
      text: '',
      usage: noUsage,
      hasChanged: false,
    })
  }
  if (!isOver && !isNew) check()
  return { end, check }
}

const wordsOf = (entry: Extract<StoredEntry, { type: 'assistant' }>) =>
  entry.content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')

/** Returns all text of a run's answer. */
function saidIn(entries: readonly StoredEntry[]): string {
  let text = ''
  let isOpen = true
  for (const entry of entries) {
    if (entry.type !== 'assistant') continue
    const words = wordsOf(entry)
    if (words === '') continue
    text += isOpen ? words : turnBreak + words
    isOpen = entry.stopReason === 'interrupted'
  }
  return text
}

function endOf(entries: readonly StoredEntry[], last: Extract<Entry, { type: 'done' | 'error' }>): Ended {
  const text = saidIn(entries)
  const failed = (code: string, message: string, usage: Usage = noUsage): Ended => {
    const hasChanged = entries.some((entry) => entry.type === 'tool_use' && entry.tier !== 'green')
    return { type: 'failed', code, message, text, usage, hasChanged }
  }
  if (last.type === 'error') return failed(last.code, last.error, last.usage)
  const { stopReason, usage } = last
  if (stopReason === 'aborted') return failed('aborted', 'The answer was stopped in JARVIS.', usage)
  const handed = new Set(
    entries.flatMap((entry) => (entry.type === 'tool_result' && entry.isHandedOut ? entry.toolUseId : [])),
  )
  const handedOut = entries.flatMap((entry) =>
    entry.type === 'assistant' ? callsIn(entry).filter(({ toolUseId }) => handed.has(toolUseId)) : [],
  )
  const files = new Set(entries.flatMap((entry) => (entry.type === 'tool_result' && entry.files) || []))
  return { type: 'done', at: last.at, stopReason, text, handedOut, files: [...files], usage }
}
