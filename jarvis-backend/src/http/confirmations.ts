import { Router } from 'express'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import { ConfirmBody } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

const dayMs = 24 * 60 * 60_000

/** `/api/confirmations`: lists the cards of the last day and decides one. */
export function confirmationRoutes(confirmations: Confirmations, now: () => number): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    if (identityOf(response).role === 'operator') confirmations.seen()
    response.json({ items: confirmations.list(now() - dayMs) })
  })
  router.post('/:id', operatorOnly, async (request, response) => {
    const { confirmed, note, grant, alternative, goesBackAfterMin } = read(ConfirmBody, request.body)
    await confirmations.decide({
      toolUseId: param(request, 'id'),
      confirmed,
      by: identityOf(response).sub,
      grant,
      alternative,
      goesBackAfterMin,
      ...(note !== undefined && { note }),
    })
    response.json({ ok: true })
  })
  router.delete('/:id/denial', operatorOnly, (request, response) => {
    confirmations.lift(param(request, 'id'), identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
