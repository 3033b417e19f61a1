import { newId } from '../lib/ids.ts'
import { noUsage, type Requester, type ToolCall, type ToolInput } from '../protocol/index.ts'
import type { ActiveRun, LiveSession } from './sessions/live-session.ts'
import type { Draft } from './sessions/transcript-store.ts'
import type { Sources } from './sources.ts'

/** Settles the calls of a run; `tools/execute.ts` implements it. */
export type ToolRunner = {
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** @returns what runs a new call, where it is a read that may run at once; else undefined, and nothing has happened. */
  reading(call: ToolCall, context: ReadContext): Promise<(() => Promise<void>) | undefined>
}

type ReadContext = {
  sessionId: string
  runId: string
  requestedBy: Requester
  signal: AbortSignal
  append(entry: Draft): void
  progress(toolUseId: string, message: string): void
}
type CallContext = ReadContext & {
  abortedBy(): string
  before: Promise<unknown> | undefined
  isRehearsal(): boolean
  sources(): Sources
}

/** What the tools are told of any call of a run. */
export const contextOf = (session: LiveSession, run: ActiveRun) => ({
  sessionId: session.id,
  runId: run.row.id,
  signal: run.abort.signal,
  progress(toolUseId: string, message: string) {
    run.progress[toolUseId] = message
    session.emit(run.row.id, 'chat:tool_progress', { toolUseId, message })
    run.onProgress?.(message)
  },
})

/** A turn that no model made: one call, asked for by a person or an MCP client. */
export const calling = (model: 'command' | 'mcp', toolName: string, toolInput: ToolInput): Calling => ({
  type: 'assistant',
  model,
  content: [{ type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput }],
  usage: noUsage,
  stopReason: 'tool_use',
})

/** A turn that no model made: JARVIS's own words. */
export const saying = (text: string): Extract<Draft, { type: 'assistant' }> => ({
  type: 'assistant',
  model: 'command',
  content: [{ type: 'text', text }],
  usage: noUsage,
  stopReason: 'end_turn',
})

type Calling = Extract<Draft, { type: 'assistant' }> & { content: [ToolCall] }
