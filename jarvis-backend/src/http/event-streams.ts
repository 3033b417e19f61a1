import type { ServerResponse } from 'node:http'
import { JarvisError } from 'protocol'
import type { Identity } from '../auth/tokens.ts'
import type { Clock } from '../lib/clock.ts'

/** Maximum number of open streams per person: of one session or of the activity feed (`mostStreams`), and in total (`mostStreamsOfOne`). */
export const mostStreams = 100
export const mostStreamsOfOne = 300
/** Bytes that may wait for a client that does not read; a client with more is cut off. */
export const mostQueuedBytes = 1024 * 1024
const commentEveryMs = 15_000
/** Delay after which a disconnected client connects again, ms. */
const retryMs = 2_000
/** Maximum delay of `setTimeout`, ms. */
const longestMs = 2 ** 31 - 1

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would otherwise buffer the events.
  'X-Accel-Buffering': 'no',
}

/** A stream of server-sent events to one client. */
export type EventStream = {
  /** Sends an event at once; disconnects the client if it does not read. Must not be called after `ended`. @param id the event's `id:` */
  send(event: string, payload: object, id?: number | string): void
  /** Resolves when the client has read the sent data, or has disconnected. */
  drained(): Promise<void>
  isOpen(): boolean
}

type Opening = {
  response: ServerResponse
  identity: Identity
  /** Throws when the token is no longer valid, or the right to the stream has ended. */
  stillCounts(): void
  /** Streams with the same key share a limit: a session's id, or `events`. */
  key: string
  /** Called once when the client has disconnected or the stream was ended. */
  ended(): void
}

/** All open streams of server-sent events. */
export interface EventStreams {
  /**
   * Answers a request with a stream, which ends with the token. @param stillCounts throws when the stream must end @param key the key by which
   * streams are counted: a session's id, or `events` @param ended called once when the client has disconnected or the stream was ended @throws
   * JarvisError `too_many_requests`
   */
  open(opening: Opening): EventStream
  /** Ends the streams of a revoked token. */
  drop(identity: Pick<Identity, 'tokenHash'>): void
  /** Ends the streams of a session that was deleted. */
  close(key: string): void
  dropAll(): void
  /** Ends the streams whose `stillCounts` throws. */
  look(): void
  size(): number
}

/** Keeps all open streams of server-sent events: their number, their heartbeat and their end. */
export function createEventStreams(clock: Clock): EventStreams {
  const open = new Map<ServerResponse, { key: string; person: string; tokenHash: string; stillCounts: () => void }>()
  let stopBeat: (() => void) | undefined
  // All clients of a session get the same payload, so it is encoded only once.
  let last: { payload: object; event: string; id: number | string | undefined; frame: string } | undefined

  function frameOf(event: string, payload: object, id: number | string | undefined): string {
    if (last?.payload !== payload || last.event !== event || last.id !== id) {
      const frame = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`
      last = { payload, event, id, frame }
    }
    return last.frame
  }
  /** Sends comments, so that proxies keep the connections open. A client that has unread data gets none. */
  function beat() {
    look()
    for (const response of open.keys()) {
      if (response.writableLength === 0 && !response.writableEnded) response.write(':\n\n')
    }
    stopBeat = open.size > 0 ? clock.after(commentEveryMs, beat) : undefined
  }
  function look() {
    for (const [response, { stillCounts }] of open) {
      try {
        stillCounts()
      } catch {
        response.end()
      }
    }
  }
  const endAll = (isWanted: (of: { key: string; tokenHash: string }) => boolean) => {
    for (const [response, of] of open) if (isWanted(of)) response.end()
  }

  return {
    open({ response, identity, stillCounts, key, ended }: Opening): EventStream {
      const person = identity.person.id
      const theirs = [...open.values()].filter((of) => of.person === person)
      const count = theirs.filter((of) => of.key === key).length
      if (count >= mostStreams || theirs.length >= mostStreamsOfOne) {
        throw new JarvisError(
          'too_many_requests',
          `You have ${count >= mostStreams ? `${mostStreams} streams of it` : `${mostStreamsOfOne} streams`} open already. Close one, or try again later.`,
          { retryAfterS: retryMs / 1000 },
        )
      }
      open.set(response, { key, person, tokenHash: identity.tokenHash, stillCounts })
      stopBeat ??= clock.after(commentEveryMs, beat)
      const expiry = setTimeout(
        () => response.end(),
        Math.min(longestMs, Math.max(0, identity.exp * 1000 - Date.now())),
      ).unref()
      response.once('close', () => {
        clearTimeout(expiry)
        open.delete(response)
        if (open.size === 0) {
          stopBeat?.()
          stopBeat = undefined
          last = undefined
        }
        ended()
      })
      response.writeHead(200, headers)
      response.write(`retry: ${retryMs}\n\n`)
      const isOpen = () => !response.writableEnded && !response.destroyed
      return {
        isOpen,
        send(event, payload, id) {
          if (!isOpen()) return
          if (response.writableLength > mostQueuedBytes) response.destroy()
          else response.write(frameOf(event, payload, id))
        },
        async drained() {
          if (!response.writableNeedDrain || !isOpen()) return
          await new Promise<void>((resolve) => {
            const done = () => {
              response.off('drain', done)
              response.off('close', done)
              resolve()
            }
            response.once('drain', done)
            response.once('close', done)
          })
        },
      }
    },
    drop: ({ tokenHash }: Pick<Identity, 'tokenHash'>) => endAll((of) => of.tokenHash === tokenHash),
    close: (key: string) => endAll((of) => of.key === key),
    dropAll: () => endAll(() => true),
    look,
    size: () => open.size,
  }
}
