import type { Agent } from 'node:https'
import { ApiError, failureOf, isProxyFailure, type Reply } from 'homelab-ports/failure'
import type { PveApi, PveAsk, PveChange, PvePath, PveValues } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { WebSocket } from 'ws'
import type { Clock } from '../../lib/clock.ts'
import { createAgent, NotConnected, type Trust } from './connect.ts'
import { dial } from './dial.ts'
import { Closed, exchange, type Method } from './exchange.ts'

export type Connection = {
  /** Origins, tried in this order. */
  urls: readonly string[]
  /** `user@realm!name` */
  tokenId: string
  tokenSecret: string
} & Trust

/** Time limits, ms: for connecting, and for one whole answer (`answerMs`). `clock`: the clock that measures them; absent: the machine's clock. */
export type Deadlines = { connectMs: number; answerMs: number; clock?: Clock }
export const usualDeadlines: Deadlines = { connectMs: 3_000, answerMs: 12_000 }

export type Api = Pick<PveApi, 'get' | 'change'> & {
  /** Lead of the clock of the address that answered last over JARVIS's clock, ms; undefined while no answer had a time. */
  clockOffMs(): number | undefined
  /** Problems of the addresses, in words. */
  problems(): string[]
  /** Tries failed addresses again after a pause. Without this they would stay failed as long as another address works. Never rejects. */
  recheck(ask: PveAsk): Promise<void>
  /** Sends a POST and returns its answer, and `dial` for the same address: a port that the POST opened is open only there. @throws as `change` */
  postAt(path: PvePath, form: PveValues, ask: PveAsk): Promise<{ data: unknown; dial: Dial }>
  close(): void
}

/** Opens a WebSocket. @throws ApiError `cluster_unreachable`, `cluster_refused`; the signal's reason */
export type Dial = (path: PvePath, query: PveValues, signal: AbortSignal) => Promise<WebSocket>

type Entry = { url: URL; name: string; fault: { text: string; at: number } | undefined }

/** Maximum sockets per address. Requests to nodes, which may be slow, have sockets of their own, so that they do not delay reads of the cluster. */
const sockets = { cluster: 4, nodes: 8, changes: 8 }
/** Pause before a failed address is tried again, ms. */
const recheckMs = 30_000

/** One request, the same for every address. */
type Wanted = {
  method: Method
  /** The path from the root, with its query. */
  path: string
  /** The request's body; undefined for GET and DELETE, which must not have one. */
  form: string | undefined
  isChange: boolean
  /** The node that the request is for, if any. */
  node: string | undefined
}

/** Proxmox's API over HTTPS, through the first address that answers. */
export class Transport implements Api {
  readonly #connection: Connection
  readonly #now: () => number
  readonly #deadlines: Deadlines
  readonly #clock: Clock
  readonly #entries: readonly Entry[]
  readonly #agents: Readonly<Record<keyof typeof sockets, Agent>>
  readonly #authorization: string
  #clockOffMs: number | undefined

