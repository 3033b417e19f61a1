import type { Content, Usage } from 'protocol'

/** The result of one tool call, in the words that a model reads. */
export type ToolResult = { toolUseId: string; toolName: string; text: string; isError: boolean }

/** A message of a person with the results of the calls before it, or a turn of a model. `model`: absent if no model said it. */
export type Message =
  | { role: 'user'; results: readonly ToolResult[]; text: string }
  | { role: 'assistant'; content: readonly Content[]; model?: string }

/** The part of a model request that the demo model reads. */
export type ModelRequest = {
  system: string
  messages: readonly Message[]
  tools: readonly { name: string }[]
  /** False: the reply must have no call. */
  mayCallTools: boolean
}

/** Receives the reply while it is made. */
export type Sink = { text(delta: string): void }

export type Turn = { content: Content[]; stopReason: 'tool_use' | 'end_turn'; usage: Usage }
