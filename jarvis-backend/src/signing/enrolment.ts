import { canonicalJson } from '../lib/canonical.ts'
import { type Assertion, assertionProblem, sha256 } from './assertion.ts'

/** A key that may sign for a person, as the journal keeps it. `key`: SPKI, DER in base64url. */
export type Enrolled = { person: string; id: string; key: string; rpId: string; origin: string }

/** The countersignature of a new passkey by an older one of the same person. `statement`: the canonical text that was signed. */
export type Countersignature = Assertion & { id: string; statement: string }

const domain = 'jarvis-passkey-v1\0'

/** The canonical text by which an older passkey vouches for a new one. `nonce`: base64url. */
export const statementOf = ({ person, id, key, rpId, origin }: Enrolled, nonce: string): string =>
  canonicalJson({ person, id, key, rpId, origin, nonce })

/** The challenge of a countersignature, base64url. */
export const enrolmentChallenge = (statement: string): string => sha256(domain + statement).toString('base64url')

/** @returns why the countersignature does not vouch for `added`; undefined where it does. @param older the passkey that signed */
export function countersignatureProblem(
  added: Enrolled,
  { statement, ...signature }: Countersignature,
  older: Enrolled,
): string | undefined {
  if (older.person !== added.person) return 'It was signed by another person’s passkey.'
  const { nonce } = JSON.parse(statement) as { nonce: string }
  if (statementOf(added, nonce) !== statement) return 'What was signed is not this passkey.'
  const { key, rpId } = older
  return assertionProblem(signature, { key, rpId, origin: added.origin, challenge: enrolmentChallenge(statement) })
}
