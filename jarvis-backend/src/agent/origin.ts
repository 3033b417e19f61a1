import type { Effort, ToolInput } from '../protocol/index.ts'
import { type Command, parseCommand } from './command.ts'
import { effortLine, effortOrder } from './effort.ts'
import { rehearsalLine, rehearsalOrder } from './rehearsal.ts'
import type { Draft } from './sessions/transcript-store.ts'
import { calling } from './tool-runner.ts'

/** What an operator wrote. `model`: chosen for the answer; absent: the one in use when it is answered. */
type Message = { messageId: string; text: string; by: string; model?: string }
/** `client`: how it calls itself. `token`: the name of its MCP token; unknown of runs that an older release stored. */
type Client = { client: string; token?: string }

/** Where a run comes from, as it is stored. */
export type StoredOrigin = ({ kind: 'chat' } & Message) | ({ kind: 'mcp' } & Client)

/** Where a run at work comes from, with all that belongs to this kind alone. */
export type Origin =
  | ({ kind: 'chat' } & Message)
  | ({ kind: 'command'; line: Line } & Message)
  /** `asked`: the call, and what the client had read besides results; absent after a restart. */
  | ({ kind: 'mcp'; asked?: { toolName: string; toolInput: ToolInput; read: readonly string[] } } & Client)

/** A line that needs no model: a call, or a setting of the session that JARVIS answers itself. */
type Line = Command | { answer(session: { isRehearsal: boolean; effort?: Effort }): string }

/** @param isTool whether there is such a tool now: `/home is full` is for the model, neither a tool's name nor written like a call. */
export function originOf(stored: StoredOrigin, isTool: (name: string) => boolean): Origin {
  const line = stored.kind === 'chat' ? lineIn(stored.text, isTool) : undefined
  return stored.kind !== 'chat' || line === undefined ? stored : { ...stored, kind: 'command', line }
}

function lineIn(text: string, isTool: (name: string) => boolean): Line | undefined {
  const rehearsal = rehearsalOrder(text)
  if (rehearsal !== undefined) return { answer: ({ isRehearsal }) => rehearsal.problem ?? rehearsalLine(isRehearsal) }
  const effort = effortOrder(text)
  if (effort !== undefined) return { answer: (session) => effort.problem ?? effortLine(session.effort) }
  const command = parseCommand(text)
  return command?.ok === false && !isTool(command.toolName) ? undefined : command
}

/** The entries that a run begins with. @param context the cluster summary for a message */
export function openingOf(origin: Origin, context: () => string): (Draft & { context?: string })[] {
  if (origin.kind === 'mcp') return origin.asked === undefined ? [] : [calling('client', origin.asked)]
  const { messageId, text, by } = origin
  const message = { type: 'user', messageId, text, by, context: context() } as const
  const line = origin.kind === 'command' && 'ok' in origin.line ? origin.line : undefined
  return line?.ok ? [message, calling('operator', line)] : [message]
}
