import { navigate } from '../lib/location.tsx'
import { takeReply } from './auth.ts'
import { call } from './http.ts'

export const listInvitations = () => call('GET /api/people/invitations')
export const invite = (body: { role: string; name?: string }) => call('POST /api/people/invitations', { body })
/** @throws ApiError `not_found` if the invitation was already used */
export const withdrawInvitation = (id: string) => call('DELETE /api/people/invitations/:id', { params: { id } })

/** Reads the purpose of a link. @throws ApiError `not_found` if the link is unknown, used or expired */
export const readLink = (secret: string) => call('POST /api/auth/link', { body: { secret } })

/**
 * Uses a link and signs in. `name`: the name that the invited person takes.
 * @throws ApiError `not_found`, `conflict`, `invalid_request`, `second_factor_required`, `too_many_requests`
 */
export async function takeLink({
  name,
  ...given
}: {
  secret: string
  name?: string
  password: string
  code?: string
}): Promise<void> {
  const reply =
    name === undefined
      ? await call('POST /api/auth/reset', { body: given })
      : await call('POST /api/auth/join', { body: { ...given, name } })
  navigate('/', { replace: true })
  takeReply(reply)
}
