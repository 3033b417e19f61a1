import type { Agent } from 'node:https'
import { request } from 'node:https'
import { gunzipSync } from 'node:zlib'
import type { Reply } from 'homelab-ports/failure'
import type { PveMethod } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { Clock } from '../../lib/clock.ts'

/** Largest answer, bytes; a list of two thousand guests has under 2 MB. */
const mostBytes = 32 * 1024 * 1024

export type Method = 'GET' | PveMethod

export type Exchange = {
  url: URL
  agent: Agent
  method: Method
  /** The path from the root, with its query. */
  path: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal
  /** Time limit for the whole answer, including its body, ms. */
  answerMs: number
  clock?: Clock
}

/**
 * Thrown if the server closed the connection. `isStale`: the connection was kept from an earlier request, so the server may have closed it before
 * this request was sent.
 */
export class Closed extends Error {
  readonly isStale: boolean
  constructor(isStale: boolean) {
    super('closed the connection')
    this.isStale = isStale
  }
}

/**
 * Makes one request and reads the whole answer. Rejects with the signal's reason; with `NotConnected` if nothing was sent; or with another error,
 * after which the request may have arrived.
 */
export function exchange({
  url,
  agent,
  method,
  path,
  headers,
  body,
  signal,
  answerMs,
  clock = systemClock,
}: Exchange): Promise<Reply> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const asking = request({
      agent,
      method,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || 443,
      path,
      headers,
    })
    const end = (settle: () => void) => {
      cancel()
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const fail = (error: unknown) => {
      end(() => reject(error))
      asking.destroy()
    }
    const onAbort = () => fail(signal.reason)
    const cancel = clock.after(answerMs, () => fail(new Error(`did not answer within ${answerMs / 1000} s`)))
    signal.addEventListener('abort', onAbort, { once: true })
    asking.on('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'ECONNRESET' ? new Closed(asking.reusedSocket) : error)
    })
    asking.on('response', (response) => {
      const pieces: Buffer[] = []
      let length = 0
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        length += piece.length
        if (length > mostBytes) fail(new Error('gave an answer that is too long'))
      })
      response.on('error', fail)
      response.on('aborted', () => fail(new Error('closed the connection in its answer')))
      response.on('end', () => {
        if (!response.complete) return
        let text: string
        try {
          text = textOf(Buffer.concat(pieces), response.headers['content-encoding'])
        } catch {
          fail(new Error('gave an answer that cannot be unpacked'))
          return
        }
        const date = Date.parse(response.headers.date ?? '')
        const said = { status: response.statusCode ?? 0, phrase: response.statusMessage ?? '', text }
        end(() => resolve(Number.isNaN(date) ? said : { ...said, date }))
      })
    })
    asking.end(body)
  })
}

/** Decodes a body. Proxmox sends a node's journal gzipped even if the request does not ask for that. */
function textOf(body: Buffer, encoding: string | undefined): string {
  const plain = encoding === 'gzip' ? gunzipSync(body, { maxOutputLength: mostBytes }) : body
  return plain.toString('utf8')
}
