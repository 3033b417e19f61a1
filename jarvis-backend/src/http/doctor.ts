import { Router } from 'express'
import type { DoctorReply } from '../protocol/index.ts'
import { operatorOnly } from './handle.ts'

/** `/api/doctor`: looks at everything once for all who ask meanwhile. `?model=0` leaves the model's server out. */
export function doctorRoutes(examine: (asksModel: boolean) => Promise<DoctorReply>): Router {
  const router = Router()
  let running: Promise<DoctorReply> | undefined
  router.get('/', operatorOnly, async (request, response) => {
    running ??= examine(request.query.model !== '0').finally(() => {
      running = undefined
    })
    response.json(await running)
  })
  return router
}
