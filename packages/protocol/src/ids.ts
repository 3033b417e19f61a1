import { z } from 'zod'

/** `ses_`, the time and 130 random bits. Clients may send any string; an unknown id gets an error. */
export const SessionId = z.string().min(1).max(100)
export const RunId = z.string().min(1).max(100)
export const MessageId = z.string().min(1).max(100)
/** Made by JARVIS for every tool call, never taken from a model. Unique in the installation. It is also the confirmation's id. */
export const ToolUseId = z.string().min(1).max(100)
/** Made by the client. A repeated id gets the first acknowledgement again. */
export const RequestId = z.string().min(1).max(100)

export type SessionId = z.infer<typeof SessionId>
export type RunId = z.infer<typeof RunId>
export type MessageId = z.infer<typeof MessageId>
export type ToolUseId = z.infer<typeof ToolUseId>
