import { Router } from 'express'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { StepUp } from '../auth/step-up.ts'
import { ApiTokenBody, type ApiTokenReply, JarvisError } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

export type TokenRouteParts = {
  tokens: ApiTokens
  /** Ends the open requests of a revoked token and withdraws its waiting cards. */
  revoked(name: string, by: string): void
  stepUp: StepUp
}

const dayMs = 24 * 60 * 60_000

/** Makes a token from a body. `expiresInDays` becomes its expiry. */
export function makeToken(
  tokens: ApiTokens,
  { expiresInDays, ...rights }: ReturnType<typeof ApiTokenBody.parse>,
  by: string,
): ApiTokenReply {
  const expiry = expiresInDays === undefined ? {} : { expiresInMs: expiresInDays * dayMs }
  const token = tokens.create({ ...rights, ...expiry }, by)
  const made = tokens.list().find(({ name }) => name === rights.name)
  if (made === undefined) throw new JarvisError('not_found', `${rights.name} was revoked as it was made.`)
  return { ...made, token }
}

/** `/api/tokens`, for operators: lists, makes and revokes tokens. A token's secret is shown once, when it is made. */
export function tokenRoutes({ tokens, revoked, stepUp }: TokenRouteParts): Router {
  const router = Router()
  router.use(operatorOnly)
  router.get('/', (_request, response) => {
    response.json({ items: tokens.list() })
  })
  router.post('/', passwordAgain(stepUp), (request, response) => {
    const reply: ApiTokenReply = makeToken(tokens, read(ApiTokenBody, request.body), identityOf(response).sub)
    response.status(201).json(reply)
  })
  router.delete('/:name', (request, response) => {
    const name = param(request, 'name')
    tokens.revoke(name, identityOf(response).sub)
    revoked(name, identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
