import type { LoginReply, WaysReply } from 'jarvis-backend/protocol'
import { takeReply } from './auth.ts'
import { call } from './http.ts'

/** What this installation signs in with, for somebody who is not signed in. */
export const readWays = () => call<WaysReply>('GET', '/api/auth/ways')

/** @throws ApiError `second_factor_required` where a code is missing; `invalid_credentials`, `too_many_requests`, `unreachable`. */
export const signIn = async (given: { name?: string; password: string; code?: string }): Promise<void> =>
  takeReply(await call<LoginReply>('POST', '/api/auth/login', given))
