import { type ContextReport, mainAgentId } from 'protocol'
import { activeRun } from '../active-run.ts'
import { createRunFacts } from '../run/facts.ts'
import { createRunReading } from '../run/reading.ts'
import { type CostOf, spentOn } from '../spent.ts'
import { createFolding, type FoldingParts } from './folding.ts'
import { foldable, type Made, partsOf } from './report.ts'

/** Says what fills the window of a session's model. */
export type Reports = {
  /** A pure read. @param because why "fold now" rests. @throws JarvisError `unknown_session` */
  of(sessionId: string, because?: string): ContextReport
  /** The same report, with the total that the provider counts for the next request. */
  counted(sessionId: string, because: string | undefined, signal: AbortSignal): Promise<ContextReport>
}

export function createReports(
  parts: FoldingParts &
    Parameters<typeof createRunFacts>[0] & {
      costOf: CostOf
      serverOf: Made['serverOf']
      /** The catalogue of skills in an agent's prompt; empty where it has none. */
      catalogueOf(agent: string): string
      known(sessionId: string): unknown
    },
): Reports {
  const { store } = parts
  const facts = createRunFacts(parts)
  const { read } = createFolding(parts, facts, createRunReading(store, facts))

  /** What the next message of the session would be sent with; the run that goes on counts as an earlier one. */
  function made(sessionId: string): Made {
    parts.known(sessionId)
    const { model, agent = mainAgentId } = store.session(sessionId) ?? {}
    const next = { id: '', sessionId, status: 'running' as const, at: 0, position: 1 }
    const origin = { kind: 'chat' as const, messageId: '', text: '', by: '', ...(model !== undefined && { model }) }
    const run = activeRun({ ...next, origin }, origin, agent)
    const reading = read({ id: sessionId }, run)
    const { prompt, tools } = facts.profileOf({ id: sessionId }, run)
    return {
      ...reading,
      model: facts.modelOf(run).id,
      system: prompt,
      tools,
      serverOf: parts.serverOf,
      catalogue: parts.catalogueOf(run.agent),
    }
  }

  function reportOf(from: Made, sessionId: string, because: string | undefined): ContextReport {
    const paid = store.entriesOfTypes(sessionId, ['assistant', 'compaction'])
    const folds = paid.filter((entry) => entry.type === 'compaction' && entry.what === 'turns')
    const { costUsd: foldingUsd } = spentOn(folds, parts.costOf)
    return {
      ...partsOf(from),
      spent: { ...spentOn(paid, parts.costOf), folds: folds.length, ...(foldingUsd !== undefined && { foldingUsd }) },
      fold: foldable(from, because),
    }
  }

  return {
    of: (sessionId, because) => reportOf(made(sessionId), sessionId, because),
    async counted(sessionId, because, signal) {
      const from = made(sessionId)
      const report = reportOf(from, sessionId, because)
      const model = parts.models.named(from.model)
      if (model?.count === undefined) return { ...report, exactProblem: `${from.model} cannot count a request.` }
      try {
        const { system, tools, messages } = from
        const exactTokens = await model.count({ system, tools, messages: [...messages], mayCallTools: true }, signal)
        return { ...report, exactTokens }
      } catch (error) {
        signal.throwIfAborted()
        return { ...report, exactProblem: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}
