import type { Request } from 'express'
import { JarvisError, type PasskeyAssertion, type Person } from 'protocol'
import type { Passkeys } from '../access/passkeys.ts'
import type { ClientAddressOf } from '../auth/client-address.ts'
import type { Budget, LoginGuard } from '../auth/login.ts'
import type { PersonPasswords } from '../auth/person-passwords.ts'
import type { Proved, SecondFactors } from '../auth/second-factor.ts'

/** An event of a sign-in for the journal. `client`: the browser's user agent, not verified. `method`: the way in which the person signed in. */
export type SignInEvent = {
  what: 'signed_in' | 'refused' | 'signed_out' | 'password_changed' | 'stepped_up' | 'step_up_refused'
  by: string
  address: string
  client: string
  method?: string
  /** True if the person had not signed in on this device before. */
  isNewDevice?: true
}

/** Journals sign-ins with the address and the browser of their request. */
export class SignInLog {
  readonly #addressOf: ClientAddressOf
  readonly #record: (event: SignInEvent) => void

  constructor(addressOf: ClientAddressOf, record: (event: SignInEvent) => void) {
    this.#addressOf = addressOf
    this.#record = record
  }

  /** The address and the browser of a request. */
  from(request: Request): { address: string; client: string } {
    return {
      address: this.#addressOf(request).address,
      client: (request.headers['user-agent'] ?? '').slice(0, 200),
    }
  }

  note(request: Request, { what, by, ...more }: Omit<SignInEvent, 'address' | 'client'>): void {
    this.#record({ what, by, ...this.from(request), ...more })
  }

  /** Returns a function that journals a refusal and returns `message`. */
  refusal(request: Request, refused: Pick<SignInEvent, 'what' | 'by'>, message: string): Refusal {
    return (method) => {
      this.note(request, { ...refused, method })
      return message
    }
  }
}

/** Journals a refusal. @param method the proof that was wrong; absent: the password @returns the message for the caller */
export type Refusal = (method?: string) => string

/** A password, and the code of the second factor, as a caller sent them. */
export type PasswordTry = {
  /** The person with the given name; undefined if nobody has the name. */
  person: Person | undefined
  password: string
  code: string | undefined
  /** Counts of wrong passwords. */
  budgets: Budget[]
  /** True if the device or the token is known. The attempt is then counted separately from those of strangers. */
  isKnown: boolean
  refused: Refusal
}

/** Checks the proofs of a caller who signs in or steps up, and counts wrong ones. */
export class SignInChecks {
  readonly #guard: LoginGuard
  readonly #passwords: Pick<PersonPasswords, 'changes' | 'is'>
  readonly #factors: Pick<SecondFactors, 'check' | 'unlock'>
  readonly #passkeys: Pick<Passkeys, 'prove'>

  constructor(parts: {
    guard: LoginGuard
    passwords: Pick<PersonPasswords, 'changes' | 'is'>
    factors: Pick<SecondFactors, 'check' | 'unlock'>
    passkeys: Pick<Passkeys, 'prove'>
  }) {
    this.#guard = parts.guard
    this.#passwords = parts.passwords
    this.#factors = parts.factors
    this.#passkeys = parts.passkeys
  }

  /**
   * Checks a password and the code of the second factor. If the password changes during the check, it counts as wrong. @returns the second factor
   * that was used; undefined if there is none @throws JarvisError `too_many_requests`, `invalid_credentials`, `second_factor_required`
   */
  async password({ person, password, code, budgets, isKnown, refused }: PasswordTry): Promise<Proved | undefined> {
    const succeeded = this.#guard.enter(budgets)
    const before = person && this.#passwords.changes(person.id)
    const isRight = await this.#passwords.is(person?.id, password, isKnown)
    if (!isRight || person === undefined || person.disabledAt !== undefined) {
      throw new JarvisError('invalid_credentials', refused())
    }
    let proved: Proved | undefined
    try {
      proved = await this.#factors.check(person.id, code, isKnown)
    } catch (error) {
      if (error instanceof JarvisError && error.code === 'second_factor_required') succeeded(false)
      else refused('code')
      throw error
    }
    if (this.#passwords.changes(person.id) !== before) throw new JarvisError('invalid_credentials', refused())
    succeeded()
    return proved
  }

  /**
   * Checks a passkey, and counts a wrong one. @returns the id of its person @throws the errors of `Passkeys.prove`, and JarvisError
   * `too_many_requests`
   */
  async passkey(given: PasskeyAssertion, budgets: Budget[], refused: Refusal): Promise<string> {
    const succeeded = this.#guard.enter(budgets)
    try {
      const person = await this.#passkeys.prove(given)
      succeeded()
      this.#factors.unlock(person)
      return person
    } catch (error) {
      refused()
      throw error
    }
  }
}
