import { ApiError } from 'protocol/client'
import { navigate } from '../lib/location.tsx'
import { takeReply } from './auth.ts'
import { call } from './http.ts'

/**
 * Key in `sessionStorage` of the secret that proves that this tab began the sign-in. The secret is stored while the browser is at the other service.
 */
const kept = 'jarvis.elsewhere'

/** Opens the sign-in page of the other service, which later sends the browser back here. @throws ApiError if the server did not start the sign-in */
export async function goElsewhere(purpose: 'sign in' | 'link'): Promise<void> {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const page = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))))
  const route = purpose === 'link' ? 'POST /api/auth/accounts' : 'POST /api/auth/oidc'
  const { redirectTo } = await call(route, { body: { page } })
  sessionStorage.setItem(kept, secret)
  location.assign(redirectTo)
}

/** True if the other service has just sent the browser back. */
export const isBackFromElsewhere = (): boolean => new URLSearchParams(location.search).get('from') === 'elsewhere'

/** Takes the secret of the sign-in or link that this tab began. @throws ApiError */
function takeSecret(): string {
  const secret = sessionStorage.getItem(kept)
  sessionStorage.removeItem(kept)
  navigate(location.pathname + location.hash, { replace: true })
  if (secret === null) throw new ApiError('conflict', 'This page did not begin that. Try again here.')
  return secret
}

/** Finishes a sign-in. @throws ApiError `forbidden` if the account belongs to no person yet: it waits for an owner to admit it */
export const finishSignIn = async (): Promise<void> =>
  takeReply(await call('POST /api/auth/oidc/finish', { body: { secret: takeSecret() } }))
export const finishLink = async () => call('POST /api/auth/accounts/finish', { body: { secret: takeSecret() } })

export const listAccounts = () => call('GET /api/auth/accounts')
export const unlinkAccount = (id: string) => call('DELETE /api/auth/accounts/:id', { params: { id } })

/** Lists everybody's accounts at other services. For owners. */
export const listEveryAccount = () => call('GET /api/people/accounts')
export const admitAccount = (id: string, person: { name: string; role: string }) =>
  call('POST /api/people/accounts/:id/admit', { params: { id }, body: person })
export const refuseAccount = (id: string) => call('DELETE /api/people/accounts/:id', { params: { id } })

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '')
