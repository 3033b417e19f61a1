import type { Passkey } from 'protocol'
import { askPasskey, createPasskey } from '../lib/passkeys.ts'
import { takeReply } from './auth.ts'
import { call } from './http.ts'

export const listPasskeys = () => call('GET /api/passkeys')
export const renamePasskey = (id: string, name: string) =>
  call('PATCH /api/passkeys/:id', { params: { id }, body: { name } })
export const removePasskey = (id: string) => call('DELETE /api/passkeys/:id', { params: { id } })

/** Lists another person's passkeys. For owners. */
export const listPasskeysOf = (id: string) => call('GET /api/people/:id/passkeys', { params: { id } })
/** Removes another person's passkey. For owners. @throws ApiError `not_found` if the passkey does not exist */
export const removePasskeyOf = (id: string, passkey: string) =>
  call('DELETE /api/people/:id/passkeys/:passkey', { params: { id, passkey } })

/**
 * Creates and enrols a passkey. If the person has other passkeys, one of them must countersign the new one. @throws ApiError, Error if the person
 * declined
 */
export async function register(name: string): Promise<Passkey> {
  const options = await call('POST /api/passkeys/options')
  const response = await createPasskey(options)
  const { passkey, countersign } = await call('POST /api/passkeys', { body: { name, response } })
  if (passkey !== undefined) return passkey
  if (countersign === undefined) throw new Error('The server’s answer names neither a passkey nor what to sign.')
  return call('POST /api/passkeys/countersign', { body: { response: await askPasskey(countersign) } })
}

const proof = async (isOffered?: boolean) => askPasskey(await call('POST /api/auth/passkey/options'), isOffered)

/**
 * Signs in with a passkey. @param isOffered as in `askPasskey`. @throws ApiError `invalid_credentials`, `conflict` if passkeys do not work at this
 * address
 */
export async function signInWithPasskey(isOffered?: boolean): Promise<void> {
  const response = await proof(isOffered)
  takeReply(await call('POST /api/auth/passkey', { body: { response } }))
}

/** Does the same as `stepUp`, with a passkey in place of the password. */
export const stepUpWithPasskey = async () => call('POST /api/auth/step-up', { body: { passkey: await proof() } })
