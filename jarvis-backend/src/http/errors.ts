import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
import { type ErrorBody, errorStatus, JarvisError } from 'protocol'
import type { Identity } from '../auth/tokens.ts'

/** Makes an error handler for Express, which tells one from other handlers by its four parameters. */
export const onError =
  (
    answer: (error: unknown, exchange: { request: Request; response: Response; next: NextFunction }) => void,
  ): ErrorRequestHandler =>
  // biome-ignore lint/complexity/useMaxParams: Express counts the parameters of a handler
  (error, request, response, next) =>
    answer(error, { request, response, next })

type Tell = (request: Request, refusal: { by: string; door: string; why: string }) => void

/** Converts every failure to an HTTP answer. No other code does this. */
export const errorHandler = (
  report: (error: unknown, message: string) => void,
  /** `refused`: called for a request that the caller has no right to make. `limited`: for one that came too soon after others. */
  { refused, limited }: { refused: Tell; limited: Tell },
  /** Removes secrets from messages, which may contain texts of the cluster. */
  redact: (text: string) => string,
): ErrorRequestHandler =>
  onError((error, { request, response, next }) => {
    if (response.headersSent) {
      next(error)
      return
    }
    const known = toJarvisError(error)
    if (known.code === 'internal' || known.code === 'storage_failed') {
      report(error, `${request.method} ${request.path} failed`)
    }
    if (known.code === 'forbidden') {
      refused(request, { by: holderOf(response), door: doorOf(request), why: redact(known.message) })
    }
    if (known.code === 'too_many_requests') {
      limited(request, { by: holderOf(response), door: doorOf(request), why: redact(known.message) })
    }
    if (known.retryAfterS !== undefined) response.set('Retry-After', String(known.retryAfterS))
    if (isPage(request)) {
      const page = refusalPage(redact(known.message))
      response.status(errorStatus[known.code]).set('Cache-Control', 'no-store').type('html').send(page)
      return
    }
    const body: ErrorBody = { error: { code: known.code, message: redact(known.message) } }
    response.status(errorStatus[known.code]).json(body)
  })

/** True if a person's browser opens a page; false for a request of a program. */
const isPage = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) &&
  !/^\/(?:api|mcp|v1|oauth|metrics|health|\.well-known)(?:\/|$)/.test(request.path) &&
  request.accepts(['json', 'html']) === 'html'

/** Returns a page that uses no files of the dashboard, because its script and style would be refused too. */
const refusalPage = (message: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>JARVIS cannot be opened here</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:12vh auto;padding:0 1.25rem;overflow-wrap:anywhere}</style>
</head>
<body>
<h1>JARVIS cannot be opened here</h1>
<p>${message.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)}</p>
</body>
</html>
`

const holderOf = (response: Response) => (response.locals.identity as Identity | undefined)?.sub ?? ''

/** Returns the method and the route's pattern, without the values in the path. */
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
