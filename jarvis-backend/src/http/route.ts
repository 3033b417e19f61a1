import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import type { TokenScope } from 'protocol'
import { z } from 'zod'
import type { Reach, SessionReach } from '../auth/reach.ts'
import type { Standing } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Access } from './access.ts'
import { atLeast, identityOf, passwordAgain, read, requireScope, sessionWithin, wholeSight } from './handle.ts'

/**
 * One REST route as data. From the table of all routes come the express router, the OpenAPI document and the reference in `docs/api.md`.
 */
export type Route = Required<Pick<Facts, 'role' | 'password' | 'status'>> &
  Omit<Facts, 'role' | 'password' | 'status'> & {
    method: Method
    /** Below `/api`, as express writes it: `/jobs/:id`, `/memory/files/*path`. */
    path: string
    /** One line of Markdown for the reference: what the request does, and when it is refused. */
    summary: string
    handle(call: Call): unknown
  }
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The declarations of a route beside method, path and summary. */
type Facts = {
  /** Least standing of a person. `public`: no token is asked for. `key`: `admit` asks for another one. */
  role: Standing | 'public' | 'key'
  /** Only with the standing `viewer`: the route answers members too, because it shows nothing of the cluster beyond their scopes. */
  forMembers?: true
  /**
   * Least scope of a program's token; absent: closed to programs. Never of a route that decides, changes a setting, makes a token or shows a secret.
   * `ask` admits programs beside operators.
   */
  token?: TokenScope
  /** Only for paths below `/sessions/:id`: the right that a share of the session must give to a person who does not own it. Absent: `look` for GET, else `own`. */
  session?: Reach
  /** True if the password is asked for again. `sometimes`: the handler asks if the body allows more than before. */
  password?: boolean | 'sometimes'
  /** Only with the role `key`: checks the key. @throws JarvisError `unauthorized` before the body is read */
  admit?(request: Request): void
  /** Any body is taken: one that is no JSON, or too large, counts as none. */
  takesAnyBody?: true
  /** Largest body; absent: 256 kB with a token, else 16 kB. */
  limit?: string
  params?: z.ZodType
  /** A strict object. Absent: every query is refused. */
  query?: z.ZodType
  body?: z.ZodType
  /** Schema of the JSON answer. Absent: the handler sends `media`, or nothing. */
  reply?: z.ZodType
  /** Content types that the handler sends by itself. */
  media?: readonly string[]
  /** HTTP status of a success. Absent: 200, or 204 without `reply` and `media`. */
  status?: number
}

/** A request as a handler gets it: `params`, `query` and `body` are parsed. */
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

/** A request and its response. */
export type Exchange = Pick<Call, 'request' | 'response'>

type ParamNames<Path extends string> = Path extends `${string}/${':' | '*'}${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}/${':' | '*'}${infer Name}`
    ? Name
    : never

const verb =
  (method: Method) =>
  <Path extends string, P = Record<ParamNames<Path>, string>, Q = undefined, B = undefined, R = void>(
    path: Path,
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
export const get = verb('get')
export const post = verb('post')
export const put = verb('put')
export const patch = verb('patch')
export const del = verb('delete')

/** Marks a reply in the OpenAPI document whose schema is not written yet. */
export const untypedMark = 'x-untyped'
/** A reply whose type is known to TypeScript alone; the OpenAPI document calls it an object of which only `description` is told. */
export const untyped = <T>(description: string) =>
  z.custom<T>().meta({ type: 'object', description, [untypedMark]: true })
/** A body that the handler reads itself, because another part of the request chooses its form. `schema` describes it. */
export const readByHandler = (schema: z.ZodType) => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return z.unknown().meta(json as Record<string, unknown>)
}
/** The reply of a request that has nothing to tell. */
export const Ok = z.object({ ok: z.literal(true) })
export const ok = { ok: true } as const

const nothing = z.strictObject({})
/** Refuses every query parameter by name, because an ignored filter would look as if it worked. @throws JarvisError `invalid_request` */
export const noQuery: RequestHandler = (request, _response, next) => {
  read(nothing, request.query)
  next()
}

/**
 * Serves routes. Checks come in this order: token, stray query, size and syntax of the body, role, password, params, query and body.
 * @param doors what each needs of tokens and of the password
 */
export function serveRoutes(
  routes: readonly Route[],
  doors: { access: Access; stepUp: StepUp; reach: Pick<SessionReach, 'require'> },
): Router {
  const router = Router()
  const withToken = doors.access.door('api')
  const again = passwordAgain(doors.stepUp)
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
      // Whatever it does with a session: another person's is none.
      ...(needsToken && /^(?:\/memory)?\/sessions\/:id/.test(path)
        ? [sessionWithin(doors.reach, route.session ?? (method === 'get' ? 'look' : 'own'))]
        : []),
      ...(route.password === true ? [again] : []),
    ]
    router[method](path, ...steps, async (request, response) => {
      const answer = await route.handle(callOf(route, request, response))
      if (route.media !== undefined) return
      if (route.reply === undefined) response.status(route.status).end()
      else response.status(route.status).json(answer)
    })
  }
  return router
}

/** Reads the body as JSON, whatever its content type says, so that no body is silently ignored. @throws where the route does not take any */
function bodyOf({ limit, takesAnyBody }: Route, needsToken: boolean): RequestHandler {
  const readJson = express.json({ limit: limit ?? (needsToken ? '256kb' : '16kb'), type: () => true })
  if (takesAnyBody !== true) return readJson
  return (request, response, next) =>
    readJson(request, response, (error?: unknown) => {
      if (error !== undefined) {
        request.body = undefined
        // The client hears the answer once it has sent all.
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
