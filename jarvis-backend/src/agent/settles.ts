import type { Entry, ToolCall } from 'protocol'

export const callsIn = ({ content }: Extract<Entry, { type: 'assistant' }>): ToolCall[] =>
  content.filter((item) => item.type === 'tool_call')

export type Settling = Extract<Entry, { type: 'tool_result' | 'blocked' | 'confirm_resolved' }>

/** True for an entry that settles a call. An approval alone settles nothing: the result does. A card that another one has replaced settles nothing either. */
export const settles = (entry: Entry): entry is Settling =>
  entry.type === 'tool_result' ||
  entry.type === 'blocked' ||
  (entry.type === 'confirm_resolved' && entry.decision !== 'approved' && entry.replacedBy === undefined)

/** The call that an entry settles: a card that replaced another one has an id of its own. */
export const callIdOf = (entry: Settling): string =>
  entry.type === 'confirm_resolved' ? (entry.callId ?? entry.toolUseId) : entry.toolUseId
