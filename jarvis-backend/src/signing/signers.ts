import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from 'node-kit/canonical'
import { type Countersignature, countersignatureProblem, type Enrolled } from './enrolment.ts'

/** The journal's evidence of enrolled keys. */
export type SignerProof = {
  /** The newest enrolment of a key, unless the key was removed since. */
  signer(type: string, id: string): Record<string, unknown> | undefined
  /** The newest enrolment of a key, also of one that was removed since. */
  enrolment(type: string, id: string): Record<string, unknown> | undefined
}

type Entry = Enrolled & { trust?: string; seal?: string; signedBy?: Countersignature }

/**
 * Seals enrolments that nothing older vouches for with a key of this installation, which is in no database, so that a row or an entry
 * that was written into the database makes no signer. @returns hex
 */
export const sealOf = (
  key: string,
  { type, person, id, key: spki }: { type?: string; person: string; id: string; key: string },
) =>
  createHmac('sha256', key)
    .update(canonicalJson({ type, person, id, key: spki }))
    .digest('hex')

/** Tells whose key a signer is, by the journal's enrolments and the signatures in them. */
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
    /** The enrolment of a key that may sign for the person now; undefined where there is none that counts. */
    find(type: string, id: string, person: string): Enrolled | undefined {
      const entry = proof.signer(type, id) as Entry | undefined
      return entry?.person === person && isVouchedFor(entry) ? entry : undefined
    },
  }
}
export type Signers = ReturnType<typeof createSigners>
