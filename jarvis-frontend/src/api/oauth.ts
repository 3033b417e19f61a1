import type { OAuthAsk, OAuthDecisionReply, OAuthProblem } from 'protocol'
import { call } from './http.ts'

/** Opens the request of an OAuth client. @param query the query of this page's address */
export const openAccessRequest = (query: string) =>
  call<OAuthAsk | OAuthProblem>('POST', '/api/oauth/requests', { query })

/** Answers the client. @returns the address that the browser opens next */
export const decideAccessRequest = (id: string, decision: { allow: boolean; isReadOnly: boolean }) =>
  call<OAuthDecisionReply>('POST', `/api/oauth/requests/${encodeURIComponent(id)}`, decision)
