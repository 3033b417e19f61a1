import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import type { TokenArea, TokenScope } from 'protocol'
import { z } from 'zod'
import type { Reach, SessionReach } from '../auth/reach.ts'
import type { Standing } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Access } from './access.ts'
import { atLeast, identityOf, passwordAgain, read, requireScope, sessionWithin, wholeSight } from './handle.ts'
import { sendPacked } from './send-json.ts'

/** The data of one REST route. The table of all routes provides the express router, the OpenAPI document and the reference in `docs/api.md`. */
export type Route = Required<Pick<Facts, 'role' | 'password' | 'status'>> &
  Omit<Facts, 'role' | 'password' | 'status'> & {
    method: Method
    /** The path below `/api`, in express's form: `/jobs/:id`, `/memory/files/*path`. */
    path: string
    /** One line of Markdown for the reference: the effect of the request, and the conditions under which it is refused. */
    summary: string
    handle(call: Call): unknown
  }
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The declarations of a route other than method, path and summary. */
type Facts = {
  /** Minimum role of a person. `public`: no token is required. `key`: `admit` requires another key instead. */
  role: Standing | 'public' | 'key'
  /** Only with the role `viewer`. True if members may use the route too, because it shows nothing of the cluster outside their scopes. */
  forMembers?: true
  /**
   * Minimum scope of a program's token; absent: programs may not use the route. Must be absent for a route that decides, changes a setting, creates
   * a token or shows a secret. `ask`: programs may use the route in addition to people with the role. An area such as `memory:write`: the token has
   * this right, and its person the role; the password was given when the token was made.
   */
  token?: TokenScope | TokenArea
  /**
   * Only for paths below `/sessions/:id`. The right in the session that a person other than its owner needs. Absent: `look` for GET, otherwise
   * `own`.
   */
  session?: Reach
  /** True if the password is asked for again. `sometimes`: the handler asks if the body allows more than before. */
  password?: boolean | 'sometimes'
  /** Only with the role `key`: checks the key. @throws JarvisError `unauthorized` before the body is read */
  admit?(request: Request): void
  /** True if any body is accepted. A body that is not JSON or is too large is treated as absent. */
  takesAnyBody?: true
  /** Maximum size of the body. Absent: 256 kB for routes that require a token, otherwise 16 kB. */
  limit?: string
  params?: z.ZodType
  /** A strict object. Absent: every query is refused. */
  query?: z.ZodType
  body?: z.ZodType
  /** Schema of the JSON answer. Absent: the handler sends `media`, or nothing. */
  reply?: z.ZodType
  /** Content types that the handler sends by itself. */
  media?: readonly string[]
  /**
   * True if the JSON answer may be compressed. Only for answers that hold no secret: the length of a compressed answer tells about a secret that stands
   * beside an attacker's text (BREACH).
   */
  isPacked?: true
  /** HTTP status of a success. Absent: 200, or 204 without `reply` and `media`. */
  status?: number
}

/** A request in the form for its handler: `params`, `query` and `body` are parsed. */
export type Call<P = unknown, Q = unknown, B = unknown> = {
  params: P
  query: Q
  body: B
  /** The identity of the token; set only on routes that ask for a token. */
  identity: Identity
  /** The name of the caller in the journal; set only on routes that ask for a token. */
  by: string
  request: Request
  response: Response
}

export type Exchange = Pick<Call, 'request' | 'response'>

type ParamNames<Path extends string> = Path extends `${string}/${':' | '*'}${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}/${':' | '*'}${infer Name}`
    ? Name
    : never

const verb =
  <Path extends string>(method: Method, path: Path) =>
  <P = Record<ParamNames<Path>, string>, Q = undefined, B = undefined, R = void>(
    summary: string,
    facts: Omit<Facts, 'params' | 'query' | 'body' | 'reply'> & {
      params?: z.ZodType<P>
      query?: z.ZodType<Q>
      body?: z.ZodType<B>
      reply?: z.ZodType<R>
    },
    handle: (call: Call<P, Q, B>) => NoInfer<R> | Promise<NoInfer<R>>,
  ): Route => ({
    method,
    path,
    summary,
    password: false,
    handle: handle as Route['handle'],
    status: facts.reply === undefined && facts.media === undefined ? 204 : 200,
    ...facts,
  })

