import { Agent, buildConnector, DecoratorHandler, Dispatcher, setGlobalDispatcher } from 'undici'
import type { ForwardProxy, Proxies } from './proxies.ts'
import { refusedByProxy, tunnel } from './tunnel.ts'

/** Makes each `fetch` of this thread use the proxy for its URL, or connect directly. */
export function routeFetch(proxies: Proxies): void {
  setGlobalDispatcher(new Routes(proxies))
}

/** Makes each `fetch` connect directly again. */
export function routeNoFetch(): void {
  setGlobalDispatcher(new Agent())
}

class Routes extends Dispatcher {
  readonly #proxies: Proxies
  readonly #direct = new Agent()
  /** Connections to proxies for plain HTTP. A request on them names the whole URL. */
  readonly #plain = new Agent()
  readonly #tunnels = new Map<string, Agent>()

  constructor(proxies: Proxies) {
    super()
    this.#proxies = proxies
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const url = new URL(options.path, options.origin)
    const proxy = this.#proxies.of(url)
    if (proxy === undefined) return this.#direct.dispatch(options, handler)
    if (url.protocol === 'https:') return this.#tunnel(proxy).dispatch(options, handler)
    const origin = `${proxy.isSecure ? 'https' : 'http'}://${proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host}:${proxy.port}`
    const headers = {
      ...flat(options.headers),
      host: url.host,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }),
    }
    return this.#plain.dispatch(
      { ...options, origin, path: url.href, headers },
      new FromProxy(handler, proxy, url.host),
    )
  }

  #tunnel(proxy: ForwardProxy): Agent {
    const known = this.#tunnels.get(proxy.variable)
    if (known !== undefined) return known
    const secure = buildConnector({ allowH2: false })
    const made = new Agent({
      connect(options, done) {
        const to = { host: options.hostname.replace(/^\[|\]$/g, ''), port: Number(options.port || 443) }
        tunnel(proxy, to).then(
          (httpSocket) => secure({ ...options, httpSocket }, done),
          (error: Error) => done(error, null),
        )
      },
    })
    this.#tunnels.set(proxy.variable, made)
    return made
  }
}

type Start = Parameters<Required<Dispatcher.DispatchHandler>['onResponseStart']>
/** The class with the methods that its type definitions lack. */
const Decorator = DecoratorHandler as unknown as new (
  handler: Dispatcher.DispatchHandler,
) => { onResponseStart(...given: Start): void }

/** Distinguishes a proxy’s own refusal from the server’s answer. */
class FromProxy extends Decorator {
  readonly #proxy: ForwardProxy
  readonly #host: string

  constructor(handler: Dispatcher.DispatchHandler, proxy: ForwardProxy, host: string) {
    super(handler)
    this.#proxy = proxy
    this.#host = host
  }

  override onResponseStart(...given: Start): void {
    const [, status] = given
    if (status === 407) throw refusedByProxy(this.#proxy, status, this.#host)
    super.onResponseStart(...given)
  }
}

/** Converts headers to an object, from any of the forms that callers use. */
function flat(headers: Dispatcher.DispatchOptions['headers']): Record<string, string | string[]> {
  if (headers === undefined || headers === null) return {}
  const list = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  const pairs =
    typeof list[0] === 'string'
      ? list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]] as const] : []))
      : (list as [string, string | string[]][])
  return Object.fromEntries(pairs) as Record<string, string | string[]>
}
