import type { Entry, ToolCall } from './transcript.ts'

export const callsIn = ({ content }: Extract<Entry, { type: 'assistant' }>): ToolCall[] =>
  content.filter((item) => item.type === 'tool_call')

export type Settling = Extract<Entry, { type: 'tool_result' | 'blocked' | 'confirm_resolved' }>

/**
 * True for an entry that settles a call. An approval does not settle a call, because its result follows. A card that was replaced by another card
 * does not settle one either.
 */
export const settles = (entry: Entry): entry is Settling =>
  entry.type === 'tool_result' ||
  entry.type === 'blocked' ||
  (entry.type === 'confirm_resolved' && entry.decision !== 'approved' && entry.replacedBy === undefined)

/** Returns the id of the call that an entry settles. A card that replaced another card has its own id, so the call’s id is in `callId`. */
export const callIdOf = (entry: Settling): string =>
  entry.type === 'confirm_resolved' ? (entry.callId ?? entry.toolUseId) : entry.toolUseId
