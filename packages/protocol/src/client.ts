import type { ErrorBody } from './errors.ts'
import type { Files, Routes } from './routes.ts'

/**
 * A failed call. `code`: one of the table in docs/api.md, or `unreachable` if no answer of JARVIS came. `status`: of the answer; undefined: none came.
 * `retryAfterS`: seconds until a retry makes sense.
 */
export class ApiError extends Error {
  readonly code: string
  readonly status: number | undefined
  readonly retryAfterS: number | undefined

  constructor(code: string, message: string, { status, retryAfterS }: { status?: number; retryAfterS?: number } = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.retryAfterS = retryAfterS
  }
}

/** The body of a request to a route. */
export type Body<Route extends keyof Routes> = Routes[Route] extends { body: infer B } ? B : never
/** The query of a request to a route. */
export type Query<Route extends keyof Routes> = Routes[Route] extends { query?: infer Q } ? NonNullable<Q> : never
/** The reply of a route; undefined: an empty one. */
export type Reply<Route extends keyof Routes> = Routes[Route]['reply']

type Options = { headers?: Record<string, string>; signal?: AbortSignal; keepalive?: boolean }
/** The input of a request. May be left out if nothing in it is required. */
type Given<Needs> = Record<never, never> extends Needs ? [input?: Needs & Options] : [input: Needs & Options]

export type Asked = Options & { method: string; headers: Record<string, string>; body?: string }
/** Sends a request. `globalThis.fetch` is one. */
export type Fetch = (address: string, asked: Asked) => Promise<Response>

/** Makes requests to the routes of one JARVIS, which are typed by the table of routes. */
export type Client = {
  /** Makes a request with a JSON reply or an empty one. @throws ApiError; any error of `fetch` */
  call<Route extends keyof Routes>(route: Route, ...given: Given<Omit<Routes[Route], 'reply'>>): Promise<Reply<Route>>
  /** Makes a request for a file or a stream. @throws ApiError if the answer is not a 2xx; any error of `fetch` */
  open<Route extends keyof Files>(route: Route, ...given: Given<Files[Route]>): Promise<Response>
}

/**
 * Makes a client.
 * @param url of JARVIS, without `/api`. @param token of a person or a program, read at each request; undefined: requests carry none
 */
export function createClient({
  url,
  token,
  fetch,
}: {
  url: string
  token?: () => string | undefined
  fetch: Fetch
}): Client {
  async function opened(route: string, input: Input = {}): Promise<Response> {
    const [method = '', path = ''] = route.split(' ')
    const { params = {}, query = {}, body, headers, ...options } = input
    const bearer = token?.()
    const response = await fetch(url + filled(path, params) + searchOf(query), {
      ...options,
      method,
      headers: {
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw await refusalOf(response)
    return response
  }
  return {
    async call(route, ...[input]) {
      const response = await opened(route, input)
      const text = await textOf(response)
      return (text === '' ? undefined : parsed(text, response)) as never
    },
    open: (route, ...[input]) => opened(route, input),
  }
}

type Input = Options & {
  params?: Record<string, string>
  query?: Record<string, string | number | undefined>
  body?: unknown
}

/** Fills the parameters of a path. The value of `*name` keeps its slashes. */
const filled = (path: string, params: Record<string, string>) =>
  path.replace(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = encodeURIComponent(params[name] ?? '')
    return kind === '*' ? value.replaceAll('%2F', '/') : value
  })

function searchOf(query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

const textOf = (response: Response): Promise<string> =>
  response.text().catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') throw error
    throw new ApiError('unreachable', 'The connection ended before the whole answer came.')
  })

/**
 * Reads the error of an answer that is not a 2xx. @throws ApiError `unreachable` if the answer is not from JARVIS, but for example from
 * a proxy
 */
export async function refusalOf(response: Response): Promise<ApiError> {
  const { error } = (parsed(await textOf(response), response) ?? {}) as Partial<ErrorBody>
  if (typeof error?.code !== 'string') throw foreign(response)
  const retryAfterS = Number(response.headers.get('Retry-After'))
  return new ApiError(error.code, error.message, {
    status: response.status,
    ...(retryAfterS > 0 && { retryAfterS }),
  })
}

function parsed(text: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw foreign(response)
  }
}

const foreign = ({ status }: Response) =>
  new ApiError('unreachable', `The answer (HTTP ${status}) could not be read. Is this the right address?`, { status })
