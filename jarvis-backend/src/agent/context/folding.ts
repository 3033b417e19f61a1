import type { EntryOf } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { ActiveRun } from '../active-run.ts'
import { asideOf } from '../aside.ts'
import type { Attachments } from '../attachments.ts'
import type { BudgetKeeper } from '../budgets.ts'
import { toMessages } from '../conversation.ts'
import type { Message, Model, ModelImage, ModelRequest, ModelSink, ToolSpec, Turn } from '../model.ts'
import type { RunFacts } from '../run/facts.ts'
import type { createRunReading } from '../run/reading.ts'
import { createSpenderOf } from '../run/spender.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { StoredEntry, TranscriptStore } from '../sessions/transcript-store.ts'
import { asFolded } from './as-folded.ts'
import { type FactMaker, factsAfter } from './facts/index.ts'
import { foldsIn } from './folds.ts'
import {
  charsGiven,
  foldAsked,
  foldOfRefused,
  type NextFold,
  nextFold,
  type Reading,
  type Window,
} from './next-fold.ts'
import { type Prose, proseOf } from './prose.ts'
import { sizeOf } from './size.ts'

/** Entries that are read at a time while facts are made. */
const entriesAtOnce = 500
/** A window that is still full after so many folds does not get emptier by another one. */
const mostAtOnce = 3

export type FoldingParts = {
  store: TranscriptStore
  clock: Clock
  makers: readonly FactMaker[]
  /** How much a model reads and writes at once. */
  windowOf(model: Model): Window
  /** What answers where a model fails, in order. */
  fallbacksOf(model: Model): readonly Model[]
  image(sessionId: string, id: string): ModelImage | undefined
  attachments: Pick<Attachments, 'textOf'>
  redact: { text(text: string): string }
  generate(model: Model, request: ModelRequest, sink: ModelSink, signal: AbortSignal): Promise<Turn>
  used(turn: Prose['cost']): void
  budgets: Pick<BudgetKeeper, 'aside' | 'childrenOf' | 'stoodMs'>
}

export type Folding = ReturnType<typeof createFolding>

