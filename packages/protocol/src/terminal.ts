import { z } from 'zod'

/** `trm_` and 128 random bits in hex; only the socket that opened the terminal knows it. */
export const TerminalId = z.string().min(1).max(100)

const size = { cols: z.int().min(1).max(1_000), rows: z.int().min(1).max(1_000) }

/** Largest input of one request, characters or bytes. */
const mostInput = 64 * 1024
const bytes = z.instanceof(Uint8Array).refine(({ length }) => length <= mostInput, `more than ${mostInput} bytes`)

/** Requests on `/terminal`, for operators. Unknown fields are refused. */
export const terminalRequests = {
  /** Opens a shell on a node, or the console of a guest: a container's terminal, or a VM's screen. `cols` and `rows` do not apply to a screen. */
  'terminal:open': z.union([
    z.strictObject({ node: z.string().min(1).max(64), ...size }),
    z.strictObject({ vmid: z.int().positive(), ...size }),
  ]),
  /** Raw input; `\r` ends a line. Bytes of the RFB protocol for a screen, text for all others. */
  'terminal:input': z.strictObject({ terminalId: TerminalId, data: z.union([z.string().max(mostInput), bytes]) }),
  'terminal:resize': z.strictObject({ terminalId: TerminalId, ...size }),
  'terminal:close': z.strictObject({ terminalId: TerminalId }),
} as const
export type TerminalRequests = { [K in keyof typeof terminalRequests]: z.infer<(typeof terminalRequests)[K]> }

/** Fields of an acknowledgement besides `ok: true`. */
export type TerminalReplies = {
  /**
   * `screen`: set for a VM's screen, whose bytes come as `terminal:screen`. `password`: the password that RFB requires, valid only for this session.
   */
  'terminal:open': { terminalId: string; screen?: { password?: string } }
  'terminal:input': Record<never, never>
  'terminal:resize': Record<never, never>
  'terminal:close': Record<never, never>
}

/** Events of `/terminal`, sent to the socket that opened the terminal. `terminal:exit` is the last event. */
export type TerminalEvents = {
  'terminal:output': { terminalId: string; data: string }
  /**
   * Bytes of a VM's screen. The client acknowledges each event once the bytes are drawn; the server waits for it before it sends more. A browser
   * gets an `ArrayBuffer`.
   */
  'terminal:screen': { terminalId: string; data: Uint8Array }
  /** `code`: the exit code, if the shell ended by itself. `reason`: otherwise, one line for a person. */
  'terminal:exit': { terminalId: string; code?: number; reason?: string }
}
