import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Identity } from '../auth/tokens.ts'
import { type ErrorBody, errorStatus, JarvisError } from '../protocol/index.ts'

/** Turns every failure into an HTTP answer; the only place that does. */
export const errorHandler =
  (
    report: (error: unknown, message: string) => void,
    /** Is told of a request that somebody may not make. */
    refused: (request: Request, by: string, door: string, why: string) => void,
    /** Takes secrets out of what others said: a cluster's words may be in a message. */
    redact: (text: string) => string,
  ): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) {
      next(error)
      return
    }
    const known = toJarvisError(error)
    if (known.code === 'internal' || known.code === 'storage_failed') {
      report(error, `${request.method} ${request.path} failed`)
    }
    if (known.code === 'forbidden') refused(request, holderOf(response), doorOf(request), redact(known.message))
    if (known.retryAfterS !== undefined) response.set('Retry-After', String(known.retryAfterS))
    const body: ErrorBody = { error: { code: known.code, message: redact(known.message) } }
    response.status(errorStatus[known.code]).json(body)
  }

const holderOf = (response: Response) => (response.locals.identity as Identity | undefined)?.sub ?? ''

/** The route, without what its path names. */
function doorOf({ method, originalUrl, route }: Request): string {
  const [path = ''] = originalUrl.split('?', 1)
  const { path: pattern } = (route ?? {}) as { path?: unknown }
  return `${method} ${path.startsWith('/api/') && typeof pattern === 'string' ? `/api${pattern}` : path.slice(0, 100)}`
}

function toJarvisError(error: unknown): JarvisError {
  if (error instanceof JarvisError) return error
  // Errors of Express and its body parser carry a status and a type.
  const { status, type } = error as { status?: unknown; type?: unknown }
  if (type === 'entity.too.large')
    return new JarvisError('message_too_large', 'The body is too large.', { cause: error })
  if (status === 404) return new JarvisError('not_found', 'There is no such file.', { cause: error })
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const message = type === 'entity.parse.failed' ? 'The body is not valid JSON.' : 'The request could not be read.'
    return new JarvisError('invalid_request', message, { cause: error })
  }
  return new JarvisError('internal', 'Something went wrong inside JARVIS; the log says more.', { cause: error })
}
