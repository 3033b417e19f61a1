import { z } from 'zod'

/** `ses_`, the time and 130 random bits. Clients may send any string; an unknown id gets an error. */
export const SessionId = z.string().min(1).max(100)
export const RunId = z.string().min(1).max(100)
export const MessageId = z.string().min(1).max(100)
/** The id of a tool call. JARVIS makes it, and never takes it from a model. It is unique in the installation, and also the id of the confirmation. */
export const ToolUseId = z.string().min(1).max(100)
/** The id of a request, made by the client. A repeated id gets the first acknowledgement again. */
export const RequestId = z.string().min(1).max(100)

export type SessionId = z.infer<typeof SessionId>
export type RunId = z.infer<typeof RunId>
export type MessageId = z.infer<typeof MessageId>
export type ToolUseId = z.infer<typeof ToolUseId>
