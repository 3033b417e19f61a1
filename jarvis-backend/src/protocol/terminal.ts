import { z } from 'zod'

/** `trm_` and 128 random bits in hex; only the socket that opened the terminal knows it. */
export const TerminalId = z.string().min(1).max(100)

const size = { cols: z.int().min(1).max(1_000), rows: z.int().min(1).max(1_000) }

/** Requests on `/terminal`, for operators. Unknown fields are refused. */
export const terminalRequests = {
  'terminal:open': z.strictObject({ node: z.string().min(1).max(64), ...size }),
  /** Raw input; `\r` ends a line. */
  'terminal:input': z.strictObject({ terminalId: TerminalId, data: z.string().max(64 * 1024) }),
  'terminal:resize': z.strictObject({ terminalId: TerminalId, ...size }),
  'terminal:close': z.strictObject({ terminalId: TerminalId }),
} as const
export type TerminalRequests = { [K in keyof typeof terminalRequests]: z.infer<(typeof terminalRequests)[K]> }

/** Fields of an acknowledgement besides `ok: true`. */
export type TerminalReplies = {
  'terminal:open': { terminalId: string }
  'terminal:input': Record<never, never>
  'terminal:resize': Record<never, never>
  'terminal:close': Record<never, never>
}

/** Events of `/terminal`, to the socket that opened the terminal. `terminal:exit` is the last. */
export type TerminalEvents = {
  'terminal:output': { terminalId: string; data: string }
  /** `code`: exit code, where the shell ended by itself. `reason`: otherwise, one line for a person. */
  'terminal:exit': { terminalId: string; code?: number; reason?: string }
}
