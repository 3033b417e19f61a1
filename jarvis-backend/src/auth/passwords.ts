import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash, hashSync, verify } from '@node-rs/argon2'
import { JarvisError } from 'protocol'

/** Parameters of argon2id: memory in KiB, passes over it, lanes. */
export type HashStrength = { memoryKib: number; passes: number; lanes: number }
/** The least parameters that OWASP's Password Storage Cheat Sheet recommends for argon2id. */
export const standingStrength: HashStrength = { memoryKib: 19 * 1024, passes: 2, lanes: 1 }

/** Hashes that run at one time. Each takes its memory and a thread of the pool that file access uses too. */
const mostAtOnce = 2
/** While this many tries wait, further tries of strangers are refused, so that a flood of them does not use up memory and time. */
const mostWaiting = 32

export type PasswordHasher = {
  /** Makes a PHC string, which names algorithm and parameters: `$argon2id$v=19$m=…,t=…,p=…$salt$key`. */
  hash(password: string): Promise<string>
  /** As `hash`, but blocking. Only for a start, before anything is served. */
  hashNow(password: string): string
  /**
   * Checks a password in constant time. If `kept` is undefined (no person has that name), it takes as long and the password is wrong. `isWeak`: the
   * hash was made with weaker parameters than today's, so make a new one while the password is at hand.
   * @param isKnown the caller signed in before; it goes ahead of strangers and is never refused
   * @throws JarvisError `too_many_requests` if too many strangers wait
   */
  check(password: string, kept: string | undefined, isKnown?: boolean): Promise<{ isRight: boolean; isWeak: boolean }>
}

/** Hashes passwords off the event loop, two at a time. */
export function createPasswordHasher(strength: HashStrength = standingStrength): PasswordHasher {
  const options = { memoryCost: strength.memoryKib, timeCost: strength.passes, parallelism: strength.lanes }
  const turns = createTurns()
  // A hash that is checked for unknown names. Its key is random and belongs to no password.
  const [salt, key] = [16, 32].map((size) => randomBytes(size).toString('base64').replaceAll('=', ''))
  const nobody = `$argon2id$v=19$m=${strength.memoryKib},t=${strength.passes},p=${strength.lanes}$${salt}$${key}`
  return {
    hash: (password) => turns.take(true, () => hash(password, options)),
    hashNow: (password) => hashSync(password, options),
    check: (password, kept = nobody, isKnown = false) =>
      turns.take(isKnown, async () => ({
        isRight: kept.startsWith('scrypt$') ? await isScrypt(password, kept) : await verify(kept, password),
        isWeak: isWeaker(kept, strength),
      })),
  }
}

/** Runs queued work. At most `mostAtOnce` pieces run at the same time. */
function createTurns() {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    /** @param isAhead true: goes before all waiting work that is not ahead */
    async take<T>(isAhead: boolean, work: () => Promise<T>): Promise<T> {
      if (running >= mostAtOnce) {
        if (!isAhead && waiting.length >= mostWaiting) {
          throw new JarvisError('too_many_requests', 'Too many people sign in at once. Try again in 2 s.', {
            retryAfterS: 2,
          })
        }
        // The turn is handed to the next in line, so that nobody else takes it in between.
        await new Promise<void>((go) => (isAhead ? waiting.unshift(go) : waiting.push(go)))
      } else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}

/** True if a hash was made with weaker parameters than `strength`. Every hash of an older release was. */
function isWeaker(kept: string, { memoryKib, passes }: HashStrength): boolean {
  const [, m, t] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(kept) ?? []
  return m === undefined || Number(m) < memoryKib || Number(t) < passes
}

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number }, Buffer>(scrypt)

/** Checks against `scrypt$salt$key`, the form of older releases. It does not name its parameters, which were Node's defaults. */
async function isScrypt(password: string, kept: string): Promise<boolean> {
  const [, salt = '', key = ''] = kept.split('$')
  const expected = Buffer.from(key, 'base64url')
  const actual = await derive(password, Buffer.from(salt, 'base64url'), 32, { N: 2 ** 14, r: 8, p: 1 })
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
