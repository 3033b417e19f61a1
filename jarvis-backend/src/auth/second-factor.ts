import { randomBytes } from 'node:crypto'
import { type Factors, JarvisError, type SecondFactorOffer } from 'protocol'
import type { PasswordHasher } from './passwords.ts'
import { makeRecoveryCodes, readRecoveryCode, recoveryText } from './recovery-codes.ts'
import { base32, otpauthUri, seedBytes, stepOf } from './totp.ts'

/** Wrong codes in a row after which the app's codes are locked. */
const mostFailures = 8
/** Time that a seed waits for its first code, ms. */
const offeredForMs = 15 * 60_000

/** `seed`: sealed. `lastStep`: the step of the newest accepted code; codes of earlier steps are refused. `failures`: wrong codes in a row. */
export type StoredSecondFactor = { seed: string; lastStep: number; failures: number }

/** Each person's seed for codes, and the hashes of the recovery codes by number. */
export interface SecondFactorStore {
  get(person: string): StoredSecondFactor | undefined
  /** Stores a person's seed and the step of its newest accepted code, in place of an earlier seed. */
  set(person: string, seed: string, lastStep: number): void
  /** Notes that a code of this step was accepted, and forgets earlier wrong codes. */
  used(person: string, step: number): void
  failed(person: string): void
  unlock(person: string): void
  /** Removes the seed and the recovery codes. @returns false if there was no seed */
  remove(person: string): boolean
  setCodes(person: string, codes: readonly { number: number; hash: string }[]): void
  code(person: string, number: number): string | undefined
  codesLeft(person: string): number
  /** @returns false if the code was used before */
  useCode(person: string, number: number, hash: string): boolean
}

/** Seals the seeds. `open` throws if the key of a sealed text is not available. */
type Box = { seal(place: string, text: string): string; open(place: string, sealed: string): string }

/** A change of somebody's second factor, for the journal. */
export type SecondFactorChange = {
  change:
    | 'second_factor_added'
    | 'second_factor_removed'
    | 'second_factor_locked'
    | 'recovery_codes_made'
    | 'recovery_code_used'
  person: string
  by: string
}

type Kept = {
  store: SecondFactorStore
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: SecondFactorChange): void
}

/** The place under which a person's seed is sealed. `secrets/sealed-rows.ts` finds the seed by the same place. */
const seedPlace = (person: string): string => `people/${person}/totp`

/** The kind of second factor that was used together with the password. */
export type Proved = 'code' | 'recovery_code'

/** Removes a person's second factor and recovery codes. @returns false if there was none */
export const removeSecondFactor = ({ store, durably, record }: Kept, person: string, by: string): boolean =>
  durably(() => {
    const isGone = store.remove(person)
    if (isGone) record({ change: 'second_factor_removed', person, by })
    return isGone
  })

type Parts = Kept & {
  box: Box
  hasher: Pick<PasswordHasher, 'hash' | 'check'>
  now(): number
  report(error: unknown, message: string): void
}

