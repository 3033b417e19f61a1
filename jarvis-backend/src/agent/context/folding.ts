import type { EntryOf } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { asideOf } from '../aside.ts'
import type { BudgetKeeper } from '../budgets.ts'
import type { Message } from '../model.ts'
import type { Generate, RunModels } from '../ports.ts'
import type { RunFacts } from '../run/facts.ts'
import { spenderOf } from '../run/spender.ts'
import type { Run } from '../run.ts'
import type { StoredEntry } from '../sessions/entries.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { asFolded } from './as-folded.ts'
import type { ContextReader } from './context-reader.ts'
import { type FactMaker, factsAfter } from './facts/index.ts'
import { foldsIn } from './folds.ts'
import { charsGiven, foldAsked, foldOfRefused, type NextFold, nextFold, type Reading } from './next-fold.ts'
import { type Prose, proseOf } from './prose.ts'

/** Number of entries that are read at once while facts are made. */
const entriesAtOnce = 500
/** Maximum folds in a row. Further folds would free no more of the window. */
const mostAtOnce = 3

export type FoldingParts = {
  store: TranscriptStore
  clock: Clock
  makers: readonly FactMaker[]
  models: Pick<RunModels, 'fallbacksOf' | 'used'>
  redact: { text(text: string): string }
  budgets: Pick<BudgetKeeper, 'aside' | 'childrenOf' | 'stoodMs'>
}

/** Keeps the input of a model within its window: folds between runs, or between two turns of the run in progress. */
export class Folding {
  readonly #parts: FoldingParts
  readonly #facts: Pick<RunFacts, 'modelFor' | 'ownModelOf'>
  readonly #reader: ContextReader
  readonly #generate: Generate

  constructor(
    parts: FoldingParts,
    made: { facts: Pick<RunFacts, 'modelFor' | 'ownModelOf'>; reader: ContextReader; generate: Generate },
  ) {
    this.#parts = parts
    this.#facts = made.facts
    this.#reader = made.reader
    this.#generate = made.generate
  }

  /** Returns the messages of the next turn, after the folds that are needed so that they fit. Rejects when the run or the server is stopped. */
  async messages(run: Run): Promise<Message[]> {
    for (let folds = 0; ; folds++) {
      const reading = this.#reader.read(run)
      const next = folds < mostAtOnce ? nextFold(reading) : undefined
      if (next === undefined) return reading.messages
      await this.#fold(run, next, reading)
    }
  }

  /**
   * Folds as much as possible, because the model refused a request as too long.
   * @returns false if nothing can be folded, or if a fold after such a refusal was already made since the model’s last answer
   */
  async refused(run: Run): Promise<boolean> {
    const tried = run.entries.findLast(
      (entry) => entry.type === 'assistant' || (entry.type === 'compaction' && entry.why === 'refused'),
    )
    if (tried?.type === 'compaction') return false
    const reading = this.#reader.read(run)
    const next = foldOfRefused(reading)
    if (next === undefined) return false
    await this.#fold(run, next, reading)
    return true
  }

  /** Folds everything except the newest answer. @returns the reply to the person who asked for the fold */
  async asked(run: Run): Promise<string> {
    const done = run.entries.find((entry) => entry.type === 'compaction')
    if (done === undefined) {
      const reading = this.#reader.read(run)
      const next = foldAsked(reading)
      if (next === undefined)
        return 'There is nothing to fold: only the newest answer is there, or something is still open.'
      await this.#fold(run, next, reading)
    }
    const made = run.entries.find((entry) => entry.type === 'compaction')
    if (made?.type !== 'compaction') return 'Nothing was folded.'
    return `Folded ${made.count} entries: about ${made.tokensBefore} tokens before, ${made.tokensAfter} now. They can still be read above.`
  }

