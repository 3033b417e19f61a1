import type { Card, Question, StreamEvents } from 'protocol'
import { exitCodes } from './exit-codes.ts'
import { eventsOf, type Remote } from './remote/remote.ts'
import type { Told } from './terminal/printer.ts'

/** The outcome of one run, for a program that called the command line. */
export type Outcome = {
  sessionId: string
  runId: string
  /** The model's last text. */
  text: string
  /** `waits`: the run waits for a person, and the time to watch it is over. */
  stopReason: string
  calls: { tool: string; tier: string; ok: boolean; summary: string }[]
  waiting: { toolUseId: string; question: string; expiresAt: string; decide: string }[]
  questions: { questionId: string; question: string; expiresAt: string; answer: string }[]
  usage?: { input: number; output: number; costUsd?: number }
  error?: { code: string; message: string }
  exitCode: number
}

type Follow = {
  remote: Remote
  sessionId: string
  runId: string
  /** The newest `seq` of the session before the run. */
  after: number
  /** Ends the watching, not the run. */
  signal: AbortSignal
  tell(told: Told): void
  /** Called for each card and question that waits. */
  waits?(): void
}

/** Watches a run and its child runs until the run ends or the signal aborts. */
export async function follow({ remote, after, signal, tell, ...of }: Follow): Promise<Outcome> {
  const run = new FollowedRun(of)
  try {
    const open = (options: object) =>
      remote.open('GET /api/sessions/:id/events', { params: { id: of.sessionId }, ...options })
    for await (const { event, data } of eventsOf(open, { after, signal })) {
      const told = { event, data } as Told
      if (!run.isOwn(told)) continue
      tell(told)
      if (run.take(told)) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return run.outcome()
}

/** A run whose events are collected, with its child runs. */
class FollowedRun {
  readonly #runId: string
  readonly #waits: Follow['waits']
  readonly #runs: Set<string>
  readonly #tiers = new Map<string, { tool: string; tier: string }>()
  readonly #cards = new Map<string, Card>()
  readonly #questions = new Map<string, Question>()
  readonly #outcome: Outcome
  #isRefused = false

  constructor({ sessionId, runId, waits }: Pick<Follow, 'sessionId' | 'runId' | 'waits'>) {
    this.#runId = runId
    this.#waits = waits
    this.#runs = new Set([runId])
    this.#outcome = {
      sessionId,
      runId,
      text: '',
      stopReason: 'waits',
      calls: [],
      waiting: [],
      questions: [],
      exitCode: exitCodes.waits,
    }
  }

  /** True if an event belongs to the run, to one of its child runs, or to no run. */
  isOwn(told: Told): boolean {
    const of = (told.data as { runId?: string }).runId
    if (told.event === 'chat:subrun' && told.data.change === 'begin' && this.#tiers.has(told.data.toolUseId))
      this.#runs.add(told.data.runId)
    return of === undefined || this.#runs.has(of)
  }

  /** Adds an event to the outcome. @returns true if the run has ended */
  take({ event, data }: Told): boolean {
    switch (event) {
      case 'chat:assistant':
        if (data.runId === this.#runId) {
          const said = data.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
          if (said !== '') this.#outcome.text = said
        }
        return false
      case 'chat:tool_use':
        this.#tiers.set(data.toolUseId, { tool: data.toolName, tier: data.tier })
        return false
      case 'chat:tool_result':
        this.#outcome.calls.push({
          ...(this.#tiers.get(data.toolUseId) ?? { tool: 'unknown', tier: 'unknown' }),
          ok: !data.isError && data.isUnknown !== true,
          summary: data.summary,
        })
        return false
      case 'chat:blocked':
        this.#isRefused = true
        this.#outcome.calls.push({ tool: data.toolName, tier: 'black', ok: false, summary: data.reason })
        return false
      case 'chat:confirm_needed':
        this.#cards.set(data.toolUseId, data)
        this.#waits?.()
        return false
      case 'chat:confirm_resolved':
        this.#cards.delete(data.toolUseId)
        if (data.replacedBy === undefined && data.decision !== 'approved') this.#isRefused = true
        return false
      case 'chat:question':
        this.#questions.set(data.questionId, data)
        this.#waits?.()
        return false
      case 'chat:question_resolved':
        this.#questions.delete(data.questionId)
        return false
      case 'chat:done':
      case 'chat:error':
        return data.runId === this.#runId && this.#end(event, data as never)
      default:
        return false
    }
  }

  #end(event: 'chat:done' | 'chat:error', data: StreamEvents['chat:done'] & StreamEvents['chat:error']): true {
    const { usage, costUsd } = data
    if (usage !== undefined) {
      const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
      this.#outcome.usage = { input, output: usage.outputTokens, costUsd }
    }
    this.#outcome.stopReason = event === 'chat:error' ? 'error' : data.stopReason
    if (event === 'chat:error') this.#outcome.error = { code: data.code, message: data.error }
    const isModels = data.code?.startsWith('model_') === true || data.stopReason === 'refusal'
    this.#outcome.exitCode = isModels
      ? exitCodes.modelFailed
      : this.#isRefused
        ? exitCodes.refused
        : this.#outcome.stopReason === 'end_turn'
          ? exitCodes.done
          : exitCodes.failed
    return true
  }

  outcome(): Outcome {
    const until = (at: number) => new Date(at).toISOString()
    return {
      ...this.#outcome,
      waiting: [...this.#cards.values()].map((card) => ({
        toolUseId: card.toolUseId,
        question: card.sentence ?? `Run ${card.toolName}?`,
        expiresAt: until(card.expiresAt),
        decide: `jarvis decide ${card.toolUseId}`,
      })),
      questions: [...this.#questions.values()].map(({ questionId, items, expiresAt }) => ({
        questionId,
        question: items.map(({ text }) => text).join(' '),
        expiresAt: until(expiresAt),
        answer: `jarvis answer ${questionId}`,
      })),
    }
  }
}