  constructor(connection: Connection, now: () => number, deadlines: Deadlines = usualDeadlines) {
    this.#connection = connection
    this.#now = now
    this.#deadlines = deadlines
    this.#clock = deadlines.clock ?? systemClock
    this.#entries = connection.urls.map((text) => {
      const url = new URL(text)
      return { url, name: url.host, fault: undefined }
    })
    const agent = (keepAlive: boolean, maxSockets: number) =>
      createAgent(connection, { keepAlive, maxSockets, connectMs: deadlines.connectMs, clock: this.#clock })
    this.#agents = {
      cluster: agent(true, sockets.cluster),
      nodes: agent(true, sockets.nodes),
      // Each change gets a new connection. A kept connection may have been closed by the server, and then it would be unknown if the change arrived.
      changes: agent(false, sockets.changes),
    }
    this.#authorization = `PVEAPIToken=${connection.tokenId}=${connection.tokenSecret}`
  }

  async get(path: PvePath, query: PveValues, ask: PveAsk): Promise<unknown> {
    return (await this.#call(wantedOf('GET', path, query), ask)).data
  }

  async change({ method, path, form }: PveChange, ask: PveAsk): Promise<unknown> {
    return (await this.#call(wantedOf(method, path, form), ask)).data
  }

  async postAt(path: PvePath, form: PveValues, ask: PveAsk): Promise<{ data: unknown; dial: Dial }> {
    const { data, entry } = await this.#call(wantedOf('POST', path, form), ask)
    return { data, dial: (to, query, signal) => this.#dialAt(entry, `${placeOf(to)}?${encodedOf(query)}`, signal) }
  }

  clockOffMs(): number | undefined {
    return this.#clockOffMs
  }

  problems(): string[] {
    return this.#entries.flatMap(({ fault }) => fault?.text ?? [])
  }

  async recheck(ask: PveAsk): Promise<void> {
    const due = this.#entries.filter(({ fault }) => fault !== undefined && this.#now() - fault.at >= recheckMs)
    const version = {
      method: 'GET',
      path: '/api2/json/version',
      form: undefined,
      isChange: false,
      node: undefined,
    } as const
    await Promise.all(
      due.map(async (entry) => {
        try {
          await this.#send(entry, version, ask)
          entry.fault = undefined
        } catch (error) {
          if (!ask.signal.aborted) entry.fault = this.#faultOf(entry, error)
        }
      }),
    )
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /** Tries the addresses in turn. @returns the answer's data, and the address that gave it */
  async #call(wanted: Wanted, ask: PveAsk): Promise<{ data: unknown; entry: Entry }> {
    const { isChange, node } = wanted
    const about = { isChange, tokenId: this.#connection.tokenId, node }
    let lost: ApiError | undefined
    for (const entry of this.#inOrder()) {
      const reply = await this.#askAt(entry, wanted, ask)
      if (reply === undefined) continue
      if (reply.status < 400)
        return { data: dataOf(reply, { name: entry.name, isChange, isWhole: ask.isWhole }), entry }
      const failure = failureOf(this.#masked(reply), { ...about, host: entry.name })
      // The daemon at this address is down. Another address may answer a request that is not for one node.
      if (isChange || node !== undefined || !isProxyFailure(reply.status)) throw failure
      lost = failure
      entry.fault = { text: `${entry.name} does not serve the API (${reply.status})`, at: this.#now() }
    }
    if (lost !== undefined) throw lost
    throw new ApiError('cluster_unreachable', `The cluster cannot be reached: ${this.problems().join('; ')}.`)
  }

  /** @returns undefined if the next address may be tried @throws ApiError, the signal's reason */
  async #askAt(entry: Entry, wanted: Wanted, ask: PveAsk): Promise<Reply | undefined> {
    const { isChange, node } = wanted
    const askedAt = this.#now()
    try {
      const reply = await this.#sendTwice(entry, wanted, ask)
      entry.fault = undefined
      // The header has whole seconds, so half a second is added. If one node is asked through another, the time may be either node's, so it is not
      // used.
      if (node === undefined && reply.date !== undefined)
        this.#clockOffMs = reply.date + 500 - (askedAt + this.#now()) / 2
      return reply
    } catch (error) {
      if (ask.signal.aborted) throw ask.signal.reason
      const why = error instanceof Error ? error.message : String(error)
      const isSent = !(error instanceof NotConnected)
      // The node itself may be slow, and no other address would be faster.
      if (isSent && !isChange && node !== undefined) {
        throw new ApiError('cluster_unreachable', `${node} cannot be asked through ${entry.name}, which ${why}.`)
      }
      entry.fault = this.#faultOf(entry, error)
      if (isChange && isSent) {
        const message = `The request was sent to ${entry.name}, and the answer was lost (${why}): whether it was carried out is not known.`
        throw new ApiError('outcome_unknown', message)
      }
      return undefined
    }
  }

  /** Sends a read a second time if the server closed a kept connection just as it was reused. */
  async #sendTwice(entry: Entry, wanted: Wanted, ask: PveAsk): Promise<Reply> {
    try {
      return await this.#send(entry, wanted, ask)
    } catch (error) {
      if (wanted.isChange || !(error instanceof Closed && error.isStale)) throw error
      return this.#send(entry, wanted, ask)
    }
  }

  #send(entry: Entry, { method, path, form, isChange, node }: Wanted, ask: PveAsk): Promise<Reply> {
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(form?.length ?? 0) }
    return exchange({
      url: entry.url,
      agent: isChange ? this.#agents.changes : node === undefined ? this.#agents.cluster : this.#agents.nodes,
      method,
      path,
      headers: {
        accept: 'application/json',
        authorization: this.#authorization,
        ...(form !== undefined && type),
      },
      body: form,
      signal: ask.signal,
      answerMs: ask.answerMs ?? this.#deadlines.answerMs,
      clock: this.#clock,
    })
  }

  #dialAt({ url, name }: Entry, path: string, signal: AbortSignal): Promise<WebSocket> {
    const about = { host: name, tokenId: this.#connection.tokenId, isChange: false }
    return dial({
      url,
      path,
      agent: this.#agents.changes,
      authorization: this.#authorization,
      answerMs: this.#deadlines.answerMs,
      signal,
      failure: (reply) => failureOf(this.#masked(reply), about),
    })
  }

  /** Returns the addresses in the given order, but failed ones last. */
  #inOrder(): Entry[] {
    return [...this.#entries].sort((a, b) => Number(a.fault !== undefined) - Number(b.fault !== undefined))
  }

  #faultOf({ name }: Entry, error: unknown): { text: string; at: number } {
    return { text: `${name} ${error instanceof Error ? error.message : String(error)}`, at: this.#now() }
  }

  /** Hides the token's secret, which no message may contain. */
  #masked({ status, phrase, text }: Reply): Reply {
    const mask = (words: string) => words.replaceAll(this.#connection.tokenSecret, '[token]')
    return { status, phrase: mask(phrase), text: mask(text) }
  }
}

function wantedOf(method: Method, segments: PvePath, values: PveValues): Wanted {
  const encoded = encodedOf(values)
  const place = placeOf(segments)
  const hasBody = method === 'POST' || method === 'PUT'
  return {
    method,
    path: hasBody || encoded === '' ? place : `${place}?${encoded}`,
    form: hasBody ? encoded : undefined,
    isChange: method !== 'GET',
    node: segments[0] === 'nodes' && segments.length > 1 ? String(segments[1]) : undefined,
  }
}

const placeOf = (segments: PvePath) => `/api2/json/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`

function encodedOf(values: PveValues): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) for (const one of [value].flat()) query.append(key, one)
  return query.toString()
}

function dataOf(
  { status, text }: Reply,
  { name, isChange, isWhole = false }: { name: string; isChange: boolean; isWhole?: boolean | undefined },
): unknown {
  try {
    if (status < 300) {
      const answer = JSON.parse(text) as { data?: unknown }
      return isWhole ? answer : answer.data
    }
  } catch {
    // The error below reports it.
  }
  const words = status < 300 ? 'something that is not JSON' : `a redirection (${status})`
  throw new ApiError(
    isChange ? 'outcome_unknown' : 'cluster_refused',
    `${name} answered with ${words}: is it a Proxmox server?`,
    { status },
  )
}
