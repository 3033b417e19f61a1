import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from 'node-kit/canonical'
import { type Countersignature, countersignatureProblem, type Enrolled } from './enrolment.ts'

/** Enrolled keys, read from the journal. */
export type SignerProof = {
  /** The newest enrolment of a key, unless the key was removed since. */
  signer(type: string, id: string): Record<string, unknown> | undefined
  /** Returns the newest enrolment of a key, even if the key was removed since. */
  enrolment(type: string, id: string): Record<string, unknown> | undefined
}

type Entry = Enrolled & { trust?: string; seal?: string; signedBy?: Countersignature }

/**
 * Returns the seal of an enrolment that no older key confirms. The seal uses a key of this installation that is stored in no database, so a row or
 * entry that was written into the database does not create a valid signer. @returns hex
 */
export const sealOf = (
  key: string,
  { type, person, id, key: spki }: { type?: string; person: string; id: string; key: string },
) =>
  createHmac('sha256', key)
    .update(canonicalJson({ type, person, id, key: spki }))
    .digest('hex')

/** Determines the person of a signer's key, from the enrolments in the journal and the signatures in them. */
export class Signers {
  readonly #proof: SignerProof
  readonly #sealKey: () => string
  /** Enrolments that were confirmed before. */
  readonly #known = new Set<string>()

  constructor(proof: SignerProof, sealKey: () => string) {
    this.#proof = proof
    this.#sealKey = sealKey
  }

  /** Returns the valid enrolment of a key that may sign for the person now; undefined if there is none. */
  find(type: string, id: string, person: string): Enrolled | undefined {
    const entry = this.#proof.signer(type, id) as Entry | undefined
    return entry?.person === person && this.#isVouchedFor(entry) ? entry : undefined
  }

  #isVouchedFor(entry: Entry): boolean {
    const name = canonicalJson({ ...entry })
    if (this.#known.has(name)) return true
    const { signedBy } = entry
    const isTrusted = signedBy === undefined ? this.#isSealed(entry) : this.#isCountersigned(entry, signedBy)
    if (isTrusted) this.#known.add(name)
    return isTrusted
  }

  #isSealed(entry: Entry): boolean {
    const [wanted, given] = [sealOf(this.#sealKey(), entry), String(entry.seal)].map((text) => Buffer.from(text))
    return wanted !== undefined && given?.length === wanted.length && timingSafeEqual(wanted, given)
  }

  #isCountersigned(entry: Entry, signedBy: Countersignature): boolean {
    const older = this.#proof.enrolment(signedBy.type ?? 'passkey', signedBy.id) as Entry | undefined
    // A key cannot vouch for itself.
    if (older === undefined || older.id === entry.id) return false
    return countersignatureProblem(entry, signedBy, older) === undefined && this.#isVouchedFor(older)
  }
}
