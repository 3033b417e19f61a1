import type { OAuthAsk, OAuthDecisionReply, OAuthProblem } from 'jarvis-backend/protocol'
import { call } from './http.ts'

/** What the client that sent the browser here asks for. `query`: of this page's address. */
export const openAccessRequest = (query: string) =>
  call<OAuthAsk | OAuthProblem>('POST', '/api/oauth/requests', { query })

/** @returns where the browser goes now. */
export const decideAccessRequest = (id: string, decision: { allow: boolean; isReadOnly: boolean }) =>
  call<OAuthDecisionReply>('POST', `/api/oauth/requests/${encodeURIComponent(id)}`, decision)
