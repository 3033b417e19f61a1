import { canonicalJson } from 'node-kit/canonical'
import { type Assertion, assertionProblem, sha256 } from './assertion.ts'
import { sshNamespaces, sshSignatureProblem } from './ssh-signature.ts'

/** The kind of key that signs. */
export type SignerType = 'passkey' | 'ssh' | 'device'

/**
 * A key that may sign for a person, as stored in the journal. `key`: base64url; for a passkey or device SPKI in DER, for SSH the blob of the public
 * key.
 */
export type Enrolled = { person: string; id: string; key: string; origin: string } & (
  | { type?: 'passkey'; rpId: string }
  | { type: 'ssh' | 'device'; rpId?: never }
)

/** The countersignature of a new key by an older one of the same person. `statement`: the canonical text that was signed. */
export type Countersignature = { id: string; statement: string } & (
  | ({ type?: 'passkey' } & Assertion)
  | { type: 'ssh'; signature: string }
)

const domain = 'jarvis-passkey-v1\0'

/** Returns the canonical text that an older key signs to confirm a new key. `nonce`: base64url. */
export const statementOf = ({ person, id, key, rpId, origin, type = 'passkey' }: Enrolled, nonce: string): string =>
  canonicalJson({ person, id, key, rpId, origin, nonce, type: type === 'passkey' ? undefined : type })

/** The challenge of a countersignature by a passkey, base64url. */
export const enrolmentChallenge = (statement: string): string => sha256(domain + statement).toString('base64url')

/** @param older the key that signed @returns the reason why the countersignature does not confirm `added`; undefined if it does */
export function countersignatureProblem(
  added: Enrolled,
  signedBy: Countersignature,
  older: Enrolled,
): string | undefined {
  const { statement } = signedBy
  if (older.person !== added.person) return 'It was signed by another person’s key.'
  const { nonce } = JSON.parse(statement) as { nonce: string }
  if (statementOf(added, nonce) !== statement) return 'What was signed is not this key.'
  if (signedBy.type === 'ssh')
    return older.type === 'ssh'
      ? sshSignatureProblem(signedBy.signature, {
          blob: older.key,
          namespace: sshNamespaces.signer,
          message: statement,
        })
      : 'The older key is none of SSH.'
  if (older.rpId === undefined) return 'The older key is no passkey.'
  const { key, rpId } = older
  return assertionProblem(signedBy, { key, rpId, origin: added.origin, challenge: enrolmentChallenge(statement) })
}
