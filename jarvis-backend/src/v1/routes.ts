import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ApiError, toApiError } from 'openai-door/errors'
import { modelEntry, modelList, requireModel } from 'openai-door/models'
import { sendError, sendJson } from 'openai-door/send'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { ProgramFilesDoor } from './files.ts'
import type { ProgramModels } from './models.ts'
import type { ProgramBearer, ProgramToken } from './token.ts'

type Handle = (request: IncomingMessage, response: ServerResponse, token: ProgramToken) => void | Promise<void>

/** The asker, and the response that gets the answer. */
export type Asking = { response: ServerResponse; token: ProgramToken }

/** The handlers of `/v1/responses` and what lies below it. */
export interface ResponsesDoor {
  create: Handle
  retrieve(id: string, request: IncomingMessage, asking: Asking): void
  cancel(id: string, asking: Asking): void
  remove(): never
  compact(): never
}

/** Serves `/v1` in the form of OpenAI's API, failures too. */
export function createV1Routes(parts: {
  guard: RequestGuard
  bearer: ProgramBearer
  models: Pick<ProgramModels, 'list'>
  chatCompletions: Handle
  embeddings: Handle
  transcriptions: Handle
  responses: ResponsesDoor
  files: Pick<ProgramFilesDoor, 'list' | 'send'>
  /** Ends a response when its token is no longer valid. */
  watchToken(response: ServerResponse, verified: { stillCounts(): void }): void
  /** Unix ms. */
  startedAt: number
  report(error: unknown, message: string): void
  redact(text: string): string
}): RequestListener {
  const { responses, files } = parts
  const created = Math.floor(parts.startedAt / 1000)
  const modelsFor = (token: ProgramToken) => parts.models.list(token.name)
  const listModels: Handle = (_request, response, token) =>
    sendJson(response, 200, modelList(modelsFor(token), created))
  const getModel =
    (id: string): Handle =>
    (_request, response, token) =>
      sendJson(response, 200, modelEntry(requireModel(modelsFor(token), id), created))

  /** Returns the handlers of a path, by method; undefined if there is no such path. */
  function routesAt(path: string): Record<string, Handle> | undefined {
    const [, kind, name = '', act] = /^\/v1\/(models|responses)\/(.+?)(?:\/(cancel))?$/.exec(path) ?? []
    const [, sessionId, fileId] = /^\/v1\/containers\/([\w-]+)\/files(?:\/([\w-]+)\/content)?$/.exec(path) ?? []
    if (sessionId !== undefined)
      return {
        GET: (request, response, token) =>
          fileId === undefined
            ? files.list(sessionId, response, token)
            : files.send({ sessionId, fileId }, request, { response, token }),
      }
    if (path === '/v1/chat/completions') return { POST: parts.chatCompletions }
    if (path === '/v1/responses') return { POST: (...asked) => responses.create(...asked) }
    if (path === '/v1/responses/compact') return { POST: () => responses.compact() }
    if (path === '/v1/embeddings') return { POST: parts.embeddings }
    if (path === '/v1/audio/transcriptions') return { POST: parts.transcriptions }
    if (path === '/v1/models') return { GET: listModels }
    if (kind === 'models') return { GET: getModel(decoded(act === undefined ? name : `${name}/${act}`)) }
    if (kind !== 'responses' || name.includes('/')) return undefined
    if (act !== undefined) return { POST: (_request, response, token) => responses.cancel(name, { response, token }) }
    return {
      GET: (request, response, token) => responses.retrieve(name, request, { response, token }),
      DELETE: () => responses.remove(),
    }
  }

  /** @throws ApiError 404, 405 */
  function handlerOf(method: string, path: string): Handle {
    const routes = routesAt(path)
    if (routes === undefined) throw new ApiError('not_found', `There is no ${method} ${path}.`, { status: 404 })
    const handle = routes[method]
    if (handle === undefined) {
      throw new ApiError('method_not_allowed', `${path} takes ${Object.keys(routes).join(', ')}, not ${method}.`, {
        status: 405,
      })
    }
    return handle
  }

  return (request, response) => {
    response.setHeader('Cache-Control', 'no-store')
    const refuse = (error: unknown) => {
      const known = toApiError(error)
      if (known !== undefined) known.message = parts.redact(known.message)
      if (known === undefined) parts.report(error, `${request.method} ${request.url?.split('?', 1)[0]} failed`)
      if (!request.complete) response.setHeader('Connection', 'close')
      if (known?.status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
      sendError(
        response,
        known ?? new ApiError('internal', 'Something went wrong inside JARVIS; the log says more.', { status: 500 }),
      )
    }
    try {
      if (!parts.guard(request)) throw new ApiError('forbidden', parts.guard.why(request), { status: 403 })
      const [path = ''] = (request.url ?? '').split('?', 1)
      const verified = parts.bearer.verify(request)
      const handle = handlerOf(request.method ?? '', path.replace(/(?<=.)\/$/, ''))
      parts.watchToken(response, verified)
      Promise.resolve(handle(request, response, verified.token)).catch(refuse)
    } catch (error) {
      refuse(error)
    }
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