  /** Makes one fold. Only its entry is written, so a fold that is interrupted before that has no effect. */
  #fold(run: Run, next: NextFold, reading: Reading): Promise<void> | void {
    return next.what === 'results' ? this.#putAway(run, next, reading) : this.#foldTurns(run, next, reading)
  }

  /** Replaces old results by their summaries. */
  #putAway(run: Run, { what, why, upTo, count }: NextFold, { entries, size }: Reading): void {
    const { resultsTo } = foldsIn(entries)
    const after = entries.reduce((sum, entry) => sum + charsGiven(entry, resultsTo) - charsGiven(entry, upTo), 0)
    const tokensAfter = Math.max(0, size.tokens - Math.round(after / size.charsPerToken))
    run.append({
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
  }

  /** Replaces old turns by facts, and by a summary that the model writes. */
  async #foldTurns(run: Run, next: NextFold, reading: Reading): Promise<void> {
    const { store, clock, makers, models } = this.#parts
    const { size } = reading
    const { what, why, upTo, count } = next
    run.tell('Older turns are being folded, so that the conversation fits the model.')
    const { before, entries } = await this.#foldedBy(run, next, reading)
    const facts = factsAfter(makers, { before: before?.facts ?? [], entries, sessionId: run.row.sessionId })
    const prose = await this.#proseOf(run, entries, { facts, before: before?.text ?? '' })
    run.endNotice()
    const text = prose?.text ?? ''
    const draft = { type: 'compaction', what, why, upTo, count, facts, text, tokensBefore: size.tokens } as const
    const fold: EntryOf<'compaction'> = { ...draft, seq: 0, runId: run.id, at: clock.now(), tokensAfter: 0 }
    const words = Math.round(asFolded(fold).length / size.charsPerToken)
    const tokensAfter = Math.max(0, size.tokens - (tokensUpTo(reading, upTo) - words))
    store.atomically(() => run.append({ ...draft, tokensAfter, ...prose?.cost }))
    if (prose !== undefined) models.used(prose.cost)
    run.forgetEarlier()
  }

  /**
   * Returns the last fold, and all entries that the new fold covers: those after the last fold, up to `upTo`. For a child run, only the run’s own
   * entries, from memory.
   */
  async #foldedBy(
    run: Run,
    { upTo }: NextFold,
    reading: Reading,
  ): Promise<{ before: EntryOf<'compaction'> | undefined; entries: StoredEntry[] }> {
    const before = foldsIn(reading.entries).fold
    if (run.origin.kind === 'child') {
      return { before, entries: run.entries.filter(({ seq }) => seq <= upTo && seq > (before?.upTo ?? -1)) }
    }
    const entries: StoredEntry[] = []
    for (let from = (before?.upTo ?? -1) + 1; from <= upTo; ) {
      const piece = this.#parts.store.entriesFrom(run.row.sessionId, from, entriesAtOnce)
      const last = piece.at(-1)
      if (last === undefined) break
      entries.push(...piece.filter(({ seq }) => seq <= upTo))
      from = last.seq + 1
      await new Promise(setImmediate)
    }
    return { before, entries }
  }

  /** Asks a model to summarise the folded entries, without the entries of child runs. */
  #proseOf(
    run: Run,
    entries: readonly StoredEntry[],
    known: { facts: Parameters<typeof proseOf>[1]['facts']; before: string },
  ): Promise<Prose | undefined> {
    const { store, clock, models, redact, budgets } = this.#parts
    const children = store.childRuns(run.row.sessionId).map(({ id }) => id)
    const ofChildren = new Set(children.filter((id) => id !== run.id))
    return proseOf(
      entries.filter(({ runId }) => !ofChildren.has(runId)),
      known,
      {
        clock,
        generate: asideOf(budgets, { kind: 'compaction', spender: spenderOf(run, this.#parts) }, (model, asked) =>
          this.#generate(model, asked),
        ),
        redact: (text) => redact.text(text),
        models: [
          this.#facts.modelFor(run),
          ...models
            .fallbacksOf(this.#facts.ownModelOf(run))
            .filter(({ id }) => run.failed?.models.includes(id) !== true && id !== run.failed?.standIn),
        ],
        signal: run.modelSignal,
      },
    )
  }
}

/** Estimates the tokens that the entries up to `upTo` take in the present request. */
function tokensUpTo({ entries, size }: Reading, upTo: number): number {
  const { resultsTo } = foldsIn(entries)
  const chars = entries.filter(({ seq }) => seq <= upTo).reduce((sum, entry) => sum + charsGiven(entry, resultsTo), 0)
  return Math.round(chars / size.charsPerToken)
}
