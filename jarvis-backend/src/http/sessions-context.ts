import { Router } from 'express'
import type { GoingBack } from '../agent/context/going-back.ts'
import type { Reports } from '../agent/context/reports.ts'
import type { Runs } from '../agent/runs.ts'
import { type Checkpoint, ContextQuery, JarvisError, type Page } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

/** `/api/sessions/:id/context` and `/fold`: what fills the window of a session's model, and folding it by hand. */
export function contextRoutes(parts: {
  runs: Pick<Runs, 'isRunning' | 'start'>
  reports: Reports
  goingBack: GoingBack
  pendingCounts(): Map<string, number>
}): Router {
  const { runs, reports, goingBack } = parts
  /** Why nothing can be folded now; undefined where it can. */
  function resting(id: string): string | undefined {
    const waiting = parts.pendingCounts().get(id) ?? 0
    if (waiting > 0) return waiting === 1 ? 'A card waits for you.' : `${waiting} cards wait for you.`
    return runs.isRunning(id) ? 'An answer or a call goes on.' : undefined
  }
  const router = Router()
  router.get('/:id/context', async (request, response) => {
    const id = param(request, 'id')
    const { count } = read(ContextQuery, request.query)
    if (count === undefined) {
      response.json(reports.of(id, resting(id)))
      return
    }
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.json(await reports.counted(id, resting(id), gone.signal))
  })
  router.post('/:id/fold', operatorOnly, (request, response) => {
    const id = param(request, 'id')
    const { because } = reports.of(id, resting(id)).fold
    if (because !== undefined) throw new JarvisError('conflict', `Nothing was folded. ${because}`)
    const { runId } = runs.start({ sessionId: id, text: '/fold', by: identityOf(response).sub })
    response.status(202).json({ runId })
  })
  router.get('/:id/checkpoints', (request, response) => {
    response.json({ items: goingBack.list(param(request, 'id')) } satisfies Page<Checkpoint>)
  })
  router.get('/:id/checkpoints/:seq', (request, response) => {
    const seq = Number(param(request, 'seq'))
    if (!Number.isSafeInteger(seq) || seq < 0)
      throw new JarvisError('invalid_request', 'seq: name a message by its seq.')
    response.json(goingBack.detail(param(request, 'id'), seq))
  })
  return router
}
