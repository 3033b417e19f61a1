import { createHmac } from 'node:crypto'
import { JarvisError } from 'protocol'
import { keepSecret, keptSecret } from '../lib/kept-secret.ts'
import { generatePassword, isSameSecret, type PasswordHasher } from './passwords.ts'

export interface Settings {
  get(key: string): string | undefined
  set(key: string, value: string): void
}

export type Password = {
  /** The password that this start made and that nobody has seen yet; undefined if this start made none. */
  made: string | undefined
  /** Stores the made password. Call it once the password can be shown. */
  keep(): void
  /** @param isKnown as in `PasswordHasher.check`. @throws JarvisError `too_many_requests` */
  is(given: string, isKnown: boolean): Promise<boolean>
  /**
   * Sets a password that passed the rules, and ends every token issued before. @param before runs directly before the password is set; if it throws,
   * nothing is set @throws JarvisError `invalid_request` if the configuration sets the password
   */
  change(next: string, before: () => void): Promise<void>
  /** Tokens issued before this time are invalid, Unix ms. */
  validFrom(): number
}

const file = 'password-hash'

/** The operator's password: the configured one, otherwise one that the first start makes and stores as a hash. */
export function createPassword(parts: {
  configured: string | undefined
  dataDir: string
  secret: string
  settings: Settings
  hasher: PasswordHasher
  now(): number
  report(error: unknown, message: string): void
}): Password {
  const { configured, dataDir, settings, hasher, now, report } = parts
  const endTokens = (issuedBefore: number) => settings.set('tokens_valid_from', String(issuedBefore))
  const validFrom = () => Number(settings.get('tokens_valid_from') ?? 0)

  if (configured !== undefined) {
    // A keyed digest tells if the configured password is a different one than at the last start. After a change of the JWT secret it cannot tell,
    // but that change ends every token anyway.
    const digest = (text: string) => createHmac('sha256', parts.secret).update(text).digest('hex')
    const [secret, mark] = [digest('secret'), digest(configured)]
    const [knownSecret, known] = settings.get('password_mark')?.split(' ') ?? []
    if (knownSecret === secret && known !== mark) endTokens(Math.floor(now() / 1000) * 1000)
    settings.set('password_mark', `${secret} ${mark}`)
    return {
      made: undefined,
      keep: () => {},
      // A configured password has no stored hash. A hash is computed all the same, because otherwise the time would reveal which name the password
      // belongs to.
      is: async (given, isKnown) => {
        await hasher.check(given, undefined, isKnown)
        return isSameSecret(given, configured)
      },
      change: async () => {
        throw new JarvisError('invalid_request', 'JARVIS_PASSWORD sets the password. Change it there and start again.')
      },
      validFrom,
    }
  }

  let hash = keptSecret(dataDir, file)
  const made = hash === undefined ? generatePassword() : undefined
  if (made !== undefined) hash = hasher.hashNow(made)

  /** Replaces a hash that was made with weaker parameters than today's. If that fails, the old hash stays and the sign-in goes on. */
  async function strengthen(given: string, weak: string) {
    try {
      const strong = await hasher.hash(given)
      // The password may have been changed meanwhile.
      if (hash !== weak) return
      keepSecret(dataDir, file, strong)
      hash = strong
    } catch (error) {
      report(error, 'The password is kept with its old hash, because the new one could not be written.')
    }
  }

  return {
    made,
    keep: () => {
      if (made !== undefined && hash !== undefined) keepSecret(dataDir, file, hash)
    },
    async is(given, isKnown) {
      const kept = hash
      const { isRight, isWeak } = await hasher.check(given, kept, isKnown)
      if (isRight && isWeak && kept !== undefined) await strengthen(given, kept)
      return isRight
    },
    async change(next, before) {
      const made = await hasher.hash(next)
      before()
      keepSecret(dataDir, file, made)
      hash = made
      // Issue times of tokens are rounded up to whole seconds. The added second makes sure that every token issued before is invalid.
      endTokens((Math.ceil(now() / 1000) + 1) * 1000)
    },
    validFrom,
  }
}
