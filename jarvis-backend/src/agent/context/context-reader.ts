import type { Attachments } from '../attachments.ts'
import { toMessages } from '../conversation.ts'
import type { Message, Model, ModelImage, ToolSpec } from '../model.ts'
import type { RunFacts } from '../run/facts.ts'
import type { RunReading } from '../run/reading.ts'
import type { RunBasis } from '../run.ts'
import type { Reading, Window } from './next-fold.ts'
import { sizeOf } from './size.ts'

export type ContextReaderParts = {
  models: { windowOf(model: Model): Window }
  image(sessionId: string, id: string): ModelImage | undefined
  attachments: Pick<Attachments, 'textOf'>
}

/** Reads the parts of a run’s next request, and measures them. */
export class ContextReader {
  readonly #parts: ContextReaderParts
  readonly #facts: Pick<RunFacts, 'profileOf' | 'modelOf'>
  readonly #reading: Pick<RunReading, 'earlierEntries'>
  readonly #measured = new WeakMap<readonly ToolSpec[], number>()

  constructor(
    parts: ContextReaderParts,
    facts: Pick<RunFacts, 'profileOf' | 'modelOf'>,
    reading: Pick<RunReading, 'earlierEntries'>,
  ) {
    this.#parts = parts
    this.#facts = facts
    this.#reading = reading
  }

  read(run: RunBasis): Reading & { messages: Message[] } {
    const { image, attachments, models } = this.#parts
    const { sessionId } = run.row
    const { prompt: system, tools, limits } = this.#facts.profileOf(run)
    const entries = [...this.#reading.earlierEntries(run), ...run.entries]
    const model = this.#facts.modelOf(run)
    const messages = toMessages(
      entries,
      (id) => image(sessionId, id),
      (id) => attachments.textOf(sessionId, id),
    )
    const size = sizeOf({ system, tools, messages }, entries, {
      charsOfTools: (all) => this.#charsOf(all),
      model: model.id,
    })
    return { entries, messages, current: run.row.id, size, window: models.windowOf(model), mostRuns: limits.history }
  }

  #charsOf(tools: readonly ToolSpec[]): number {
    const known = this.#measured.get(tools) ?? JSON.stringify(tools).length
    this.#measured.set(tools, known)
    return known
  }
}
