import type { Invitation, InvitationReply, LinkReply, SignInReply } from 'protocol'
import { navigate } from '../lib/location.tsx'
import { takeReply } from './auth.ts'
import { call } from './http.ts'

export const listInvitations = () => call<{ items: Invitation[] }>('GET', '/api/people/invitations')
export const invite = (body: { role: string; name?: string }) =>
  call<InvitationReply>('POST', '/api/people/invitations', body)
/** @throws ApiError `not_found` if the invitation was already used */
export const withdrawInvitation = (id: string) => call('DELETE', `/api/people/invitations/${encodeURIComponent(id)}`)

/** Reads the purpose of a link. @throws ApiError `not_found` if the link is unknown, used or expired */
export const readLink = (secret: string) => call<LinkReply>('POST', '/api/auth/link', { secret })

/**
 * Uses a link and signs in. `name`: the name that the invited person takes.
 * @throws ApiError `not_found`, `conflict`, `invalid_request`, `second_factor_required`, `too_many_requests`
 */
export async function takeLink(given: {
  secret: string
  name?: string
  password: string
  code?: string
}): Promise<void> {
  const path = given.name === undefined ? '/api/auth/reset' : '/api/auth/join'
  const reply = await call<SignInReply>('POST', path, given)
  navigate('/', { replace: true })
  takeReply(reply)
}
