import { failureOf } from 'homelab-ports/failure'
import type { PveApi, PveAsk, PveChange, PveValues } from 'homelab-ports/ports'
import type { Model } from './model.ts'
import { Refusal } from './refusal.ts'
import { answer, notImplemented, type View } from './route.ts'
import { routes } from './routes.ts'

type Asked = Omit<PveChange, 'method'> & { method: 'GET' | PveChange['method'] }

/** The API of a cluster in memory. Its refusals have the same texts as over HTTP. It checks no rights. */
export function createModelApi(
  model: Model,
  ways: Pick<PveApi, 'now' | 'wait'> & {
    /** Runs before each request. */
    arrive(signal: AbortSignal): Promise<void>
    /** Called for each request that may change something, after it has reached the cluster. */
    record(request: string): void
  },
): PveApi {
  const view: View = { ...model, may: () => true }
  async function call({ method, path, form }: Asked, { signal, isWhole }: PveAsk) {
    await ways.arrive(signal)
    const node = path[0] === 'nodes' && path.length > 1 ? String(path[1]) : undefined
    const about = { host: 'demo', tokenId: '', isChange: method !== 'GET', node }
    const request = { method, path: `/${path.join('/')}`, values: joined(form) }
    try {
      mustAnswer(model, node)
      if (method !== 'GET') ways.record(`${method} ${request.path}`)
      const said = answer(routes, view, request)
      if (said === undefined) throw notImplemented(request)
      // Return a copy of the answer, as over HTTP.
      return structuredClone(isWhole ? said : said.data)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, message, errors } = error
      throw failureOf({ status, phrase: message, text: JSON.stringify({ message, errors }) }, about)
    }
  }
  return {
    now: ways.now,
    wait: ways.wait,
    get: (path, query, ask) => call({ method: 'GET', path, form: query }, ask),
    change: (request, { signal }) => call(request, { signal }),
  }
}

/** Joins each list into one text with zero bytes, as a request sends it. */
const joined = (values: PveValues) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [value].flat().join('\0')]))

/** @throws Refusal if the cluster does not have the node or cannot reach it */
export function mustAnswer({ host }: Model, name: string | undefined) {
  if (name === undefined) return
  const node = host.nodes().find((candidate) => candidate.name === name)
  if (node === undefined) {
    const words = `hostname lookup '${name}' failed - failed to get address info for: ${name}: Name or service not known`
    throw new Refusal(500, words)
  }
  if (!node.isOnline) throw new Refusal(595, 'No route to host')
}