/** Keeps what a model is given within its window: folds between runs, or between two turns of the run that goes on. */
export function createFolding(
  parts: FoldingParts,
  { profileOf, modelOf, modelFor, ownModelOf }: Pick<RunFacts, 'profileOf' | 'modelOf' | 'modelFor' | 'ownModelOf'>,
  { earlierEntries }: Pick<ReturnType<typeof createRunReading>, 'earlierEntries'>,
) {
  const { store } = parts
  const spenderOf = createSpenderOf(parts)
  const measured = new WeakMap<readonly ToolSpec[], number>()
  function charsOfTools(tools: readonly ToolSpec[]): number {
    const known = measured.get(tools) ?? JSON.stringify(tools).length
    measured.set(tools, known)
    return known
  }

  function read(session: Pick<LiveSession, 'id'>, run: ActiveRun): Reading & { messages: Message[] } {
    const { prompt: system, tools, limits } = profileOf(session, run)
    const entries = [...earlierEntries(session, run), ...run.entries]
    const model = modelOf(run)
    const messages = toMessages(
      entries,
      (id) => parts.image(session.id, id),
      (id) => parts.attachments.textOf(session.id, id),
    )
    const size = sizeOf({ system, tools, messages }, entries, charsOfTools, model.id)
    const window = parts.windowOf(model)
    return { entries, messages, current: run.row.id, size, window, mostRuns: limits.history }
  }

  /** All that the fold takes, from the end of the last one; of the present run as it is in memory. */
  async function foldedBy(
    session: LiveSession,
    run: ActiveRun,
    { upTo }: NextFold,
    reading: Reading,
  ): Promise<{ before: EntryOf<'compaction'> | undefined; entries: StoredEntry[] }> {
    const before = foldsIn(reading.entries).fold
    if (run.origin.kind === 'child') {
      return { before, entries: run.entries.filter(({ seq }) => seq <= upTo && seq > (before?.upTo ?? -1)) }
    }
    const entries: StoredEntry[] = []
    for (let from = (before?.upTo ?? -1) + 1; from <= upTo; ) {
      const piece = store.entriesFrom(session.id, from, entriesAtOnce)
      const last = piece.at(-1)
      if (last === undefined) break
      entries.push(...piece.filter(({ seq }) => seq <= upTo))
      from = last.seq + 1
      await new Promise(setImmediate)
    }
    return { before, entries }
  }

  /** Stores one fold. The entry is all that is written, so a fold that was killed has not happened. */
  async function fold(session: LiveSession, run: ActiveRun, next: NextFold, reading: Reading): Promise<void> {
    const { size } = reading
    const saved = (gone: (entry: StoredEntry) => boolean, seqs: number) =>
      Math.round(
        reading.entries
          .filter(gone)
          .reduce((sum, entry) => sum + charsGiven(entry, foldsIn(reading.entries).resultsTo), 0) / size.charsPerToken,
      ) - seqs
    const { what, why, upTo, count } = next
    if (what === 'results') {
      const after = reading.entries.reduce(
        (sum, entry) => sum + charsGiven(entry, foldsIn(reading.entries).resultsTo) - charsGiven(entry, upTo),
        0,
      )
      const tokensAfter = Math.max(0, size.tokens - Math.round(after / size.charsPerToken))
      session.append(run, {
        type: 'compaction',
        what,
        why,
        upTo,
        count,
        facts: [],
        text: '',
        tokensBefore: size.tokens,
        tokensAfter,
      })
      return
    }
    tell(session, run, 'Older turns are being folded, so that the conversation fits the model.')
    const { before, entries } = await foldedBy(session, run, next, reading)
    const facts = factsAfter(parts.makers, before?.facts ?? [], entries, session.id)
    const ofChildren = new Set(
      store
        .childRuns(session.id)
        .map(({ id }) => id)
        .filter((id) => id !== run.row.id),
    )
    const prose = await proseOf(
      entries.filter(({ runId }) => !ofChildren.has(runId)),
      { facts, before: before?.text ?? '' },
      {
        ...parts,
        generate: asideOf(parts.budgets, 'compaction', spenderOf(session, run), parts.generate),
        redact: parts.redact.text,
        models: [
          modelFor(session, run),
          ...parts
            .fallbacksOf(ownModelOf(run))
            .filter(({ id }) => run.failed?.models.includes(id) !== true && id !== run.failed?.standIn),
        ],
        signal: run.modelAbort.signal,
      },
    )
    delete run.notice
    const draft = {
      type: 'compaction',
      what,
      why,
      upTo,
      count,
      facts,
      text: prose?.text ?? '',
      tokensBefore: size.tokens,
    } as const
    const words = asFolded({
      ...draft,
      seq: 0,
      runId: run.row.id,
      at: parts.clock.now(),
      tokensAfter: 0,
    } as EntryOf<'compaction'>)
    const gone = saved((entry) => entry.seq <= upTo, Math.round(words.length / size.charsPerToken))
    store.atomically(() =>
      session.append(run, { ...draft, tokensAfter: Math.max(0, size.tokens - gone), ...prose?.cost }),
    )
    if (prose !== undefined) parts.used(prose.cost)
    delete run.earlier
  }

  function tell(session: LiveSession, run: ActiveRun, message: string) {
    run.notice = { message }
    session.emit(run.row.id, 'chat:notice', { message })
  }

  return {
    /** The messages of the next turn, after what had to be folded for them. Rejects when the run is stopped, or the server. */
    async messages(session: LiveSession, run: ActiveRun): Promise<Message[]> {
      for (let folds = 0; ; folds++) {
        const reading = read(session, run)
        const next = folds < mostAtOnce ? nextFold(reading) : undefined
        if (next === undefined) return reading.messages
        await fold(session, run, next, reading)
      }
    },

    /**
     * Folds what can be folded, because the model refused a request as too long.
     * @returns false where nothing can, or was already folded since the model answered last
     */
    async refused(session: LiveSession, run: ActiveRun): Promise<boolean> {
      const tried = run.entries.findLast(
        (entry) => entry.type === 'assistant' || (entry.type === 'compaction' && entry.why === 'refused'),
      )
      if (tried?.type === 'compaction') return false
      const reading = read(session, run)
      const next = foldOfRefused(reading)
      if (next === undefined) return false
      await fold(session, run, next, reading)
      return true
    },

    /** Folds all but the newest answer. @returns what to tell the person who asked */
    async asked(session: LiveSession, run: ActiveRun): Promise<string> {
      const done = run.entries.find((entry) => entry.type === 'compaction')
      if (done === undefined) {
        const reading = read(session, run)
        const next = foldAsked(reading)
        if (next === undefined)
          return 'There is nothing to fold: only the newest answer is there, or something is still open.'
        await fold(session, run, next, reading)
      }
      const made = run.entries.find((entry) => entry.type === 'compaction')
      if (made?.type !== 'compaction') return 'Nothing was folded.'
      return `Folded ${made.count} entries: about ${made.tokensBefore} tokens before, ${made.tokensAfter} now. They can still be read above.`
    },

    read,
  }
}
