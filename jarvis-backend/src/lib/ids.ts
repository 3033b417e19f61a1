import { randomFillSync } from 'node:crypto'

const digits = '0123456789abcdefghijklmnopqrstuv'
const randomDigits = 26
/** Filled for many ids at once: asking for a few bytes costs more than using them. */
const pool = new Uint8Array(randomDigits * 64)
let used = pool.length

/**
 * `prefix`, the time and 130 random bits: not to be guessed, 38 characters at most with a three-letter prefix. Ids of
 * one time lie together in an index.
 */
export function newId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let random = ''
  for (const end = used + randomDigits; used < end; used += 1) random += digits.charAt((pool[used] ?? 0) & 31)
  return `${prefix}_${Date.now().toString(36)}${random}`
}
