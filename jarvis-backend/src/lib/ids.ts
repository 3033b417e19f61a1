import { randomFillSync } from 'node:crypto'

const digits = '0123456789abcdefghijklmnopqrstuv'
const randomDigits = 26
/** Random bytes for many ids at once, because a request for few bytes costs more than their use. */
const pool = new Uint8Array(randomDigits * 64)
let used = pool.length

/**
 * Makes an id: `prefix`, the time and 130 random bits. It cannot be guessed, has at most 38 characters with a three-letter prefix, and
 * ids of one time are close together in an index.
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
