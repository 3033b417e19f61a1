import { type ContextReport, mainAgentId } from 'protocol'
import type { ModelChoice } from '../model.ts'
import { RunFacts } from '../run/facts.ts'
import { RunReading } from '../run/reading.ts'
import type { RunBasis } from '../run.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { type CostOf, spentOn } from '../spent.ts'
import { ContextReader, type ContextReaderParts } from './context-reader.ts'
import { foldable, type Made, partsOf } from './report.ts'

export type ReportsParts = Omit<ConstructorParameters<typeof RunFacts>[0], 'store' | 'models'> &
  ContextReaderParts & {
    store: TranscriptStore
    models: ContextReaderParts['models'] & { readonly choice: ModelChoice; costOf: CostOf }
    serverOf: Made['serverOf']
    /** The catalogue of skills in an agent's prompt; empty if the agent has none. */
    catalogueOf(agent: string): string
    /** Checks that the session exists. @throws JarvisError `unknown_session` */
    known(sessionId: string): unknown
  }

/** Reports how full the window of a session’s model is, and of what. */
export class Reports {
  readonly #parts: ReportsParts
  readonly #facts: RunFacts
  readonly #reader: ContextReader

  constructor(parts: ReportsParts) {
    this.#parts = parts
    this.#facts = new RunFacts(parts)
    this.#reader = new ContextReader(parts, this.#facts, new RunReading({ store: parts.store }, this.#facts))
  }

  /** Returns the report; changes nothing. @param because the reason why “fold now” is not possible. @throws JarvisError `unknown_session` */
  of(sessionId: string, because?: string): ContextReport {
    return this.#reportOf(this.#made(sessionId), sessionId, because)
  }

  /** Returns the same report, with the number of tokens that the provider counts for the next request. */
  async counted(sessionId: string, because: string | undefined, signal: AbortSignal): Promise<ContextReport> {
    const from = this.#made(sessionId)
    const report = this.#reportOf(from, sessionId, because)
    const model = this.#parts.models.choice.named(from.model)
    if (model?.count === undefined) return { ...report, exactProblem: `${from.model} cannot count a request.` }
    try {
      const { system, tools, messages } = from
      const exactTokens = await model.count({ system, tools, messages: [...messages], mayCallTools: true }, signal)
      return { ...report, exactTokens }
    } catch (error) {
      signal.throwIfAborted()
      return { ...report, exactProblem: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Builds the request that the session’s next message would cause. A run in progress counts as an earlier one. */
  #made(sessionId: string): Made {
    const { known, store, serverOf, catalogueOf } = this.#parts
    known(sessionId)
    const { model, agent = mainAgentId } = store.session(sessionId) ?? {}
    const run = nextRun(sessionId, agent, model)
    const reading = this.#reader.read(run)
    const { prompt, tools } = this.#facts.profileOf(run)
    return {
      ...reading,
      model: this.#facts.modelOf(run).id,
      system: prompt,
      tools,
      serverOf,
      catalogue: catalogueOf(agent),
    }
  }

  #reportOf(from: Made, sessionId: string, because: string | undefined): ContextReport {
    const { store, models } = this.#parts
    const paid = store.entriesOfTypes(sessionId, ['assistant', 'compaction'])
    const folds = paid.filter((entry) => entry.type === 'compaction' && entry.what === 'turns')
    const { costUsd: foldingUsd } = spentOn(folds, models.costOf)
    return {
      ...partsOf(from),
      spent: { ...spentOn(paid, models.costOf), folds: folds.length, foldingUsd },
      fold: foldable(from, because),
    }
  }
}

/** A run that a message in this session would begin. */
function nextRun(sessionId: string, agent: string, model: string | undefined): RunBasis {
  const origin = { kind: 'chat' as const, messageId: '', text: '', by: '', model }
  const row = { id: '', sessionId, origin, status: 'running' as const, at: 0, position: 1 }
  let profile: ReturnType<RunBasis['profile']> | undefined
  return {
    row,
    origin,
    agent,
    entries: [],
    failed: undefined,
    profile(make) {
      profile ??= make()
      return profile
    },
    earlier: (read) => read(),
  }
}
