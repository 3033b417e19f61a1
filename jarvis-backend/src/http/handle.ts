import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response } from 'express'
import { JarvisError, personFor, readAs, TokenArea, type TokenScope } from 'protocol'
import type { z } from 'zod'
import type { ApiToken } from '../auth/api-tokens.ts'
import type { Reach, SessionReach } from '../auth/reach.ts'
import { isAtLeast, requireStanding, requireWholeSight, type Standing } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Questioner } from '../calls/judge.ts'

/** Parses a body or query. @throws JarvisError `invalid_request` naming the field */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = readAs(schema, value ?? {})
  if (read.ok) return read.value
  throw new JarvisError('invalid_request', read.problem)
}

/**
 * Returns the caller, by whose rights a trial of a call is judged. A person who may only look, and a program whose token may only read, are judged
 * as viewers, and the trial then reads nothing from the cluster.
 */
export function questionerOf({ person, token }: Identity): Questioner {
  const isReading = token === undefined ? !isAtLeast(person.role, 'member') : token.scope !== 'ask'
  return {
    ...(token === undefined ? { kind: 'command' } : { kind: 'v1', token: token.name }),
    ...personFor(person.id),
    ...(isReading && { isReading, asRole: 'viewer' }),
  }
}

/** The identity that `Access` stored. Only for routes behind it. */
export const identityOf = (response: Response): Identity => response.locals.identity as Identity

/** The least right of a token that a route declares. */
type TokenRight = TokenScope | TokenArea | undefined

/**
 * Refuses people with a lower role than `least`. A program is refused unless the route's right is `ask`, or an area and its person has the role;
 * `requireScope` has checked the right. @throws JarvisError `forbidden`
 */
export const atLeast =
  (least: Standing, right: TokenRight): RequestHandler =>
  (_request, response, next) => {
    const { person, token } = identityOf(response)
    const counts = token === undefined || isArea(right) ? person.role : 'viewer'
    if (token === undefined || right !== 'ask') requireStanding(counts, least)
    next()
  }

const isArea = (right: TokenRight): right is TokenArea => TokenArea.safeParse(right).success

/** Refuses members. @throws JarvisError `forbidden` */
export const wholeSight: RequestHandler = (_request, response, next) => {
  requireWholeSight(identityOf(response).person.role)
  next()
}

/**
 * Refuses a session in which the person lacks the right. @throws JarvisError `unknown_session` for another person's session; `forbidden` if the
 * session is shared with fewer rights
 */
export const sessionWithin =
  (reach: Pick<SessionReach, 'require'>, needs: Reach): RequestHandler =>
  (request, response, next) => {
    reach.require(identityOf(response).person, param(request, 'id'), needs)
    next()
  }

/** Returns a check for answers that stay open. It throws when the request's token is no longer valid. Use only in routes behind `Access`. */
export const stillCountsOf = (response: Response): (() => void) => response.locals.stillCounts as () => void

/** True if a token has a right besides its scope. A right to write includes that to read. */
const hasArea = ({ areas = [] }: Pick<ApiToken, 'areas'>, area: TokenArea): boolean =>
  areas.some((one) => one === area || one === area.replace(':read', ':write'))

/** Refuses API tokens without the right. If `right` is undefined, refuses all API tokens. @throws JarvisError `forbidden` */
export const requireScope =
  (right: TokenRight): RequestHandler =>
  (request, response, next) => {
    const { token } = identityOf(response)
    if (token === undefined) return next()
    if (right === undefined) {
      const path = request.originalUrl.split('?', 1)[0]
      throw new JarvisError(
        'forbidden',
        `An API token may not use ${request.method} ${path}. A person who is signed in may.`,
      )
    }
    if (isArea(right) && !hasArea(token, right))
      throw new JarvisError('forbidden', `The token ${token.name} has no right to ${right}. Make one that has it.`)
    if (right === 'ask' && token.scope === 'read') {
      throw new JarvisError('forbidden', `The token ${token.name} may only read. Make one with the scope ask.`)
    }
    next()
  }

/**
 * Requires that the password was given for this token a short while ago. A program whose token has the area of the route gives none. @throws
 * JarvisError `step_up_required`
 */
export const passwordAgain =
  (stepUp: StepUp, right: TokenRight): RequestHandler =>
  (_request, response, next) => {
    const identity = identityOf(response)
    if (identity.token === undefined || !isArea(right)) stepUp.require(identity)
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
