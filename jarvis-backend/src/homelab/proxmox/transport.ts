import type { Agent } from 'node:https'
import { ApiError, failureOf, isProxyFailure, type Reply } from 'homelab-ports/failure'
import type { WebSocket } from 'ws'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { PveApi, PveAsk, PvePath, PveValues } from '../ports.ts'
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

/** Time limits, ms. `answerMs`: for one whole answer. `clock`: what measures them; absent: the machine's. */
export type Deadlines = { connectMs: number; answerMs: number; clock?: Clock }
export const usualDeadlines: Deadlines = { connectMs: 3_000, answerMs: 12_000 }

export type Api = Pick<PveApi, 'get' | 'change'> & {
  /** How far the clock of the address that answered last is ahead of ours, ms; undefined while no answer had a time. */
  clockOffMs(): number | undefined
  /** Problems of the addresses, in words. */
  problems(): string[]
  /** Tries failed addresses again after a pause; while another serves, nothing else would. Never rejects. */
  recheck(ask: PveAsk): Promise<void>
  /** Makes a POST, and gives a way to the address that answered it: a port that it opened is open there alone. @throws as `change` */
  postAt(path: PvePath, form: PveValues, ask: PveAsk): Promise<{ data: unknown; dial: Dial }>
  close(): void
}

/** Opens a WebSocket. @throws ApiError `cluster_unreachable`, `cluster_refused`; the signal's reason */
export type Dial = (path: PvePath, query: PveValues, signal: AbortSignal) => Promise<WebSocket>

type Entry = { url: URL; name: string; fault: { text: string; at: number } | undefined }

/** Sockets per address. Requests to slow nodes have their own, so they do not delay reads of the cluster. */
const sockets = { cluster: 4, nodes: 8, changes: 8 }
/** Pause before a failed address is tried again, ms. */
const recheckMs = 30_000

