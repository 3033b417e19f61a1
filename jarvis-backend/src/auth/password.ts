import { createHmac } from 'node:crypto'
import { keepSecret, keptSecret } from '../lib/kept-secret.ts'
import { JarvisError } from '../protocol/index.ts'
import { generatePassword, hashPassword, isPassword, isSameSecret } from './passwords.ts'

export interface Settings {
  get(key: string): string | undefined
  set(key: string, value: string): void
}

export type Password = {
  /** The password that this start made, which nobody has seen yet; undefined otherwise. */
  made: string | undefined
  /** Stores the made password; call it once the password can be shown. */
  keep(): void
  is(given: string): Promise<boolean>
  /** Sets the password and ends every token issued before. @throws JarvisError `invalid_request` */
  change(next: string): void
  /** Tokens issued before this time are invalid, Unix ms. */
  validFrom(): number
}

const file = 'password-hash'
const shortest = 8

/** The operator's password: the configured one, else one that the first start makes and keeps as a hash. */
export function createPassword(parts: {
  configured: string | undefined
  dataDir: string
  secret: string
  settings: Settings
  now(): number
}): Password {
  const { configured, dataDir, settings, now } = parts
  const endTokens = (issuedBefore: number) => settings.set('tokens_valid_from', String(issuedBefore))
  const validFrom = () => Number(settings.get('tokens_valid_from') ?? 0)

  if (configured !== undefined) {
    // A keyed digest tells whether the configured password differs from the last start's. A changed JWT secret makes it useless, but that
    // change ends every token anyway.
    const digest = (text: string) => createHmac('sha256', parts.secret).update(text).digest('hex')
    const [secret, mark] = [digest('secret'), digest(configured)]
    const [knownSecret, known] = settings.get('password_mark')?.split(' ') ?? []
    if (knownSecret === secret && known !== mark) endTokens(Math.floor(now() / 1000) * 1000)
    settings.set('password_mark', `${secret} ${mark}`)
    return {
      made: undefined,
      keep: () => {},
      is: async (given) => isSameSecret(given, configured),
      change: () => {
        throw new JarvisError('invalid_request', 'JARVIS_PASSWORD sets the password. Change it there and start again.')
      },
      validFrom,
    }
  }

  let hash = keptSecret(dataDir, file)
  const made = hash === undefined ? generatePassword() : undefined
  if (made !== undefined) hash = hashPassword(made)
  return {
    made,
    keep: () => {
      if (made !== undefined && hash !== undefined) keepSecret(dataDir, file, hash)
    },
    is: async (given) => isPassword(given, hash ?? ''),
    change(next) {
      if (next.length < shortest) {
        throw new JarvisError('invalid_request', `A password has at least ${shortest} characters.`)
      }
      hash = hashPassword(next)
      keepSecret(dataDir, file, hash)
      // Tokens carry whole seconds, rounded up; the added second is past any token issued before.
      endTokens((Math.ceil(now() / 1000) + 1) * 1000)
    },
    validFrom,
  }
}
