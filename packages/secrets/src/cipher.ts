import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
export const keyBytes = 32

/** Thrown if secrets cannot be opened or sealed. `message`: one line that says what to do. */
export class SecretsRefused extends Error {}

/** Encrypts with AES-256-GCM and a random IV. @param about additional data that is authenticated @returns IV, ciphertext and tag as base64url */
export function encrypt(key: Buffer, about: string, plain: Buffer): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(about))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** @returns undefined if the key or `about` differs, or if a byte was changed */
export function decrypt(key: Buffer, about: string, sealed: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}
