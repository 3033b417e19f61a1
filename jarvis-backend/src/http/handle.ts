import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import { JarvisError, readAs } from '../protocol/index.ts'

/** Parses a body or query. @throws JarvisError `invalid_request` naming the field */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = readAs(schema, value ?? {})
  if (read.ok) return read.value
  throw new JarvisError('invalid_request', read.problem)
}

/** The identity that `Access` stored. Only for routes behind it. */
export const identityOf = (response: Response): Identity => response.locals.identity as Identity

/** Refuses viewers. @throws JarvisError `forbidden` */
export const operatorOnly: RequestHandler = (_request, response, next) => {
  if (identityOf(response).role !== 'operator')
    throw new JarvisError('forbidden', 'An operator can do this; you may only look.')
  next()
}

/** A check that throws once the request's token counts no longer, for answers that stay open. Only for routes behind `Access`. */
export const stillCountsOf = (response: Response): (() => void) => response.locals.stillCounts as () => void

/** Admits operators, and programs whose token may ask. @throws JarvisError `forbidden` */
export const operatorOrAsker: RequestHandler = (request, response, next) => {
  if (identityOf(response).token?.scope === 'ask') return next()
  operatorOnly(request, response, next)
}

/** Requires that the password was given for this token a short while ago. @throws JarvisError `step_up_required` */
export const passwordAgain =
  (stepUp: StepUp): RequestHandler =>
  (_request, response, next) => {
    stepUp.require(identityOf(response))
    next()
  }

export const param = (request: Request, name: string): string => String(request.params[name] ?? '')

/** Streams text to the client with backpressure. */
export async function sendText(pieces: AsyncIterable<string>, response: Response): Promise<void> {
  try {
    await pipeline(pieces, response)
  } catch (error) {
    // The client left, so no error answer can be sent.
    if (!response.destroyed) throw error
  }
}

/** A signal that aborts when the client disconnects. */
export function endOf(response: { once(event: 'close', listener: () => void): unknown }): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort(new Error('nobody waits for the answer')))
  return gone.signal
}
