import { JarvisError } from 'protocol'
import type { Identity } from './tokens.ts'

/** Time for which a password elevates a token, ms. */
export const elevationMs = 5 * 60_000

/**
 * Step-up authentication: some actions need the password again besides the token. An elevation belongs to one token, is valid at every
 * door, and is kept in memory, so a restart ends it.
 */
export class StepUp {
  readonly #now: () => number
  readonly #elevated = new Map<string, { until: number; person: string }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Elevates the token. Call it after the password was checked. */
  elevate({ tokenHash, person }: Identity): void {
    for (const [hash, { until }] of this.#elevated) if (until <= this.#now()) this.#elevated.delete(hash)
    this.#elevated.set(tokenHash, { until: this.#now() + elevationMs, person: person.id })
  }

  /** @throws JarvisError `step_up_required` unless the password was given for this token in the last five minutes */
  require({ tokenHash }: Identity): void {
    if ((this.#elevated.get(tokenHash)?.until ?? 0) > this.#now()) return
    throw new JarvisError('step_up_required', 'This needs the password again. Nothing was changed.')
  }

  /** Ends a token's elevation. */
  end({ tokenHash }: Identity): void {
    this.#elevated.delete(tokenHash)
  }

  /** Ends all elevations. */
  endAll(): void {
    this.#elevated.clear()
  }

  /** Ends all elevations of a person. */
  endOf(id: string): void {
    for (const [hash, { person }] of this.#elevated) if (person === id) this.#elevated.delete(hash)
  }
}
