import type { Request } from 'express'
import { type Entry, JarvisError, type StreamEvents } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { EventStreams } from './event-streams.ts'
import { stillCountsOf } from './handle.ts'
import type { Call } from './route.ts'

/** Entries that are read at a time. */
const entriesAtOnce = 200

/** True if an event is a line of the transcript. A client can resume only after the `seq` of such an event. */
const isEntry = (payload: object): payload is Entry => 'at' in payload

/** The `seq` that a client has: of the last event it received, else `after`, of its query; -1 where it has none. @throws JarvisError `invalid_request` */
function placeOf(request: Request, after = -1): number {
  const lastId = request.get('last-event-id')
  if (lastId === undefined || lastId === '') return after
  if (!/^\d{1,15}$/.test(lastId))
    throw new JarvisError('invalid_request', 'Last-Event-ID: send the id of an event of this stream.')
  return Number(lastId)
}

/**
 * `GET /api/sessions/:id/events`: the entries after a `seq`, then `chat:partial` with what streams now, then every event as `/chat` tells it.
 * A slow client is sent the transcript as fast as it reads; it holds up nobody.
 */
export function streamSession(parts: {
  runs: Pick<Runs, 'watch'>
  store: Pick<TranscriptStore, 'entriesFrom'>
  redact: Parameters<typeof wireEntry>[1]
  streams: EventStreams
  reach(): Pick<SessionReach, 'require'>
}) {
  return async (call: Call<{ id: string }, { after?: number | undefined }>): Promise<void> => {
    const sessionId = call.params.id
    let last = placeOf(call.request, call.query.after)
    let isLive = false
    // A program is no screen: a card that it is told of does not count as seen by a person.
    const watch = parts.runs.watch(sessionId, {
      isOperator: false,
      tell(event, payload) {
        if (!isLive) return
        if (!isEntry(payload)) stream.send(event, payload)
        else if (payload.seq > last) {
          last = payload.seq
          stream.send(event, payload, last)
        }
      },
    })
    let stream: ReturnType<EventStreams['open']>
    try {
      const { response, identity } = call
      const holds = stillCountsOf(response)
      const stillCounts = () => {
        holds()
        parts.reach().require(identity.person, sessionId, 'look')
      }
      stream = parts.streams.open({ response, identity, stillCounts, key: sessionId, ended: watch.end })
    } catch (error) {
      watch.end()
      throw error
    }
    while (stream.isOpen()) {
      const entries = parts.store.entriesFrom(sessionId, last + 1, entriesAtOnce)
      if (entries.length === 0) break
      for (const entry of entries) {
        const { type, ...payload } = wireEntry(entry, parts.redact)
        stream.send(`chat:${type}`, { sessionId, ...payload }, entry.seq)
        last = entry.seq
        await stream.drained()
      }
      await new Promise(setImmediate)
    }
    if (!stream.isOpen()) return
    // Read in the same step as the last entries, so that nothing lies between them and what is told from now on.
    const { seq, runId, partial } = watch.snapshot(Number.MAX_SAFE_INTEGER)
    const now: StreamEvents['chat:partial'] = { sessionId, seq, ...(runId !== undefined && { runId }), ...partial }
    stream.send('chat:partial', now)
    isLive = true
  }
}
