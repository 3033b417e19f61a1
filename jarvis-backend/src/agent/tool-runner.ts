import { noUsage, type Principal, type ToolCall } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { Draft } from './sessions/entries.ts'
import type { Sources } from './sources.ts'

/** Settles the calls of a run; `calls/execute.ts` implements it. */
export type ToolRunner = {
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** Returns the locks that a call needs. Two calls that share a lock run one after the other. */
  locksOf(call: ToolCall): readonly string[]
}

export type CallContext = {
  sessionId: string
  runId: string
  principal: Principal
  /** Returns the ids of runs in which a denial also applies to this run: this run, its parent run, and all child runs of the same parent. */
  kin(): readonly string[]
  /**
   * Returns the reason why the run may not call this tool, independent of the gate; undefined if it may. Without this function it may call all
   * tools.
   */
  refusal?(toolName: string): string | undefined
  /** When it aborts, a call that waits for a decision is withdrawn, and a running call is no longer waited for. */
  signal: AbortSignal
  append(entry: Draft): void
  progress(toolUseId: string, message: string): void
  /** The name of the person or program that aborted, for the journal. */
  abortedBy(): string
  /** Settles when all earlier changes to the same things have settled. A change waits for it before it starts. */
  before: Promise<unknown> | undefined
  /** True if the session is a rehearsal now: a call that would change something is described and not run. */
  isRehearsal(): boolean
  /** Returns the hashes, by name, of the skills whose text the principal has been given. Undefined: no skills are known. */
  loadedSkills?(): ReadonlyMap<string, string>
  /** Returns the texts that the principal has read. Called only when a change is judged. */
  sources(): Sources
}

/** A turn that no model made: one call of a person, of an MCP client, or of JARVIS for a job. */
export const calling = (
  madeBy: 'operator' | 'client' | 'jarvis',
  { toolName, toolInput }: Pick<ToolCall, 'toolName' | 'toolInput'>,
): Calling => ({
  type: 'assistant',
  madeBy,
  content: [{ type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput }],
  usage: noUsage,
  stopReason: 'tool_use',
})

/** Creates the entry of a turn that no model made: a text of JARVIS itself. */
export const saying = (text: string): Extract<Draft, { type: 'assistant' }> => ({
  type: 'assistant',
  madeBy: 'jarvis',
  content: [{ type: 'text', text }],
  usage: noUsage,
  stopReason: 'end_turn',
})

type Calling = Extract<Draft, { type: 'assistant' }> & { content: [ToolCall] }
