import { createPublicKey, verify } from 'node:crypto'

const domain = 'jarvis-device-v1\0'

/**
 * Checks the signature of a browser's service worker: ECDSA on P-256 over the message with its domain prefix, r and s of 32 bytes each. @param
 * signature base64url @param expected `key`: SPKI in DER, base64url @returns the reason why it is not valid; undefined if it is
 */
export function deviceSignatureProblem(
  signature: string,
  expected: { key: string; message: string },
): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(expected.key, 'base64url'), format: 'der', type: 'spki' })
    const bytes = Buffer.from(domain + expected.message)
    if (verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
      return undefined
  } catch {
    // The key or the signature cannot be read.
  }
  return 'The signature does not fit.'
}

/** True if `deviceSignatureProblem` can check the key: P-256. @param spki DER in base64url */
export function isDeviceKey(spki: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64url'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}
