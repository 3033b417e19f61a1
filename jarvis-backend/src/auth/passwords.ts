import { createHash, randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const keyBytes = 32
const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** Makes `scrypt$salt$key`, both base64url. Blocks the process for about 50 ms. */
export function hashPassword(password: string): string {
  const salt = randomBytes(16)
  return `scrypt$${salt.toString('base64url')}$${scryptSync(password, salt, keyBytes).toString('base64url')}`
}

/** Checks a password against a hash in constant time. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, salt = '', key = ''] = hash.split('$')
  const expected = Buffer.from(key, 'base64url')
  const actual = await derive(password, Buffer.from(salt, 'base64url'), keyBytes)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** Compares with a secret from the configuration in constant time. */
export const isSameSecret = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret))

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Makes a password of four groups of five characters without look-alikes: about 98 bits, and it can be typed on a phone. */
export function generatePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const letters: string[] = []
  // Bytes beyond the last whole multiple of the alphabet's length are dropped, so that all characters are equally likely.
  const bound = 256 - (256 % alphabet.length)
  while (letters.length < 20) {
    for (const byte of randomBytes(32))
      if (byte < bound && letters.length < 20) letters.push(alphabet.charAt(byte % alphabet.length))
  }
  return letters.join('').replace(/(.{5})(?=.)/g, '$1-')
}
