import { Router } from 'express'
import { z } from 'zod'
import type { Runs } from '../agent/runs.ts'
import type { Changes } from '../calls/changes/changes.ts'
import type { ChangesReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

const Query = z.strictObject({
  target: z.string().max(200).optional(),
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Only those that go back by themselves, soonest first. */
  armed: z.literal('true').optional(),
})

/** `/api/changes`: lists what JARVIS changed, keeps a change that would go back by itself, and takes one back. */
export function changeRoutes(
  changes: Pick<Changes, 'list' | 'armed' | 'one' | 'keep'>,
  runs: Pick<Runs, 'start' | 'rename'>,
  now: () => number,
): Router {
  const router = Router()
  router.get('/', (request, response) => {
    const { target, before, limit, armed } = read(Query, request.query)
    const query = { limit, ...(target !== undefined && { target }), ...(before !== undefined && { before }) }
    const items = armed === undefined ? changes.list(query) : changes.armed().slice(0, limit)
    // By the server's clock, so that every screen counts down to the same instant.
    response.json({ items, now: now() } satisfies ChangesReply)
  })
  router.get('/:id', (request, response) => {
    response.json(changes.one(param(request, 'id')))
  })
  router.post('/:id/keep', operatorOnly, async (request, response) => {
    await changes.keep(param(request, 'id'), identityOf(response).sub)
    response.json({ ok: true })
  })
  /** The undo is a call of its own, which the gate judges; the session shows what comes of it. */
  router.post('/:id/undo', operatorOnly, (request, response) => {
    const { id, sentence } = changes.one(param(request, 'id'))
    const sent = runs.start({ text: `/undo change=${JSON.stringify(id)}`, by: identityOf(response).sub })
    runs.rename(sent.sessionId, `Undo: ${sentence}`)
    response.json(sent)
  })
  return router
}
