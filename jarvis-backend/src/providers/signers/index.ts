import { awsKey } from './aws.ts'
import { googleKey } from './google.ts'
import type { KeyForm, Signer, UnsignedRequest } from './signer.ts'

export type { Signer, UnsignedRequest } from './signer.ts'

/** The forms of keys that are not sent. A new form is added here. */
const forms: readonly KeyForm[] = [awsKey, googleKey]
const formOf = (key: string | undefined) => (key === undefined ? undefined : forms.find((form) => form.fits(key)))

/** Returns the signer of a key; undefined for a key that is sent as it is. */
export const signerOf = (key: string | undefined): Signer | undefined =>
  key === undefined ? undefined : formOf(key)?.signer(key)

/** True for a key that is sent to its server as it is. */
export const isSent = (key: string | undefined): key is string => key !== undefined && formOf(key) === undefined

/** Returns why a key cannot be used at an address, without quoting the key; undefined: it can. */
export function keyFault(key: string, baseUrl: string | undefined): string | undefined {
  const form = formOf(key)
  if (form !== undefined) return form.fault(key, baseUrl)
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'The key must be the key alone, without spaces.'
}

/** Returns the part of a key that is no secret and tells which key it is, such as an account's name; undefined: it has none. */
export const keyNameOf = (key: string): string | undefined => formOf(key)?.nameOf(key)

/** Returns the headers of a request with the signer's in place of those that would carry the key. @throws as `Signer.headers` */
export async function signedHeaders(signer: Signer, request: UnsignedRequest): Promise<Record<string, string>> {
  const { authorization: _bearer, 'x-api-key': _key, ...rest } = request.headers
  return { ...rest, ...(await signer.headers(request)) }
}

/** Returns a key and its parts, none of which may be shown. @param signer of the key, if it is open: its tokens count too */
export const secretsOfKey = (key: string | undefined, signer = signerOf(key)): string[] =>
  key === undefined ? [] : [key, ...(signer?.secrets() ?? [])]
