import { Router } from 'express'
import { z } from 'zod'
import type { StepUp } from '../auth/step-up.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { JobBody, JobPatchBody, type JobSlotsPage, type JobTrace, SchedulePreviewBody } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

const SlotsQuery = z.strictObject({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})

/** `/api/jobs`: what runs without anybody, when it runs next, and what became of each of its runs. */
export function jobRoutes(
  jobs: Jobs,
  parts: {
    trace(slot: ReturnType<Jobs['slot']>): JobTrace
    /** Allows the drills of a job beforehand, or ends that. */
    approve(id: string, isAllowed: boolean, by: string): void
    stepUp: StepUp
  },
): Router {
  const { trace, approve, stepUp } = parts
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(jobs.list())
  })
  router.post('/', operatorOnly, (request, response) => {
    response.status(201).json(jobs.make(read(JobBody, request.body), { by: identityOf(response).sub }))
  })
  router.post('/preview', (request, response) => {
    response.json(jobs.preview(read(SchedulePreviewBody, request.body).schedule))
  })
  router.post('/stop', operatorOnly, (_request, response) => {
    jobs.stopAll(true, identityOf(response).sub)
    response.json(jobs.list())
  })
  router.post('/start', operatorOnly, (_request, response) => {
    jobs.stopAll(false, identityOf(response).sub)
    response.json(jobs.list())
  })
  router.get('/:id', (request, response) => {
    response.json(jobs.get(param(request, 'id')))
  })
  router.patch('/:id', operatorOnly, (request, response) => {
    const body = read(JobPatchBody, request.body)
    response.json(jobs.change(param(request, 'id'), body, identityOf(response).sub))
  })
  router.delete('/:id', operatorOnly, (request, response) => {
    jobs.remove(param(request, 'id'), identityOf(response).sub)
    response.status(204).end()
  })
  router.post('/:id/run', operatorOnly, (request, response) => {
    response.status(202).json(jobs.run(param(request, 'id'), identityOf(response).sub))
  })
  router.post('/:id/approval', operatorOnly, passwordAgain(stepUp), (request, response) => {
    const id = param(request, 'id')
    approve(id, true, identityOf(response).sub)
    response.json(jobs.get(id))
  })
  router.delete('/:id/approval', operatorOnly, (request, response) => {
    const id = param(request, 'id')
    approve(id, false, identityOf(response).sub)
    response.json(jobs.get(id))
  })
  router.get('/:id/slots', (request, response) => {
    const { before, limit } = read(SlotsQuery, request.query)
    const found = jobs.slots(param(request, 'id'), { limit: limit + 1, ...(before !== undefined && { before }) })
    const items = found.slice(0, limit)
    const oldest = items.at(-1)
    const next = found.length > limit && oldest !== undefined ? { next: String(oldest.slot) } : {}
    response.json({ items, ...next } satisfies JobSlotsPage)
  })
  router.get('/:id/slots/:slot', (request, response) => {
    response.json(trace(jobs.slot(param(request, 'id'), Number(param(request, 'slot')))))
  })
  return router
}
