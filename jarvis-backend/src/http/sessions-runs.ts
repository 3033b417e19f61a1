import { Router } from 'express'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { Journal } from '../calls/ports.ts'
import { JarvisError, MessageBody, RatingBody, type Snapshot, SnapshotQuery } from '../protocol/index.ts'
import type { EventStreams } from './event-streams.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'
import { streamSession } from './session-events.ts'

/** `/api/sessions/:id`: starts, stops and watches its runs, and rates its answers. */
export function runRoutes(parts: {
  runs: Runs
  store: TranscriptStore
  redact: Parameters<typeof wireEntry>[1]
  journal: Journal
  streams: EventStreams
}): Router {
  const { runs, store } = parts
  const router = Router()
  router.post('/:id/messages', operatorOnly, (request, response) => {
    const { message, requestId, model } = read(MessageBody, request.body)
    const sent = runs.start({
      ...{ sessionId: param(request, 'id'), text: message, by: identityOf(response).sub },
      ...(requestId !== undefined && { requestId }),
      ...(model !== undefined && { model }),
    })
    response.status(202).json(sent)
  })
  router.post('/:id/abort', operatorOnly, (request, response) => {
    runs.abort(param(request, 'id'), identityOf(response).sub)
    response.json({ ok: true })
  })
  router.get('/:id/snapshot', (request, response) => {
    const { since } = read(SnapshotQuery, request.query)
    // A program is no screen: what it reads does not count as seen by a person.
    const watch = runs.watch(param(request, 'id'), { isOperator: false, tell() {} })
    watch.end()
    response.json(watch.snapshot(since) satisfies Snapshot)
  })
  router.get('/:id/events', streamSession(parts))
  router.put('/:id/entries/:seq/rating', operatorOnly, (request, response) => {
    const { rating, note } = read(RatingBody, request.body)
    const sessionId = param(request, 'id')
    const of = Number(param(request, 'seq'))
    const answer = Number.isSafeInteger(of) && of >= 0 ? store.entry(sessionId, of) : undefined
    if (answer?.type !== 'assistant' || answer.model === undefined)
      throw new JarvisError('not_found', 'There is no such answer of a model in this session.')
    const said = { of, rating, ...(note !== undefined && { note: parts.redact.text(note) }) }
    const by = identityOf(response).sub
    store.atomically(() => {
      runs.note(sessionId, answer.runId, { type: 'rating', ...said, by })
      const { of: entry, ...words } = said
      parts.journal.append('session', { sessionId, change: 'rated', entry, ...words, by })
    })
    response.json({ rating, ...(said.note !== undefined && { note: said.note }) })
  })
  return router
}
