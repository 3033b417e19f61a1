import { z } from 'zod'

/** `trm_` and 128 random bits in hex; known to the socket that opened it alone. */
export const TerminalId = z.string().min(1).max(100)

const size = { cols: z.int().min(1).max(1_000), rows: z.int().min(1).max(1_000) }

/** `/terminal`, client to server: operators only. Unknown fields are refused. */
export const terminalRequests = {
  'terminal:open': z.strictObject({ node: z.string().min(1).max(64), ...size }),
  /** What a person types, as it comes: `\r` ends a line. */
  'terminal:input': z.strictObject({ terminalId: TerminalId, data: z.string().max(64 * 1024) }),
  'terminal:resize': z.strictObject({ terminalId: TerminalId, ...size }),
  'terminal:close': z.strictObject({ terminalId: TerminalId }),
} as const
export type TerminalRequests = { [K in keyof typeof terminalRequests]: z.infer<(typeof terminalRequests)[K]> }

/** What an acknowledgement carries besides `ok: true`. */
export type TerminalReplies = {
  'terminal:open': { terminalId: string }
  'terminal:input': Record<never, never>
  'terminal:resize': Record<never, never>
  'terminal:close': Record<never, never>
}

/** Server to client, to the socket that opened the terminal. Nothing follows its `terminal:exit`. */
export type TerminalEvents = {
  'terminal:output': { terminalId: string; data: string }
  /** `code`: the shell's, where it ended by itself. `reason`: one line for a person, where it did not. */
  'terminal:exit': { terminalId: string; code?: number; reason?: string }
}
