import type { ToolCall } from '../protocol/index.ts'
import type { Message, ToolResult } from './model.ts'
import { settles } from './next-step.ts'
import type { StoredEntry } from './transcript-store.ts'

/**
 * The transcript as a model is given it: valid for every provider, whatever was aborted, denied or cut off. Each call
 * is answered in the message right after it; a call without an outcome is answered as unknown.
 */
export function toMessages(entries: readonly StoredEntry[]): Message[] {
  const messages: Message[] = []
  let calls: ToolCall[] = []
  let outcomes = new Map<string, Outcome>()

  /** Answers the calls that are open, in their order; what came of them may stand anywhere after the turn. */
  const answerCalls = () => {
    if (calls.length === 0) return
    messages.push({
      role: 'user',
      results: calls.map((call) => toResult(call, outcomes.get(call.toolUseId))),
      text: '',
    })
    calls = []
    outcomes = new Map()
  }

  for (const entry of entries) {
    if (entry.type === 'user') {
      answerCalls()
      const context = entry.context === undefined ? {} : { context: entry.context }
      const last = messages.at(-1)
      // Results and the next question share one message, and so do two questions of which the first got no answer.
      if (last?.role === 'user') {
        messages[messages.length - 1] = { ...last, text: joined(last.text, entry.text), ...context }
      } else {
        messages.push({ role: 'user', results: [], text: entry.text, ...context })
      }
    } else if (entry.type === 'assistant') {
      answerCalls()
      if (entry.content.length === 0) continue
      messages.push({ role: 'assistant', content: entry.content, model: entry.model })
      calls = entry.content.filter((item) => item.type === 'tool_call')
    } else if (settles(entry)) {
      outcomes.set(entry.toolUseId, outcomeOf(entry))
    }
  }
  answerCalls()
  return messages
}

type Outcome = { text: string; isError: boolean }

function outcomeOf(entry: Parameters<typeof settles>[0] & { toolUseId: string }): Outcome {
  switch (entry.type) {
    case 'tool_result':
      return { text: entry.result, isError: entry.isError }
    case 'blocked':
      return { text: `Refused by the safety rules: ${entry.reason} Nothing was run.`, isError: true }
    case 'confirm_resolved': {
      const note = entry.note === undefined ? '' : ` Note: ${entry.note}`
      return { text: `${unapproved[entry.decision]}${note} Nothing was run.`, isError: true }
    }
    default:
      return { text: 'No outcome.', isError: true }
  }
}

const unapproved = {
  approved: '',
  denied: 'The operator denied this. Do not ask for it again unless told to.',
  expired: 'Nobody decided in time, so it expired.',
  cancelled: 'It was withdrawn before anybody decided.',
}

const toResult = (call: ToolCall, outcome: Outcome | undefined): ToolResult => ({
  toolUseId: call.toolUseId,
  toolName: call.toolName,
  text: outcome?.text || 'Interrupted: what came of it is not known.',
  isError: outcome?.isError ?? true,
})

const joined = (first: string, second: string) => (first === '' ? second : `${first}\n\n${second}`)

/**
 * How many of a session's newest runs to send: between half of `limit` and `limit`. The start moves only every
 * `limit / 2` runs, so that the prefix of the conversation stays in the provider's cache.
 */
export function windowOf(runCount: number, limit: number): number {
  if (runCount <= limit) return runCount
  const step = Math.max(1, Math.floor(limit / 2))
  return runCount - Math.ceil((runCount - limit) / step) * step
}
