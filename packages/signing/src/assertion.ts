import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'

/** The answer of an authenticator; each field is base64url. */
export type Assertion = { authenticatorData: string; clientDataJSON: string; signature: string }

/** The values that an assertion must match. `key`: SPKI in DER, base64url. `challenge`: base64url. */
export type Expected = { key: string; challenge: string; origin: string; rpId: string }

const userPresent = 0x01
const userVerified = 0x04
/** Length of the RP ID hash, the flags and the counter, bytes. */
const leastBytes = 37
const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
})

/**
 * Checks a WebAuthn assertion: type, challenge, origin, RP ID, user presence, user verification and signature. The counter is not checked, because a
 * stored assertion has an older counter than the newest one. @returns the reason why it is not valid; undefined if it is
 */
export function assertionProblem(assertion: Assertion, expected: Expected): string | undefined {
  const clientData = Buffer.from(assertion.clientDataJSON, 'base64url')
  const data = Buffer.from(assertion.authenticatorData, 'base64url')
  const said = clientDataOf(clientData)
  if (said === undefined) return 'What the browser signed cannot be read.'
  if (said.type !== 'webauthn.get') return 'It is no assertion.'
  if (said.challenge !== expected.challenge) return 'It was made for something else.'
  if (said.origin !== expected.origin || said.crossOrigin === true || said.topOrigin !== undefined)
    return `It was made at ${said.origin}.`
  if (data.length < leastBytes) return 'The authenticator’s data are cut off.'
  if (!data.subarray(0, 32).equals(sha256(expected.rpId))) return `It was not made for ${expected.rpId}.`
  const flags = data[32] ?? 0
  if ((flags & userPresent) === 0) return 'Nobody was present.'
  if ((flags & userVerified) === 0) return 'The authenticator did not ask who is there (PIN, fingerprint or face).'
  const signed = Buffer.concat([data, sha256(clientData)])
  return isSigned(signed, expected.key, assertion.signature) ? undefined : 'The signature does not fit.'
}

/** True if `signature` (base64url) over `bytes` was made with the key: ES256 (DER), EdDSA or RS256. */
export function isSigned(bytes: Uint8Array, spki: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64url'), format: 'der', type: 'spki' })
    const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return verify(digest, bytes, key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** Returns the number of uses that a device-bound authenticator has counted; 0 if it does not count. @param assertion bytes in base64url */
export const counterIn = ({ authenticatorData }: { authenticatorData: string }): number =>
  Buffer.from(authenticatorData, 'base64url').readUInt32BE(33)

/** True if the counter of a passkey did not rise, which shows a copied key. The counter of a synced passkey stays 0. */
export const isCopy = (counter: number, before: number): boolean => (counter > 0 || before > 0) && counter <= before

export const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

function clientDataOf(bytes: Buffer): z.infer<typeof ClientData> | undefined {
  try {
    return ClientData.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return undefined
  }
}