/** Declares the routes of a path: `route('/jobs/:id').get(summary, facts, handle)`. */
export const route = <Path extends string>(path: Path) => ({
  get: verb('get', path),
  post: verb('post', path),
  put: verb('put', path),
  patch: verb('patch', path),
  delete: verb('delete', path),
})

/** Marks a reply in the OpenAPI document whose schema is not written yet. */
export const untypedMark = 'x-untyped'
/** Declares a reply that only TypeScript has a type for. The OpenAPI document describes it as an object with `description`. */
export const untyped = <T>(description: string) =>
  z.custom<T>().meta({ type: 'object', description, [untypedMark]: true })
/** A body that the handler reads itself, because another part of the request chooses its form. `schema` describes it. */
export const readByHandler = (schema: z.ZodType) => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return z.unknown().meta(json as Record<string, unknown>)
}
/** The reply of a request that returns no data. */
export const Ok = z.object({ ok: z.literal(true) })
export const ok = { ok: true } as const

const nothing = z.strictObject({})
/** Refuses every query parameter by name. If it were ignored, a filter would seem to work. @throws JarvisError `invalid_request` */
export const noQuery: RequestHandler = (request, _response, next) => {
  read(nothing, request.query)
  next()
}

/**
 * Serves routes. The order of the checks is: token, unknown query, size and syntax of the body, role, password, params, query and body. @param doors
 * checks tokens, the password, and the right in a session
 */
export function serveRoutes(
  routes: readonly Route[],
  doors: { access: Access; stepUp: StepUp; reach: Pick<SessionReach, 'require'> },
): Router {
  const router = Router()
  const withToken = doors.access.door('api')
  for (const route of routes) {
    const { role, token, admit, path, method } = route
    const needsToken = role !== 'public' && role !== 'key'
    const steps: RequestHandler[] = [
      ...(needsToken ? [withToken, requireScope(token)] : []),
      ...(admit ? [before(admit)] : []),
      ...(route.query === undefined && role !== 'key' ? [noQuery] : []),
      bodyOf(route, needsToken),
      ...(needsToken && role !== 'viewer' ? [atLeast(role, token)] : []),
      ...(role === 'viewer' && route.forMembers !== true ? [wholeSight] : []),
      // For every route below a session: refuses the session of another person.
      ...(needsToken && /^(?:\/memory)?\/sessions\/:id/.test(path)
        ? [sessionWithin(doors.reach, route.session ?? (method === 'get' ? 'look' : 'own'))]
        : []),
      ...(route.password === true ? [passwordAgain(doors.stepUp, token)] : []),
    ]
    router[method](path, ...steps, async (request, response) => {
      const answer = await route.handle(callOf(route, request, response))
      if (route.media !== undefined) return
      if (route.reply === undefined) response.status(route.status).end()
      else if (route.isPacked) await sendPacked({ request, response }, answer)
      else response.status(route.status).json(answer)
    })
  }
  return router
}

/**
 * Reads the body as JSON, whatever its content type is, so that no body is silently ignored. @throws Error for a body that is not JSON or is too
 * large, unless the route accepts any body
 */
function bodyOf({ limit, takesAnyBody }: Route, needsToken: boolean): RequestHandler {
  const readJson = express.json({ limit: limit ?? (needsToken ? '256kb' : '16kb'), type: () => true })
  if (takesAnyBody !== true) return readJson
  return (request, response, next) =>
    readJson(request, response, (error?: unknown) => {
      if (error !== undefined) {
        request.body = undefined
        // Reads the rest of the body, because the client receives the answer only after it has sent everything.
        request.resume()
      }
      next()
    })
}

const before =
  (check: (request: Request) => void): RequestHandler =>
  (request, _response, next) => {
    check(request)
    next()
  }

function callOf(route: Route, request: Request, response: Response): Call {
  const identity = identityOf(response)
  const given = Object.entries(request.params).map(([name, value]) => [name, [value].flat().join('/')])
  const params: Record<string, string> = Object.fromEntries(given)
  return {
    request,
    response,
    identity,
    by: identity?.sub,
    params: route.params ? read(route.params, params) : params,
    query: route.query && read(route.query, request.query),
    body: route.body && read(route.body, request.body),
  }
}
