import type { Attachment, Effort, Principal, ToolInput } from 'protocol'
import { agentLine, agentOrder } from './agent-order.ts'
import { type Command, parseCommand } from './command.ts'
import { effortLine, effortOrder } from './effort.ts'
import { offeredBy, type ProgramOrigin, sentAlong } from './program.ts'
import { rehearsalLine, rehearsalOrder } from './rehearsal.ts'
import type { Draft, Given } from './sessions/entries.ts'
import { calling } from './tool-runner.ts'

/**
 * A person's message. `model`: chosen for the answer; absent: the one in use when the message is answered. `skill`: the skill that the text begins
 * with, such as `/disk-health`. `attachments`: files that came with it. `via`: the channel that it came over.
 */
type Message = {
  messageId: string
  text: string
  by: string
  model?: string
  skill?: string
  attachments?: readonly Attachment[]
  via?: string
}
/**
 * An MCP client. `client`: its own name. `token`: the name of its token; absent for runs that an older release stored. `person`: who made the token;
 * absent: the first owner.
 */
type Client = { client: string; token?: string; person?: string }

/** A plan that has begun. `by`, `asker`: who asked for it. */
export type PlanOrigin = { kind: 'plan'; plan: string; by: string; asker: Principal }

/**
 * A job's run at one of its instants. `by`: who made the job. `person`: in whose name it asks; absent: the first owner. `token`: the token of the MCP
 * client that asked for the job. `causedBy`: others who caused the run. `isForeign`: a model or a client wrote the job's text.
 */
type OfJob = {
  jobId: string
  name: string
  slot: number
  by: string
  person?: string
  token?: string
  causedBy?: readonly string[]
  isForeign?: true
}
/**
 * Work that the call `call` of the run `parent` handed to `agent`, in the name of `asker`, who acts as the agent `for`. `tools`: all tools that the
 * child may use; absent: those of its agent. `mostTokens`: its share of the parent's limit. `model`: the parent's choice.
 */
export type ChildOrigin = {
  kind: 'child'
  parent: string
  call: string
  agent: string
  for: string
  task: string
  asker: Principal
  tools?: readonly string[]
  mostTokens?: number
  model?: string
  /** The token of the program that asked may only read. */
  isReadOnly?: true
}

/** A job's message to a model, or the one call that the job makes without a model. */
type JobWork = { messageId: string; text: string } | { call: { toolName: string; toolInput: ToolInput } }
export type JobOrigin = { kind: 'job' } & OfJob & JobWork

/** Where a run comes from, as it is stored. */
export type StoredOrigin =
  | ({ kind: 'chat' } & Message)
  | ({ kind: 'mcp' } & Client)
  | PlanOrigin
  | JobOrigin
  | ChildOrigin
  | ProgramOrigin

/** Where a run at work comes from, with all that belongs to this kind alone. */
export type Origin =
  | ({ kind: 'chat' } & Message)
  | ({ kind: 'command'; line: Line } & Message)
  /** `asked`: the call, and what the client had read besides results; absent after a restart. */
  | PlanOrigin
  | ({ kind: 'mcp'; asked?: { toolName: string; toolInput: ToolInput; read: readonly string[] } } & Client)
  | JobOrigin
  | ChildOrigin
  | ProgramOrigin

/** A line that needs no model: a call, or a setting of the session, which JARVIS answers itself. */
type Line = Command | { answer(session: Asked): string | Promise<string> }
/** The session as a line's answer needs it. `fold`: folds older turns. `context`: says what fills the model's window. */
type Asked = { isRehearsal: boolean; effort?: Effort; agent: string; fold(): Promise<string>; context(): string }

/** @param isTool true for the name of a present tool. `/home is full` is for the model: it is no tool's name, and not written like a call. */
export function originOf(stored: StoredOrigin, isTool: (name: string) => boolean): Origin {
  // A line that names a skill is for the model, even if the skill is gone since.
  const line = stored.kind === 'chat' && stored.skill === undefined ? lineIn(stored.text, isTool) : undefined
  return stored.kind !== 'chat' || line === undefined ? stored : { ...stored, kind: 'command', line }
}

function lineIn(text: string, isTool: (name: string) => boolean): Line | undefined {
  const rehearsal = rehearsalOrder(text)
  if (rehearsal !== undefined) return { answer: ({ isRehearsal }) => rehearsal.problem ?? rehearsalLine(isRehearsal) }
  const effort = effortOrder(text)
  if (effort !== undefined) return { answer: (session) => effort.problem ?? effortLine(session.effort) }
  const word = text.trim()
  if (word === '/context') return { answer: ({ context }) => context() }
  if (word === '/fold') return { answer: ({ fold }) => fold() }
  const agent = agentOrder(text)
  if (agent !== undefined) return { answer: (session) => agent.problem ?? agentLine(session.agent, agent) }
  const command = parseCommand(text)
  return command?.ok === false && !isTool(command.toolName) ? undefined : command
}

/**
 * The entries that a run begins with.
 * @param given gives the cluster summary and the model's open list for a message
 * @param skill gives the text of a skill, or a sentence for the model if the skill cannot be used any more
 */
export function openingOf(
  origin: Origin,
  given: () => Given,
  skill: (name: string) => Extract<Draft, { type: 'skill' }> | string,
): (Draft & Partial<Given>)[] {
  if (origin.kind === 'plan') return []
  if (origin.kind === 'child') {
    const { call: toolUseId, agent, task, tools, mostTokens } = origin
    const limits = { ...(tools && { tools: [...tools] }), ...(mostTokens !== undefined && { mostTokens }) }
    const begin = { type: 'subrun', change: 'begin', toolUseId, agent, for: origin.for, task, ...limits } as const
    // The open list belongs to the model that hands the work over.
    const { todo: _, ...rest } = given()
    return [{ ...begin, ...rest }]
  }
  if (origin.kind === 'mcp') return origin.asked === undefined ? [] : [calling('client', origin.asked)]
  if (origin.kind === 'job') {
    if ('call' in origin) return [calling('jarvis', origin.call)]
    const { messageId, text, by, jobId: id, slot, isForeign } = origin
    const job = { id, slot, ...(isForeign && { isForeign }) }
    return [{ type: 'user', messageId, text, by, job, ...given() }]
  }
  if (origin.kind === 'v1') {
    const { messageId, text, by, token, wishes, before, after } = origin
    const files = filesOf(origin)
    const along = sentAlong({ wishes, offered: offeredBy(origin), before, after })
    return [{ type: 'user', messageId, text, by, token, ...files, ...along, ...given() }]
  }
  const { messageId, text, by, via } = origin
  const over = via === undefined ? {} : { via }
  const message = { type: 'user', messageId, text, by, ...over, ...filesOf(origin), ...given() } as const
  const line = origin.kind === 'command' && 'ok' in origin.line ? origin.line : undefined
  if (line?.ok) return [message, calling('operator', line)]
  if (origin.skill === undefined) return [message]
  const loaded = skill(origin.skill)
  return typeof loaded === 'string' ? [{ ...message, context: `${message.context}\n\n${loaded}` }] : [message, loaded]
}

const filesOf = ({ attachments = [] }: { attachments?: readonly Attachment[] }) =>
  attachments.length === 0 ? {} : { attachments: [...attachments] }

/** True for a person's message. Such a message recalls passages of the memory, and is remembered. */
export const isMessage = (origin: Origin): origin is Extract<Origin, { kind: 'chat' | 'command' }> =>
  origin.kind === 'chat' || origin.kind === 'command'
