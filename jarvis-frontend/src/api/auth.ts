import type { LoginReply, Role } from 'jarvis-backend/protocol'
import { keep } from '../lib/keep.ts'
import { Value } from '../lib/value.ts'
import { call } from './http.ts'
import { passwordQuestion } from './step-up.ts'

export type SignedIn = { token: string; name: string; role: Role }

/** Reads the claims for display only; the server checks them. */
function read(token: string): SignedIn | undefined {
  try {
    const middle = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims = JSON.parse(atob(middle)) as { sub?: string; role?: Role; exp?: number }
    if ((claims.exp ?? 0) * 1_000 <= Date.now()) return undefined
    return { token, name: claims.sub ?? 'operator', role: claims.role === 'operator' ? 'operator' : 'viewer' }
  } catch {
    return undefined
  }
}

const kept = keep.get('token')
export const signedIn = new Value<SignedIn | undefined>(kept === undefined ? undefined : read(kept))

/** @throws ApiError `invalid_credentials`, `too_many_requests`, `unreachable`. */
export async function signIn(password: string): Promise<void> {
  const { token } = await call<LoginReply>('POST', '/api/auth/login', { password })
  takeToken(token)
}

/** Keeps a token in this browser and signs in with it. */
export function takeToken(token: string): void {
  keep.set('token', token)
  signedIn.set(read(token))
}

/** Forgets the token in this browser. Unsent text stays. */
export function forget(): void {
  keep.set('token', undefined)
  passwordQuestion.get()?.answer(false)
  signedIn.set(undefined)
}

export async function signOut(): Promise<void> {
  await call('POST', '/api/auth/logout').catch(() => undefined)
  forget()
}
