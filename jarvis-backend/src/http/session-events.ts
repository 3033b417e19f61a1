import type { Request } from 'express'
import { type Entry, JarvisError, type StreamEvents } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { EventStreams } from './event-streams.ts'
import { stillCountsOf } from './handle.ts'
import type { Call } from './route.ts'

/** Number of entries that are read at once. */
const entriesAtOnce = 200

/** True if an event is a line of the transcript. A client can resume only after the `seq` of such an event. */
const isEntry = (payload: object): payload is Entry => 'at' in payload

/**
 * Returns the `seq` after which the client resumes: that of the last event it received, otherwise `after` from its query; -1 if it sends neither.
 * @throws JarvisError `invalid_request`
 */
function placeOf(request: Request, after = -1): number {
  const lastId = request.get('last-event-id')
  if (lastId === undefined || lastId === '') return after
  if (!/^\d{1,15}$/.test(lastId))
    throw new JarvisError('invalid_request', 'Last-Event-ID: send the id of an event of this stream.')
  return Number(lastId)
}

/**
 * `GET /api/sessions/:id/events`: the entries after a `seq`, then `chat:partial` with the text that is streaming now, then every event as on
 * `/chat`. A slow client gets the transcript at its own pace, and delays no other client.
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
    // The reader is a program, so a card that is sent to it does not count as seen by a person.
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
    // Read the partial text in the same tick as the last entries, so that no event can fall between them and the later events.
    const { seq, runId, partial } = watch.snapshot(Number.MAX_SAFE_INTEGER)
    const now: StreamEvents['chat:partial'] = { sessionId, seq, runId, ...partial }
    stream.send('chat:partial', now)
    isLive = true
  }
}
