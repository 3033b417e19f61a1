import type { ElsewhereReply, ForeignAccount, ForeignAccountsReply, Person, SignInReply } from 'protocol'
import { navigate } from '../lib/location.tsx'
import { takeReply } from './auth.ts'
import { ApiError, call } from './http.ts'

/**
 * Key in `sessionStorage` of the secret that proves that this tab began the sign-in. The secret is stored while the browser is at the other service.
 */
const kept = 'jarvis.elsewhere'

/** Opens the sign-in page of the other service, which later sends the browser back here. @throws ApiError if the server did not start the sign-in */
export async function goElsewhere(purpose: 'sign in' | 'link'): Promise<void> {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const page = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))))
  const path = purpose === 'link' ? '/api/auth/accounts' : '/api/auth/oidc'
  const { redirectTo } = await call<ElsewhereReply>('POST', path, { page })
  sessionStorage.setItem(kept, secret)
  location.assign(redirectTo)
}

/** True if the other service has just sent the browser back. */
export const isBackFromElsewhere = (): boolean => new URLSearchParams(location.search).get('from') === 'elsewhere'

/** Finishes the sign-in or link that this tab began. @throws ApiError */
async function finish<T>(path: string): Promise<T> {
  const secret = sessionStorage.getItem(kept)
  sessionStorage.removeItem(kept)
  navigate(location.pathname + location.hash, { replace: true })
  if (secret === null) throw new ApiError('conflict', 'This page did not begin that. Try again here.')
  return call<T>('POST', path, { secret })
}

/** Finishes a sign-in. @throws ApiError `forbidden` if the account belongs to no person yet: it waits for an owner to admit it */
export const finishSignIn = async (): Promise<void> => takeReply(await finish<SignInReply>('/api/auth/oidc/finish'))
export const finishLink = () => finish<ForeignAccount>('/api/auth/accounts/finish')

export const listAccounts = () => call<ForeignAccountsReply>('GET', '/api/auth/accounts')
export const unlinkAccount = (id: string) => call<void>('DELETE', `/api/auth/accounts/${encodeURIComponent(id)}`)

/** Lists everybody's accounts at other services. For owners. */
export const listEveryAccount = () => call<{ items: ForeignAccount[] }>('GET', '/api/people/accounts')
export const admitAccount = (id: string, person: { name: string; role: string }) =>
  call<Person>('POST', `/api/people/accounts/${encodeURIComponent(id)}/admit`, person)
export const refuseAccount = (id: string) => call<void>('DELETE', `/api/people/accounts/${encodeURIComponent(id)}`)

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '')
