import { takeReply } from './auth.ts'
import { call } from './http.ts'

/** Reads the ways to sign in to this installation. Needs no sign-in. */
export const readWays = () => call('GET /api/auth/ways')

/** Signs in with the cookie that this browser may still have although the page has no stored sign-in. */
export async function resume(): Promise<void> {
  if (location.protocol !== 'https:') return
  const me = await call('GET /api/auth/me').catch(() => undefined)
  if (me?.signIn !== undefined) takeReply({ ...me, expiresIn: (me.signIn.endsAt - Date.now()) / 1_000 })
}

/** @throws ApiError `second_factor_required` if a code is missing; `invalid_credentials`, `too_many_requests`, `unreachable` */
export const signIn = async (given: { name?: string; password: string; code?: string }): Promise<void> =>
  takeReply(await call('POST /api/auth/login', { body: given }))
