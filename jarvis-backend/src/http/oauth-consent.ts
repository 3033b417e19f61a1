import { Router } from 'express'
import type { OAuthRequests } from '../auth/oauth-requests.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import type { StepUp } from '../auth/step-up.ts'
import { OAuthDecisionBody, type OAuthDecisionReply, OAuthOpenBody } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

/**
 * `/api/oauth`, for operators: opens and decides sign-in requests of MCP clients. The operator's token is required, so no foreign page can decide.
 */
export function oauthConsentRoutes(parts: { requests: OAuthRequests; originOf: OriginOf; stepUp: StepUp }): Router {
  const { requests, originOf, stepUp } = parts
  const router = Router()
  router.use(operatorOnly)
  router.post('/requests', async (request, response) => {
    response.json(await requests.open(read(OAuthOpenBody, request.body).query, originOf(request)))
  })
  router.post('/requests/:id', (request, response) => {
    const decision = read(OAuthDecisionBody, request.body)
    if (decision.allow) stepUp.require(identityOf(response))
    const redirectTo = requests.decide(param(request, 'id'), decision, identityOf(response))
    const reply: OAuthDecisionReply = { redirectTo }
    response.json(reply)
  })
  return router
}
