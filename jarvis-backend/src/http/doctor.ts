import { Router } from 'express'
import { z } from 'zod'
import type { DoctorReply } from '../protocol/index.ts'
import { operatorOnly, read } from './handle.ts'

const DoctorQuery = z.strictObject({ model: z.enum(['0', '1']).default('1') })

/** `/api/doctor`: runs the checks once for all requests that arrive meanwhile. `?model=0` leaves the model's server out. */
export function doctorRoutes(examine: (asksModel: boolean) => Promise<DoctorReply>): Router {
  const router = Router()
  let running: Promise<DoctorReply> | undefined
  router.get('/', operatorOnly, async (request, response) => {
    const { model } = read(DoctorQuery, request.query)
    running ??= examine(model === '1').finally(() => {
      running = undefined
    })
    response.json(await running)
  })
  return router
}
