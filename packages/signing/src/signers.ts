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
export function createSigners(proof: SignerProof, sealKey: () => string) {
  const known = new Set<string>()

  function isVouchedFor(entry: Entry): boolean {
    const name = canonicalJson({ ...entry })
    if (known.has(name)) return true
    const isTrusted = entry.signedBy === undefined ? isSealed(entry) : isCountersigned(entry, entry.signedBy)
    if (isTrusted) known.add(name)
    return isTrusted
  }
  function isSealed(entry: Entry): boolean {
    const [wanted, given] = [sealOf(sealKey(), entry), String(entry.seal)].map((text) => Buffer.from(text))
    return wanted !== undefined && given?.length === wanted.length && timingSafeEqual(wanted, given)
  }
  function isCountersigned(entry: Entry, signedBy: Countersignature): boolean {
    const older = proof.enrolment(signedBy.type ?? 'passkey', signedBy.id) as Entry | undefined
    // A key cannot vouch for itself.
    if (older === undefined || older.id === entry.id) return false
    return countersignatureProblem(entry, signedBy, older) === undefined && isVouchedFor(older)
  }
  return {
    /** Returns the valid enrolment of a key that may sign for the person now; undefined if there is none. */
    find(type: string, id: string, person: string): Enrolled | undefined {
      const entry = proof.signer(type, id) as Entry | undefined
      return entry?.person === person && isVouchedFor(entry) ? entry : undefined
    },
  }
}
export type Signers = ReturnType<typeof createSigners>
