import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import { JarvisError, readAs } from '../protocol/index.ts'

/** @throws JarvisError `invalid_request` naming the field. */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = readAs(schema, value ?? {})
  if (read.ok) return read.value
  throw new JarvisError('invalid_request', read.problem)
}

export const identityOf = (response: Response): Identity => response.locals.identity as Identity

/** A viewer may read, nothing else. */
export const operatorOnly: RequestHandler = (_request, response, next) => {
  if (identityOf(response).role !== 'operator')
    throw new JarvisError('forbidden', 'An operator can do this; you may only look.')
  next()
}

/** A token alone is not enough: the password was given for it a short while ago. @throws JarvisError `step_up_required` */
export const passwordAgain =
  (stepUp: StepUp): RequestHandler =>
  (_request, response, next) => {
    stepUp.require(identityOf(response))
    next()
  }

export const param = (request: Request, name: string): string => String(request.params[name] ?? '')

/** Sends text as it is made, no faster than it is read. */
export async function sendText(pieces: AsyncIterable<string>, response: Response): Promise<void> {
  try {
    await pipeline(pieces, response)
  } catch (error) {
    // Who stopped reading has no use for an answer.
    if (!response.destroyed) throw error
  }
}

/** Aborts when the client goes away. */
export function endOf(response: { once(event: 'close', listener: () => void): unknown }): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort(new Error('nobody waits for the answer')))
  return gone.signal
}
