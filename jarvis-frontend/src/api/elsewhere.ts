import type { ElsewhereReply, ForeignAccount, ForeignAccountsReply, Person, SignInReply } from 'protocol'
import { navigate } from '../lib/location.tsx'
import { takeReply } from './auth.ts'
import { ApiError, call } from './http.ts'

/** In the tab alone, while the browser is away. */
const kept = 'jarvis.elsewhere'

/** Leaves for the other service, which sends the browser back here. @throws ApiError; nothing was begun then */
export async function goElsewhere(purpose: 'sign in' | 'link'): Promise<void> {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const page = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))))
  const path = purpose === 'link' ? '/api/auth/accounts' : '/api/auth/oidc'
  const { redirectTo } = await call<ElsewhereReply>('POST', path, { page })
  sessionStorage.setItem(kept, secret)
  location.assign(redirectTo)
}

/** True if the browser is back from there. */
export const isBackFromElsewhere = (): boolean => new URLSearchParams(location.search).get('from') === 'elsewhere'

/** Ends what this tab began. @throws ApiError */
async function finish<T>(path: string): Promise<T> {
  const secret = sessionStorage.getItem(kept)
  sessionStorage.removeItem(kept)
  navigate(location.pathname + location.hash, { replace: true })
  if (secret === null) throw new ApiError('conflict', 'This page did not begin that. Try again here.')
  return call<T>('POST', path, { secret })
}

/** @throws ApiError `forbidden` where the account is nobody's: it waits for an owner */
export const finishSignIn = async (): Promise<void> => takeReply(await finish<SignInReply>('/api/auth/oidc/finish'))
export const finishLink = () => finish<ForeignAccount>('/api/auth/accounts/finish')

export const listAccounts = () => call<ForeignAccountsReply>('GET', '/api/auth/accounts')
export const unlinkAccount = (id: string) => call<void>('DELETE', `/api/auth/accounts/${encodeURIComponent(id)}`)

/** Everybody's, for owners. */
export const listEveryAccount = () => call<{ items: ForeignAccount[] }>('GET', '/api/people/accounts')
export const admitAccount = (id: string, person: { name: string; role: string }) =>
  call<Person>('POST', `/api/people/accounts/${encodeURIComponent(id)}/admit`, person)
export const refuseAccount = (id: string) => call<void>('DELETE', `/api/people/accounts/${encodeURIComponent(id)}`)

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '')
