import { randomFillSync } from 'node:crypto'

const digits = '0123456789abcdefghijklmnopqrstuv'
const randomDigits = 26
/** Random bytes for many ids, fetched at once, because each request for random bytes is slow. */
const pool = new Uint8Array(randomDigits * 64)
let used = pool.length

/**
 * Makes an id of `prefix`, the time and 130 random bits. It cannot be guessed. It has at most 38 characters with a three-letter prefix. Ids made at
 * about the same time are close together in an index.
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
