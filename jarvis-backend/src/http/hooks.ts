import { json, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { HookKey } from '../auth/hook-key.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal, Transactions } from '../calls/ports.ts'
import { JarvisError } from '../protocol/index.ts'
import type { Watch } from '../watch/watch.ts'
import { identityOf, operatorOnly, passwordAgain } from './handle.ts'

/** `/api/hooks`, for operators: makes the webhook's key, shown once, and takes it back. */
export function hookRoutes(parts: {
  hook: HookKey
  journal: Journal
  transactions: Pick<Transactions, 'durably'>
  stepUp: StepUp
}): Router {
  const { hook, journal, transactions } = parts
  const router = Router()
  router.use(operatorOnly)
  router.get('/', (_request, response) => {
    response.json({ pve: hook.state() })
  })
  router.post('/', passwordAgain(parts.stepUp), (_request, response) => {
    const key = transactions.durably(() => {
      const made = hook.make()
      journal.append('token', { change: 'created', name: 'webhook of Proxmox', by: identityOf(response).sub })
      return made
    })
    response.status(201).json({ pve: hook.state(), key })
  })
  router.delete('/', (_request, response) => {
    transactions.durably(() => {
      if (!hook.remove()) throw new JarvisError('not_found', 'There is no key for the webhook.')
      journal.append('token', { change: 'revoked', name: 'webhook of Proxmox', by: identityOf(response).sub })
    })
    response.status(204).end()
  })
  return router
}

/** What Proxmox's template may send; anything else in the body is ignored. */
const Hint = z.object({ type: z.string().max(100).optional().catch(undefined) })

/** `POST /api/hooks/pve`, with the webhook's own key: a hint to look. What it says is never taken for true. */
export function hookDoor({ hook, watch }: { hook: HookKey; watch: Pick<Watch, 'hint'> }): Router {
  const router = Router()
  const withKey: RequestHandler = (request, _response, next) => {
    const [, secret] = /^Bearer (\S{1,200})$/.exec(request.headers.authorization ?? '') ?? []
    if (secret === undefined || !hook.verify(secret))
      throw new JarvisError('unauthorized', 'This key of the webhook is not known.')
    next()
  }
  router.post('/pve', withKey, json({ limit: '64kb', type: () => true }), (request, response) => {
    const hint = Hint.safeParse(request.body)
    watch.hint(hint.success ? hint.data.type : undefined)
    response.status(202).json({ ok: true })
  })
  return router
}
