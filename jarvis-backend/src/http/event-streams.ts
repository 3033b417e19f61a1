import type { ServerResponse } from 'node:http'
import { JarvisError } from 'protocol'
import type { Identity } from '../auth/tokens.ts'
import type { Clock } from '../lib/clock.ts'

/** Streams that one person may have open of one session, or of the activity feed; and of all. */
export const mostStreams = 100
export const mostStreamsOfOne = 300
/** Bytes that may wait for a client that does not read; a client with more is cut off. */
export const mostQueuedBytes = 1024 * 1024
const commentEveryMs = 15_000
/** After how long a client connects again. */
const retryMs = 2_000
/** Longest delay that `setTimeout` takes, ms. */
const longestMs = 2 ** 31 - 1

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would otherwise collect what is sent.
  'X-Accel-Buffering': 'no',
}

/** One client's stream of server-sent events. */
export type EventStream = {
  /** Sends an event at once, or cuts the client off where it does not read. Must not be called after `ended`. @param id its `id:` */
  send(event: string, payload: object, id?: number | string): void
  /** Resolves once the client has read what was sent, or is gone. */
  drained(): Promise<void>
  isOpen(): boolean
}

type Opening = {
  response: ServerResponse
  identity: Identity
  /** Throws once the holder counts no longer. */
  stillCounts(): void
  /** Streams with the same key share a limit: a session's id, or `events`. */
  key: string
  /** Called once when the client is gone or the stream was ended. */
  ended(): void
}

export type EventStreams = ReturnType<typeof createEventStreams>

/** Keeps all open streams of server-sent events: their number, their heartbeat and their end. */
export function createEventStreams(clock: Clock) {
  const open = new Map<ServerResponse, { key: string; person: string; tokenHash: string; stillCounts: () => void }>()
  let stopBeat: (() => void) | undefined
  // All clients of a session are told the same payload, so it is encoded once.
  let last: { payload: object; event: string; id: number | string | undefined; frame: string } | undefined

  function frameOf(event: string, payload: object, id: number | string | undefined): string {
    if (last?.payload !== payload || last.event !== event || last.id !== id) {
      const frame = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`
      last = { payload, event, id, frame }
    }
    return last.frame
  }
  /** Keeps connections alive through proxies. Nothing is added where the client has not read the rest. */
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
    /**
     * Answers a request with a stream. It ends with its token.
     * @param stillCounts throws once it counts no longer
     * @param key what streams are counted by: a session's id, or `events`
     * @param ended called once when the client is gone or the stream was ended
     * @throws JarvisError `too_many_requests`
     */
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
    /** Ends the streams of a token that was revoked. */
    drop: ({ tokenHash }: Pick<Identity, 'tokenHash'>) => endAll((of) => of.tokenHash === tokenHash),
    /** Ends the streams of a session that is gone. */
    close: (key: string) => endAll((of) => of.key === key),
    dropAll: () => endAll(() => true),
    /** Ends the streams whose holder counts no longer. */
    look,
    size: () => open.size,
  }
}
