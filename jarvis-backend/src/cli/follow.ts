import type { Card, Question, StreamEvents } from 'protocol'
import { exitCodes } from './exit-codes.ts'
import type { Remote } from './remote/remote.ts'
import type { Told } from './terminal/printer.ts'

/** One run as a program sees it. */
export type Outcome = {
  sessionId: string
  runId: string
  /** The model's last text. */
  text: string
  /** `waits`: somebody is waited for, and nobody watched longer. */
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
  /** The newest `seq` before the run. */
  after: number
  /** Stops watching, not the run. */
  signal: AbortSignal
  tell(told: Told): void
  /** Called at each card and question that waits. */
  waits?(): void
}

/** Watches a run and its child runs until it ends or the signal aborts. */
export async function follow({ remote, sessionId, runId, after, signal, tell, waits }: Follow): Promise<Outcome> {
  const runs = new Set([runId])
  const tiers = new Map<string, { tool: string; tier: string }>()
  const cards = new Map<string, Card>()
  const questions = new Map<string, Question>()
  const outcome: Outcome = {
    sessionId,
    runId,
    text: '',
    stopReason: 'waits',
    calls: [],
    waiting: [],
    questions: [],
    exitCode: exitCodes.waits,
  }
  let isRefused = false

  function take({ event, data }: Told): boolean {
    switch (event) {
      case 'chat:assistant':
        if (data.runId === runId) {
          const said = data.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
          if (said !== '') outcome.text = said
        }
        return false
      case 'chat:tool_use':
        tiers.set(data.toolUseId, { tool: data.toolName, tier: data.tier })
        return false
      case 'chat:tool_result':
        outcome.calls.push({
          ...(tiers.get(data.toolUseId) ?? { tool: 'unknown', tier: 'unknown' }),
          ok: !data.isError && data.isUnknown !== true,
          summary: data.summary,
        })
        return false
      case 'chat:blocked':
        isRefused = true
        outcome.calls.push({ tool: data.toolName, tier: 'black', ok: false, summary: data.reason })
        return false
      case 'chat:confirm_needed':
        cards.set(data.toolUseId, data)
        waits?.()
        return false
      case 'chat:confirm_resolved':
        cards.delete(data.toolUseId)
        if (data.replacedBy === undefined && data.decision !== 'approved') isRefused = true
        return false
      case 'chat:question':
        questions.set(data.questionId, data)
        waits?.()
        return false
      case 'chat:question_resolved':
        questions.delete(data.questionId)
        return false
      case 'chat:done':
      case 'chat:error':
        return data.runId === runId && end(event, data as never)
      default:
        return false
    }
  }

  function end(event: 'chat:done' | 'chat:error', data: StreamEvents['chat:done'] & StreamEvents['chat:error']): true {
    const { usage, costUsd } = data
    if (usage !== undefined) {
      const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
      outcome.usage = { input, output: usage.outputTokens, ...(costUsd !== undefined && { costUsd }) }
    }
    outcome.stopReason = event === 'chat:error' ? 'error' : data.stopReason
    if (event === 'chat:error') outcome.error = { code: data.code, message: data.error }
    const isModels = data.code?.startsWith('model_') === true || data.stopReason === 'refusal'
    outcome.exitCode = isModels
      ? exitCodes.modelFailed
      : isRefused
        ? exitCodes.refused
        : outcome.stopReason === 'end_turn'
          ? exitCodes.done
          : exitCodes.failed
    return true
  }

  try {
    for await (const { event, data } of remote.events(`sessions/${sessionId}/events`, { after, signal })) {
      const told = { event, data } as Told
      const of = (data as { runId?: string }).runId
      if (told.event === 'chat:subrun' && told.data.change === 'begin' && tiers.has(told.data.toolUseId))
        runs.add(told.data.runId)
      if (of !== undefined && !runs.has(of)) continue
      tell(told)
      if (take(told)) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  const until = (at: number) => new Date(at).toISOString()
  outcome.waiting = [...cards.values()].map((card) => ({
    toolUseId: card.toolUseId,
    question: card.sentence ?? `Run ${card.toolName}?`,
    expiresAt: until(card.expiresAt),
    decide: `jarvis decide ${card.toolUseId}`,
  }))
  outcome.questions = [...questions.values()].map(({ questionId, items, expiresAt }) => ({
    questionId,
    question: items.map(({ text }) => text).join(' '),
    expiresAt: until(expiresAt),
    answer: `jarvis answer ${questionId}`,
  }))
  return outcome
}
