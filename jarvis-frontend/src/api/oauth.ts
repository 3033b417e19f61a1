import type { OAuthAsk, OAuthDecisionReply, OAuthProblem } from 'protocol'
import { call } from './http.ts'

/** Submits the authorization request of an OAuth client. @param query the query of this page's URL */
export const openAccessRequest = (query: string) =>
  call<OAuthAsk | OAuthProblem>('POST', '/api/oauth/requests', { query })

/** Allows or refuses the OAuth client's request. @returns the URL that the browser opens next */
export const decideAccessRequest = (id: string, decision: { allow: boolean; isReadOnly: boolean }) =>
  call<OAuthDecisionReply>('POST', `/api/oauth/requests/${encodeURIComponent(id)}`, decision)
