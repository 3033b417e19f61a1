import { Router } from 'express'
import type { OAuthRequests } from '../auth/oauth-requests.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import { OAuthDecisionBody, type OAuthDecisionReply, OAuthOpenBody } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

/** `/api/oauth`: what the consent page asks and answers. The operator's own token goes with it, so no other page can. */
export function oauthConsentRoutes({ requests, originOf }: { requests: OAuthRequests; originOf: OriginOf }): Router {
  const router = Router()
  router.use(operatorOnly)
  router.post('/requests', async (request, response) => {
    response.json(await requests.open(read(OAuthOpenBody, request.body).query, originOf(request)))
  })
  router.post('/requests/:id', (request, response) => {
    const redirectTo = requests.decide(
      param(request, 'id'),
      read(OAuthDecisionBody, request.body),
      identityOf(response),
    )
    const reply: OAuthDecisionReply = { redirectTo }
    response.json(reply)
  })
  return router
}
