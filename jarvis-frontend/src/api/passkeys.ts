import type { Passkey, PasskeyReply, PasskeysReply, SignInReply, StepUpReply, WebAuthnOptions } from 'protocol'
import { askPasskey, createPasskey } from '../lib/passkeys.ts'
import { takeReply } from './auth.ts'
import { call } from './http.ts'

export const listPasskeys = () => call<PasskeysReply>('GET', '/api/passkeys')
export const renamePasskey = (id: string, name: string) => call<void>('PATCH', `/api/passkeys/${id}`, { name })
export const removePasskey = (id: string) => call<void>('DELETE', `/api/passkeys/${id}`)

const ofPerson = (id: string) => `/api/people/${encodeURIComponent(id)}/passkeys`
/** Lists another person's passkeys. For owners. */
export const listPasskeysOf = (id: string) => call<{ items: Passkey[] }>('GET', ofPerson(id))
/** Removes another person's passkey. For owners. @throws ApiError `not_found` if the passkey does not exist */
export const removePasskeyOf = (id: string, passkey: string) => call<void>('DELETE', `${ofPerson(id)}/${passkey}`)

/**
 * Creates and enrols a passkey. If the person has other passkeys, one of them must countersign the new one. @throws ApiError, Error if the person
 * declined
 */
export async function register(name: string): Promise<Passkey> {
  const options = await call<WebAuthnOptions>('POST', '/api/passkeys/options')
  const response = await createPasskey(options)
  const { passkey, countersign } = await call<PasskeyReply>('POST', '/api/passkeys', { name, response })
  if (passkey !== undefined) return passkey
  if (countersign === undefined) throw new Error('The server’s answer names neither a passkey nor what to sign.')
  return call<Passkey>('POST', '/api/passkeys/countersign', { response: await askPasskey(countersign) })
}

const proof = async (isOffered?: boolean) =>
  askPasskey(await call<WebAuthnOptions>('POST', '/api/auth/passkey/options'), isOffered)

/**
 * Signs in with a passkey. @param isOffered as in `askPasskey`. @throws ApiError `invalid_credentials`, `conflict` if passkeys do not work at this
 * address
 */
export async function signInWithPasskey(isOffered?: boolean): Promise<void> {
  const response = await proof(isOffered)
  takeReply(await call<SignInReply>('POST', '/api/auth/passkey', { response }))
}

/** Does the same as `stepUp`, with a passkey in place of the password. */
export const stepUpWithPasskey = async () => call<StepUpReply>('POST', '/api/auth/step-up', { passkey: await proof() })
