import type { Attachment, Effort, Principal, ToolInput } from 'protocol'
import { agentLine, agentOrder } from './agent-order.ts'
import { type Command, parseCommand } from './command.ts'
import { effortLine, effortOrder } from './effort.ts'
import { offeredBy, type ProgramOrigin, sentAlong } from './program.ts'
import { rehearsalLine, rehearsalOrder } from './rehearsal.ts'
import type { Draft, Given } from './sessions/entries.ts'
import { calling } from './tool-runner.ts'

/**
 * A person’s message. `model`: the model chosen for the answer; undefined: the model in use when the message is answered. `skill`: the skill whose
 * name begins the text, such as `/disk-health`. `attachments`: files sent with the message. `via`: the channel through which the message came.
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
 * An MCP client. `client`: the name that the client gives itself. `token`: the name of its token; undefined for runs that an older release stored.
 * `person`: the person who made the token; undefined: the first owner.
 */
type Client = { client: string; token?: string; person?: string }

/** The origin of a plan’s run. `by`, `asker`: who asked for the plan. */
export type PlanOrigin = { kind: 'plan'; plan: string; by: string; asker: Principal }

/**
 * A job’s run at one of its slots. `by`: who made the job. `person`: the person for whom the job asks; undefined: the first owner. `token`: the
 * token of the MCP client that asked for the job. `causedBy`: other people who caused the run. `isForeign`: a model or a client wrote the job’s
 * text.
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
 * Work that a run hands to another agent. `parent`: the run. `call`: its call. `agent`: the agent that does the work. `asker`: the principal of the
 * parent run. `for`: the agent of the parent run. `tools`: all tools that the child may use; undefined: the tools of its agent. `mostTokens`: its
 * share of the parent’s limit. `model`: the model that the parent run was given.
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
  /** True: the program's token may only read. */
  isReadOnly?: true
}

/** A job's message to a model, or the one call that the job makes without a model. */
type JobWork = { messageId: string; text: string } | { call: { toolName: string; toolInput: ToolInput } }
export type JobOrigin = { kind: 'job' } & OfJob & JobWork

/** The origin of a run, as it is stored. */
export type StoredOrigin =
  | ({ kind: 'chat' } & Message)
  | ({ kind: 'mcp' } & Client)
  | PlanOrigin
  | JobOrigin
  | ChildOrigin
  | ProgramOrigin

/** The origin of a run in progress, with the data that only this kind of origin has. */
export type Origin =
  | ({ kind: 'chat' } & Message)
  | ({ kind: 'command'; line: Line } & Message)
  /** In an `mcp` origin, `asked`: the call, and the texts that the client had read besides results; undefined after a restart. */
  | PlanOrigin
  | ({ kind: 'mcp'; asked?: { toolName: string; toolInput: ToolInput; read: readonly string[] } } & Client)
  | JobOrigin
  | ChildOrigin
  | ProgramOrigin

/** A message that needs no model: a tool call, or an order about the session such as `/effort`, which JARVIS answers itself. */
type Line = Command | { answer(session: Asked): string | Promise<string> }
/**
 * The session’s data that the answer to such a message needs. `fold`: folds older turns. `context`: tells how full the model’s window is, and of
 * what.
 */
type Asked = { isRehearsal: boolean; effort?: Effort; agent: string; fold(): Promise<string>; context(): string }

/**
 * Converts a stored origin; a message that is a command becomes a `command` origin. `/home is full` stays a message for the model, because `home` is
 * not a tool’s name and the line is not written like a call. @param isTool true for the name of a tool that exists now
 */
export function originOf(stored: StoredOrigin, isTool: (name: string) => boolean): Origin {
  // A message that names a skill is for the model, even if the skill was removed in the meantime.
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
 * Returns the first entries of a run.
 * @param given returns what the model gets along with a message or a task: the cluster summary, its own todo list and the speaker
 * @param skill returns the text of a skill, or a sentence for the model if the skill can no longer be used
 */
export function openingOf(
  origin: Origin,
  given: () => Given,
  skill: (name: string) => Extract<Draft, { type: 'skill' }> | string,
): (Draft & Partial<Given>)[] {
  if (origin.kind === 'plan') return []
  if (origin.kind === 'child') {
    const { call: toolUseId, agent, task, tools, mostTokens } = origin
    const limits = { ...(tools && { tools: [...tools] }), mostTokens }
    const begin = { type: 'subrun', change: 'begin', toolUseId, agent, for: origin.for, task, ...limits } as const
    // The open list belongs to the model that hands over the work, so the child does not get it.
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

/** True for a person’s message. Before its first turn passages of the memory are recalled, and after its run the memory learns from it. */
export const isMessage = (origin: Origin): origin is Extract<Origin, { kind: 'chat' | 'command' }> =>
  origin.kind === 'chat' || origin.kind === 'command'
