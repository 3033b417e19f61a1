import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Caller } from './authenticate.ts'
import { pageOf } from './page.ts'
import type { Tasks } from './tasks.ts'

type Own = (context: ServerContext) => Caller

const extension = 'io.modelcontextprotocol/tasks'

/** Capabilities of the server: tasks are part of 2025-11-25, and an extension of 2026-07-28. */
export const olderTaskCapabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
export const currentTaskCapabilities = { extensions: { [extension]: {} } }

const ById = z.looseObject({ taskId: z.string() })
const Listing = z.looseObject({ cursor: z.string().optional() })

/** True if a client of the specification 2026-07-28 knows tasks. */
export function knowsTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  return declaresTasks(envelope[CLIENT_CAPABILITIES_META_KEY])
}

function declaresTasks(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as { extensions?: object }
  return extensions !== undefined && Object.hasOwn(extensions, extension)
}

/** A server, the caller of each of its requests, and the tasks. */
type TaskDoor = { server: Server; own: Own; tasks: Tasks }

/** Handlers of 2025-11-25: a client asks for a task, polls it, and fetches its result. */
export function olderTaskHandlers({ server, own, tasks }: TaskDoor, stopping: AbortSignal) {
  return {
    'tasks/get': () =>
      server.setRequestHandler('tasks/get', { params: ById }, async ({ taskId }, context) =>
        tasks.older(found(tasks, taskId, own(context))),
      ),
    'tasks/list': () =>
      server.setRequestHandler('tasks/list', { params: Listing }, async ({ cursor }, context) => {
        const { items, next } = pageOf(tasks.list(own(context).token), ({ id }) => id, cursor)
        return { tasks: items.map((run) => tasks.older(run)), ...next }
      }),
    'tasks/result': () =>
      server.setRequestHandler('tasks/result', { params: ById }, async ({ taskId }, context) => {
        const run = found(tasks, taskId, own(context))
        await Promise.race([tasks.ending(run), aborted(AbortSignal.any([stopping, context.mcpReq.signal]))])
        const result = tasks.resultOf(run)
        if (result === undefined) throw internal('There is no result: JARVIS is shutting down, or lost this call.')
        return { ...result, _meta: { [RELATED_TASK_META_KEY]: { taskId } } }
      }),
    'tasks/cancel': () =>
      server.setRequestHandler('tasks/cancel', { params: ById }, async ({ taskId }, context) => {
        const { token } = own(context)
        const run = found(tasks, taskId, { token })
        if (tasks.hasEnded(run)) throw invalid('This task has ended already.')
        if (!tasks.withdraw(run, token.name)) throw invalid('It has begun, and cannot be taken back: see its result.')
        await tasks.ending(run)
        return tasks.older(run)
      }),
  }
}

/** Handlers of 2026-07-28: the server turns a call into a task, and a client that knows tasks polls it. */
export function currentTaskHandlers({ server, own, tasks }: TaskDoor) {
  const known = (taskId: string, context: ServerContext) => {
    if (!knowsTasks(context)) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [extension]: {} } } })
    }
    return found(tasks, taskId, own(context))
  }
  return {
    'tasks/get': () =>
      server.setRequestHandler('tasks/get', { params: ById }, async ({ taskId }, context) =>
        tasks.current(known(taskId, context)),
      ),
    // JARVIS never asks a client for input, because the operator decides in the dashboard.
    'tasks/update': () =>
      server.setRequestHandler('tasks/update', { params: ById }, async ({ taskId }, context) => {
        known(taskId, context)
        return {}
      }),
    'tasks/cancel': () =>
      server.setRequestHandler('tasks/cancel', { params: ById }, async ({ taskId }, context) => {
        const run = known(taskId, context)
        if (tasks.withdraw(run, own(context).token.name)) await tasks.ending(run)
        return {}
      }),
  }
}

function found(tasks: Tasks, taskId: string, { token }: Pick<Caller, 'token'>) {
  const run = tasks.find(taskId, token)
  if (run === undefined) throw invalid('This token has no such task.')
  return run
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
const internal = (message: string) => new ProtocolError(ProtocolErrorCode.InternalError, message)

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
