import { Router } from 'express'
import type { Drills } from '../drill/drills.ts'

/** `/api/proofs`: each guest's newest restore proof, and the drill that has not ended. */
export function proofRoutes(drills: Pick<Drills, 'proofs'>): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(drills.proofs())
  })
  return router
}
