import type { Content, Usage } from 'protocol'

/** The result of one tool call, in the words that a model reads. */
export type ToolResult = { toolUseId: string; toolName: string; text: string; isError: boolean }

/**
 * A person's message with the results of earlier calls, or a turn of a model. `model`: absent if no model made the turn. `suggestions`: the
 * sentences that the turn offered. `isAsked`: as of `Turn`.
 */
export type Message =
  | { role: 'user'; results: readonly ToolResult[]; text: string }
  | { role: 'assistant'; content: readonly Content[]; model?: string; suggestions?: readonly string[]; isAsked?: true }

/** The part of a model request that the demo model reads. */
export type ModelRequest = {
  system: string
  messages: readonly Message[]
  tools: readonly { name: string }[]
  /** False: the reply must not contain a call. */
  mayCallTools: boolean
}

/** Receives the reply while it is made. */
export type Sink = { text(delta: string): void }

/**
 * `suggestions`: sentences that the text quotes as “…” and that the person may send as they are. `isAsked`: the text asks if one of them is to be
 * carried out, so that `ok` is consent.
 */
export type Turn = {
  content: Content[]
  stopReason: 'tool_use' | 'end_turn'
  usage: Usage
  suggestions?: readonly string[]
  isAsked?: true
}
