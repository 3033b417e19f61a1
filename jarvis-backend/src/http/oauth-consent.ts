import { OAuthAsk, OAuthDecisionBody, OAuthDecisionReply, OAuthOpenBody, OAuthProblem } from 'protocol'
import { z } from 'zod'
import type { OAuthRequests } from '../auth/oauth-requests.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import type { StepUp } from '../auth/step-up.ts'
import { type Route, route } from './route.ts'

/**
 * `/api/oauth`, for operators: opens and decides sign-in requests of MCP clients. The routes require the operator's token, so a page of another site
 * cannot decide.
 */
export const oauthConsentRoutes = (parts: { requests: OAuthRequests; originOf: OriginOf; stepUp: StepUp }): Route[] => [
  route('/oauth/requests').post(
    'Opens an MCP client’s request to sign in, by the query of the consent page.',
    { role: 'operator', body: OAuthOpenBody, reply: z.union([OAuthAsk, OAuthProblem]) },
    ({ body, request }) => parts.requests.open(body.query, parts.originOf(request)),
  ),
  route('/oauth/requests/:id').post(
    'Allows or refuses an MCP client. Allowing needs the password.',
    { role: 'operator', password: 'sometimes', body: OAuthDecisionBody, reply: OAuthDecisionReply },
    ({ params, body, identity }) => {
      if (body.allow) parts.stepUp.require(identity)
      return { redirectTo: parts.requests.decide(params.id, body, identity) }
    },
  ),
]
