import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'jarvis_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Length of the random part, characters: 190 bits. */
const randomLength = 32
const checksumLength = 6

/** CRC-32 of the text in base 62, padded to six digits. */
function checksumOf(text: string): string {
  let left = crc32(text)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = alphabet.charAt(left % alphabet.length) + digits
    left = Math.floor(left / alphabet.length)
  }
  return digits
}

/** A new secret: prefix, random part, checksum. Secret scanners find it by the prefix; the checksum reveals a typo without a lookup. */
export function newSecret(): string {
  const random = Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
  return `${prefix}${random}${checksumOf(prefix + random)}`
}

/** True if the text has the prefix of JARVIS's secrets and a wrong checksum. Secrets of older releases have another prefix and no checksum. */
export function isMistyped(secret: string): boolean {
  if (!secret.startsWith(prefix)) return false
  const body = secret.slice(0, -checksumLength)
  return body.length !== prefix.length + randomLength || checksumOf(body) !== secret.slice(-checksumLength)
}

/** True if the bearer is a program's token of any kind, and not a person's JWT. */
export const isApiToken = (bearer: string): boolean => /^(?:jarvis|jmcp|jmat)_/.test(bearer)

/** The last characters of a secret, by which a person can tell it from others. */
export const hintOf = (secret: string): string => secret.slice(-4)
