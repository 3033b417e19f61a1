import { JarvisError, MessageBody, RatingBody, SentReply, SessionEventsQuery, Snapshot, SnapshotQuery } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { Draft, TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { Journal } from '../calls/ports.ts'
import type { EventStreams } from './event-streams.ts'
import type { ProgramMessages } from './program-messages.ts'
import { Ok, ok, type Route, route } from './route.ts'
import { streamSession } from './session-events.ts'

/** `/api/sessions/:id`: starts, stops and watches its runs, and rates its answers. */
export function runRoutes(parts: {
  runs: Runs
  note(sessionId: string, runId: string, entry: Draft): void
  store: TranscriptStore
  redact: Parameters<typeof wireEntry>[1]
  journal: Journal
  streams: EventStreams
  reach(): Pick<SessionReach, 'require'>
  programs: ProgramMessages
}): Route[] {
  const { runs, store, programs } = parts
  return [
    route('/sessions/:id/messages').post(
      'Sends a message, as `chat:send` does; a program’s, in a session of its own. `/events` tells what comes of it.',
      { role: 'member', session: 'talk', token: 'ask', status: 202, body: MessageBody, reply: SentReply },
      ({ params, body, body: { message, requestId, model, attachments, isReadOnly }, by, identity: { token } }) => {
        if (token !== undefined) return programs.send(token, body, params.id)
        if (isReadOnly === true)
          throw new JarvisError('invalid_request', 'isReadOnly: only a program’s message has it.')
        return runs.start({
          sessionId: params.id,
          text: message,
          by,
          requestId,
          model,
          attachments,
        })
      },
    ),
    route('/sessions/:id/abort').post(
      'Stops the model, withdraws what waits and holds queued messages, as `chat:abort` does.',
      { role: 'member', session: 'talk', token: 'ask', reply: Ok },
      ({ params, by, identity: { token } }) => {
        if (token !== undefined) programs.abort(token, params.id)
        else runs.abort(params.id, by)
        return ok
      },
    ),
    route('/sessions/:id/queue/:messageId/send').post(
      'Sends a message that a stop holds, as `chat:send_held` does. Its writer alone may.',
      { role: 'member', session: 'talk', reply: Ok },
      ({ params, by }) => {
        runs.sendHeld(params.id, params.messageId, by)
        return ok
      },
    ),
    route('/sessions/:id/queue/:messageId').delete(
      'Removes a message that waits or is held, as `chat:unqueue` does.',
      { role: 'member', session: 'talk' },
      ({ params }) => runs.unqueue(params.id, params.messageId),
    ),
    route('/sessions/:id/snapshot').get(
      'The answer of `chat:attach`. `since` is the newest `seq` that the client has.',
      { role: 'viewer', forMembers: true, token: 'read', query: SnapshotQuery, reply: Snapshot },
      ({ params, query }) => {
        // The reader is a program, so it does not count as a person who has seen a card.
        const watch = runs.watch(params.id, { isOperator: false, tell() {} })
        watch.end()
        return watch.snapshot(query.since)
      },
    ),
    route('/sessions/:id/events').get(
      'All that happens in a session, as [server-sent events](#server-sent-events).',
      { role: 'viewer', forMembers: true, token: 'read', query: SessionEventsQuery, media: ['text/event-stream'] },
      streamSession(parts),
    ),
    route('/sessions/:id/entries/:seq/rating').put(
      'Rates an answer of the model. `rating: null` takes a rating back.',
      { role: 'member', session: 'talk', body: RatingBody, reply: RatingBody },
      ({ params: { id, seq }, body: { rating, note }, by }) => {
        const of = Number(seq)
        const answer = Number.isSafeInteger(of) && of >= 0 ? store.entry(id, of) : undefined
        if (answer?.type !== 'assistant' || answer.model === undefined)
          throw new JarvisError('not_found', 'There is no such answer of a model in this session.')
        const said = { of, rating, ...(note !== undefined && { note: parts.redact.text(note) }) }
        store.atomically(() => {
          parts.note(id, answer.runId, { type: 'rating', ...said, by })
          const { of: entry, ...words } = said
          parts.journal.append('session', { sessionId: id, change: 'rated', entry, ...words, by })
        })
        return { rating, note: said.note }
      },
    ),
  ]
}
