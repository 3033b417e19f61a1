import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal } from '../calls/ports.ts'
import { PushBody } from '../protocol/index.ts'
import type { Push } from '../push/push.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

/** `/api/push`, for operators: browsers that are told of waiting cards. Their addresses are accepted and never returned. */
export function pushRoutes(parts: {
  push: Push
  journal: Journal
  durably<T>(work: () => T): T
  stepUp: StepUp
}): Router {
  const { push, journal, durably } = parts
  const router = Router()
  router.use(operatorOnly)
  router.get('/', (_request, response) => {
    response.json(push.state(identityOf(response).sub))
  })
  router.post('/', passwordAgain(parts.stepUp), (request, response) => {
    const body = read(PushBody, request.body)
    const { sub } = identityOf(response)
    const device = durably(() => {
      const added = push.subscribe(body, sub)
      journal.append('setup', { change: 'push_on', by: sub, id: added.id, label: added.label })
      return added
    })
    response.status(201).json(device)
  })
  router.delete('/:id', (request, response) => {
    const { sub } = identityOf(response)
    const id = param(request, 'id')
    durably(() => {
      push.revoke(id, sub)
      journal.append('setup', { change: 'push_off', by: sub, id })
    })
    response.status(204).end()
  })
  router.post('/:id/test', async (request, response) => {
    response.json(await push.test(param(request, 'id'), identityOf(response).sub))
  })
  return router
}