export function createTransport(connection: Connection, now: () => number, deadlines: Deadlines = usualDeadlines): Api {
  const entries: Entry[] = connection.urls.map((text) => {
    const url = new URL(text)
    return { url, name: url.host, fault: undefined }
  })
  const { connectMs, clock = systemClock } = deadlines
  const agents = {
    cluster: createAgent(connection, { keepAlive: true, maxSockets: sockets.cluster, connectMs, clock }),
    nodes: createAgent(connection, { keepAlive: true, maxSockets: sockets.nodes, connectMs, clock }),
    // A new connection cannot have been closed before, so a lost request is rarely in doubt.
    changes: createAgent(connection, { keepAlive: false, maxSockets: sockets.changes, connectMs, clock }),
  }
  const authorization = `PVEAPIToken=${connection.tokenId}=${connection.tokenSecret}`

  /** Addresses in the given order, with those that failed last at the end. */
  const inOrder = () => [...entries].sort((a, b) => Number(a.fault !== undefined) - Number(b.fault !== undefined))

  function send(entry: Entry, agent: Agent, method: Method, path: string, form: string | undefined, ask: PveAsk) {
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(form?.length ?? 0) }
    return exchange({
      url: entry.url,
      agent,
      method,
      path,
      headers: { accept: 'application/json', authorization, ...(form !== undefined && type) },
      body: form,
      signal: ask.signal,
      answerMs: ask.answerMs ?? deadlines.answerMs,
      clock,
    })
  }

  async function call(
    method: Method,
    segments: PvePath,
    values: PveValues,
    ask: PveAsk,
    answeredBy?: (entry: Entry) => void,
  ) {
    const encoded = encodedOf(values)
    const place = placeOf(segments)
    const isChange = method !== 'GET'
    // Neither a GET nor a DELETE may have a body.
    const hasBody = method === 'POST' || method === 'PUT'
    const path = hasBody || encoded === '' ? place : `${place}?${encoded}`
    const node = segments[0] === 'nodes' && segments.length > 1 ? String(segments[1]) : undefined
    const about = { isChange, tokenId: connection.tokenId, ...(node !== undefined && { node }) }
    const agent = isChange ? agents.changes : node === undefined ? agents.cluster : agents.nodes

    let lost: ApiError | undefined
    for (const entry of inOrder()) {
      let reply: Reply
      const askedAt = now()
      try {
        reply = await asked(() => send(entry, agent, method, path, hasBody ? encoded : undefined, ask), isChange)
      } catch (error) {
        if (ask.signal.aborted) throw ask.signal.reason
        const why = error instanceof Error ? error.message : String(error)
        const isSent = !(error instanceof NotConnected)
        // The node itself may be slow, and no other address would be faster.
        if (isSent && !isChange && node !== undefined) {
          throw new ApiError('cluster_unreachable', `${node} cannot be asked through ${entry.name}, which ${why}.`)
        }
        entry.fault = faultOf(entry, error)
        if (isChange && isSent) {
          const message = `The request was sent to ${entry.name}, and the answer was lost (${why}): whether it was carried out is not known.`
          throw new ApiError('outcome_unknown', message)
        }
        continue
      }
      entry.fault = undefined
      // The header has whole seconds; of a node that is asked through another it may be either's.
      if (node === undefined && reply.date !== undefined) clockOffMs = reply.date + 500 - (askedAt + now()) / 2
      answeredBy?.(entry)
      if (reply.status < 400) return dataOf(reply, entry, isChange, ask.isWhole)
      const failure = failureOf(masked(reply), { ...about, host: entry.name })
      // The address's own daemon is down: another address may serve requests that belong to no node.
      if (!isChange && node === undefined && isProxyFailure(reply.status)) {
        lost = failure
        entry.fault = { text: `${entry.name} does not serve the API (${reply.status})`, at: now() }
        continue
      }
      throw failure
    }
    if (lost !== undefined) throw lost
    throw new ApiError('cluster_unreachable', `The cluster cannot be reached: ${problems().join('; ')}.`)
  }

  let clockOffMs: number | undefined
  const problems = () => entries.flatMap(({ fault }) => fault?.text ?? [])

  /** Sends a read again where the server closed a kept connection just as it was reused. */
  async function asked(send: () => Promise<Reply>, isChange: boolean): Promise<Reply> {
    try {
      return await send()
    } catch (error) {
      if (isChange || !(error instanceof Closed && error.isStale)) throw error
      return send()
    }
  }

  /** No message may contain the token's secret. */
  function masked(reply: Reply): Reply {
    const mask = (text: string) => text.replaceAll(connection.tokenSecret, '[token]')
    return { status: reply.status, phrase: mask(reply.phrase), text: mask(reply.text) }
  }

  async function recheck(ask: PveAsk) {
    const due = entries.filter(({ fault }) => fault !== undefined && now() - fault.at >= recheckMs)
    const tries = due.map(async (entry) => {
      try {
        await send(entry, agents.cluster, 'GET', '/api2/json/version', undefined, ask)
        entry.fault = undefined
      } catch (error) {
        if (!ask.signal.aborted) entry.fault = faultOf(entry, error)
      }
    })
    await Promise.all(tries)
  }
  const faultOf = ({ name }: Entry, error: unknown) => ({
    text: `${name} ${error instanceof Error ? error.message : String(error)}`,
    at: now(),
  })

  return {
    recheck,
    get: (path, query, ask) => call('GET', path, query, ask),
    clockOffMs: () => clockOffMs,
    change: (method, path, form, ask) => call(method, path, form, ask),
    async postAt(path, form, ask) {
      let at: Entry | undefined
      const data = await call('POST', path, form, ask, (entry) => {
        at = entry
      })
      return {
        data,
        async dial(to, query, signal) {
          if (at === undefined) throw new Error('a POST was answered by no address')
          const { url, name } = at
          const target = `${placeOf(to)}?${encodedOf(query)}`
          const about = { host: name, tokenId: connection.tokenId, isChange: false }
          const failure = (reply: Reply) => failureOf(masked(reply), about)
          return dial({
            url,
            path: target,
            agent: agents.changes,
            authorization,
            answerMs: deadlines.answerMs,
            signal,
            failure,
          })
        },
      }
    },
    problems,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const placeOf = (segments: PvePath) => `/api2/json/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`

function encodedOf(values: PveValues): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) for (const one of [value].flat()) query.append(key, one)
  return query.toString()
}

function dataOf({ status, text }: Reply, { name }: Entry, isChange: boolean, isWhole = false): unknown {
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