/** Stores and checks the codes of authenticator apps, and recovery codes. */
export class SecondFactors {
  readonly #parts: Parts
  /** Seeds that wait for their first code, by person. */
  readonly #offered = new Map<string, { seed: Buffer; until: number }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  stateOf(person: string): Pick<Factors, 'totp' | 'totpLocked' | 'recoveryCodesLeft'> {
    const kept = this.#parts.store.get(person)
    if (kept === undefined) return { totp: false, recoveryCodesLeft: 0 }
    const isLocked = kept.failures >= mostFailures
    return {
      totp: true,
      ...(isLocked && { totpLocked: true as const }),
      recoveryCodesLeft: this.#parts.store.codesLeft(person),
    }
  }

  /** Offers a new seed, which waits in memory for its first code. @param label the name of the account in the app */
  offer(person: string, label: string): SecondFactorOffer {
    for (const [who, { until }] of this.#offered) if (until <= this.#parts.now()) this.#offered.delete(who)
    const seed = randomBytes(seedBytes)
    this.#offered.set(person, { seed, until: this.#parts.now() + offeredForMs })
    return { secret: base32(seed), uri: otpauthUri(seed, label) }
  }

  /** Stores the offered seed. @returns the recovery codes, which are shown only this once. @throws JarvisError `conflict`, `invalid_credentials` */
  async confirm(person: string, code: string): Promise<string[]> {
    const waiting = this.#offered.get(person)
    if (waiting === undefined || waiting.until <= this.#parts.now())
      throw new JarvisError('conflict', 'No new code waits for you, or it took longer than 15 minutes. Begin again.')
    const step = stepOf(waiting.seed, code.replace(/\s/g, ''), this.#parts.now())
    if (step === undefined)
      throw new JarvisError('invalid_credentials', 'The code is wrong. Check the clock of the device that made it.')
    this.#offered.delete(person)
    return this.#newCodes(person, () => {
      this.#parts.store.set(person, this.#parts.box.seal(seedPlace(person), waiting.seed.toString('hex')), step)
      this.#parts.record({ change: 'second_factor_added', person, by: person })
    })
  }

  /** Replaces the recovery codes. @throws JarvisError `not_found` if there is no second factor */
  async renewCodes(person: string): Promise<string[]> {
    if (this.#parts.store.get(person) === undefined) throw none()
    return this.#newCodes(person, () => {
      if (this.#parts.store.get(person) === undefined) throw none()
      this.#parts.record({ change: 'recovery_codes_made', person, by: person })
    })
  }

  /** @throws JarvisError `not_found` */
  remove(person: string, by: string): void {
    if (!removeSecondFactor(this.#parts, person, by)) throw none()
  }

  /**
   * Checks the code that came with a right password. @param isKnown as in `PasswordHasher.check`
   * @returns undefined for a person without a second factor
   * @throws JarvisError `second_factor_required` if no code was given, `invalid_credentials`
   */
  async check(person: string, given: string | undefined, isKnown: boolean): Promise<Proved | undefined> {
    if (this.#parts.store.get(person) === undefined) return undefined
    const typed = given?.replace(/[\s-]/g, '') ?? ''
    if (typed === '') throw new JarvisError('second_factor_required', requiredWords)
    if (!/^\d{1,6}$/.test(typed)) {
      if (await this.#isRecoveryCode(person, typed, isKnown)) return 'recovery_code'
      throw new JarvisError('invalid_credentials', 'This recovery code is not right, or was used before.')
    }
    const problem = this.#codeProblem(person, typed)
    if (problem !== undefined) throw new JarvisError('invalid_credentials', problem)
    return 'code'
  }

  /** Forgets earlier wrong codes after a sign-in with a passkey, which counts as password and second factor. */
  unlock(person: string): void {
    this.#parts.durably(() => this.#parts.store.unlock(person))
  }

  async #newCodes(person: string, keep: (hashed: { number: number; hash: string }[]) => void) {
    const codes = makeRecoveryCodes()
    const hashed: { number: number; hash: string }[] = []
    for (const { number, secret } of codes) hashed.push({ number, hash: await this.#parts.hasher.hash(secret) })
    this.#parts.durably(() => {
      keep(hashed)
      this.#parts.store.setCodes(person, hashed)
    })
    return codes.map(recoveryText)
  }

  /** Opens a seed. @returns undefined if it cannot be opened */
  #opened(person: string, sealed: string): Buffer | undefined {
    try {
      return Buffer.from(this.#parts.box.open(seedPlace(person), sealed), 'hex')
    } catch (error) {
      this.#parts.report(error, 'The seed of a second factor cannot be opened.')
      return undefined
    }
  }

  /**
   * Counts a code of the app, right or wrong, before anything else happens. @returns the reason why the code is refused; undefined if it is accepted
   */
  #codeProblem(person: string, code: string): string | undefined {
    return this.#parts.durably(() => {
      const kept = this.#parts.store.get(person)
      if (kept === undefined) return 'The second factor was removed meanwhile. Sign in again.'
      if (kept.failures >= mostFailures) return lockedWords
      const seed = this.#opened(person, kept.seed)
      if (seed === undefined) return 'The codes of the app cannot be checked at present. Give a recovery code.'
      const step = stepOf(seed, code, this.#parts.now())
      if (step !== undefined && step <= kept.lastStep) return 'This code was used before. Wait for the next one.'
      if (step !== undefined) {
        this.#parts.store.used(person, step)
        return undefined
      }
      this.#parts.store.failed(person)
      if (kept.failures + 1 < mostFailures) return 'The code is wrong. Check the clock of the device that made it.'
      this.#parts.record({ change: 'second_factor_locked', person, by: person })
      return lockedWords
    })
  }

  async #isRecoveryCode(person: string, given: string, isKnown: boolean): Promise<boolean> {
    const code = readRecoveryCode(given)
    const hash = code === undefined ? undefined : this.#parts.store.code(person, code.number)
    const { isRight } = await this.#parts.hasher.check(code?.secret ?? given, hash, isKnown)
    if (code === undefined || hash === undefined || !isRight) return false
    return this.#parts.durably(() => {
      // Two requests may use the same code at the same time. Only the first one succeeds here.
      if (!this.#parts.store.useCode(person, code.number, hash)) return false
      this.#parts.store.unlock(person)
      this.#parts.record({ change: 'recovery_code_used', person, by: person })
      return true
    })
  }
}

const requiredWords = 'Give the code of your app too, or a recovery code.'
const lockedWords = `After ${mostFailures} wrong codes the codes of the app count no more. Give a recovery code, use a passkey, or ask another owner.`
const none = () => new JarvisError('not_found', 'There is no second factor.')
