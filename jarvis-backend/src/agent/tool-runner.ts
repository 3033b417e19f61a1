import { noUsage, type Principal, type ToolCall } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { Draft } from './sessions/entries.ts'
import type { Sources } from './sources.ts'

/** Settles the calls of a run; `calls/execute.ts` implements it. */
export type ToolRunner = {
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** The locks of a call: two calls with a common lock run one after the other. */
  locksOf(call: ToolCall): readonly string[]
}

export type CallContext = {
  sessionId: string
  runId: string
  principal: Principal
  /** The runs that share their denials: this run, the run that asked for it, and the runs that this one asked for. */
  kin(): readonly string[]
  /** Says why the run may not call this tool, whatever the gate says; undefined if it may. Absent: it may call all tools. */
  refusal?(toolName: string): string | undefined
  /** If it aborts, a waiting call is withdrawn, and a running one is no longer waited for. */
  signal: AbortSignal
  append(entry: Draft): void
  progress(toolUseId: string, message: string): void
  /** The name of the person or program that aborted, for the journal. */
  abortedBy(): string
  /** Settles when the earlier changes to the same things have. A change starts only then. */
  before: Promise<unknown> | undefined
  /** True if the session is a rehearsal now: a call that would change something is described and not run. */
  isRehearsal(): boolean
  /** Hashes of the skills whose text the principal has been given, by name. Absent: no skill is known. */
  loadedSkills?(): ReadonlyMap<string, string>
  /** The texts that the principal had read. Called only when a change is judged. */
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

/** A turn that no model made: JARVIS's own words. */
export const saying = (text: string): Extract<Draft, { type: 'assistant' }> => ({
  type: 'assistant',
  madeBy: 'jarvis',
  content: [{ type: 'text', text }],
  usage: noUsage,
  stopReason: 'end_turn',
})

type Calling = Extract<Draft, { type: 'assistant' }> & { content: [ToolCall] }
