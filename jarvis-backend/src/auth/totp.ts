import { createHmac, timingSafeEqual } from 'node:crypto'

/** The parameters that every authenticator app supports (RFC 6238): HMAC-SHA1, six digits, steps of 30 s. */
const digits = 6
const stepMs = 30_000
export const seedBytes = 20

/** The number of the 30-second step that contains a time. @param at Unix ms */
export const stepAt = (at: number): number => Math.floor(at / stepMs)

/** The code of a step (RFC 4226, HOTP). @param length digits, at most 8 */
export function codeOf(seed: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** length).padStart(length, '0')
}

/**
 * The step to which the code belongs: the present one, or the one before or after, because clocks differ; undefined if it belongs to none. All three
 * are compared, in constant time.
 */
export function stepOf(seed: Buffer, code: string, at: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  let found: number | undefined
  for (const step of [stepAt(at) - 1, stepAt(at), stepAt(at) + 1])
    if (timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(seed, step)))) found = step
  return found
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 of RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) text += alphabet.charAt((held >>> (bits - 5)) & 31)
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet.charAt((held << (5 - bits)) & 31)
}

/** The address that an app reads from a QR code. @param account the account's name in the app */
export const otpauthUri = (seed: Buffer, account: string): string =>
  `otpauth://totp/${encodeURIComponent(`JARVIS:${account}`)}?secret=${base32(seed)}&issuer=JARVIS`
