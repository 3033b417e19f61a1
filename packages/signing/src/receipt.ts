import { hashOf } from 'node-kit/canonical'
import { type Assertion, assertionProblem } from './assertion.ts'
import { challengeOf, type Statement } from './decision.ts'
import { deviceSignatureProblem } from './device-signature.ts'
import { sshNamespaces, sshSignatureProblem } from './ssh-signature.ts'

/** A signature over a statement. `key`: the enrolled public key. Bytes are base64url. */
type Signature =
  | ({ type: 'passkey'; id: string; key: string; rpId: string } & Assertion)
  | { type: 'ssh' | 'device'; id: string; key: string; signature: string }

/** The proof of a signed decision, stored in the journal. `statement`: the canonical text that was signed. `card`: the card as it was shown. */
export type Receipt = { statement: string; card: Record<string, unknown> } & Signature

/** The fields that a receipt's statement must match. Absent fields are not compared. */
export type About = Partial<Omit<Statement, 'origin' | 'nonce' | 'head' | 'expiresAt'>> & Pick<Statement, 'toolUseId'>

/** Parses the statement of a receipt; undefined if the text is not one. */
export function statementIn(text: string): Statement | undefined {
  try {
    return JSON.parse(text) as Statement
  } catch {
    return undefined
  }
}

/**
 * Checks a receipt without other data: the values in its statement, its card and its signature. @returns the reason why it is not valid; undefined
 * if it is
 */
export function receiptProblem(receipt: Receipt, about: About): string | undefined {
  const statement = statementIn(receipt.statement)
  if (statement === undefined) return 'What was signed cannot be read.'
  const terms: Record<string, unknown> = { decision: 'approved', ...about }
  for (const [name, value] of Object.entries(terms)) {
    const signed = statement[name as keyof Statement]
    if (hashOf({ value: signed }) !== hashOf({ value })) return `What was signed has another ${name}.`
  }
  if (hashOf(receipt.card) !== statement.cardHash) return 'What was signed is another card.'
  return signatureProblem(receipt, statement)
}

function signatureProblem(receipt: Receipt, { origin }: Statement): string | undefined {
  const { key, statement } = receipt
  switch (receipt.type) {
    case 'passkey':
      return assertionProblem(receipt, { key, rpId: receipt.rpId, origin, challenge: challengeOf(statement) })
    case 'ssh':
      return sshSignatureProblem(receipt.signature, {
        blob: key,
        namespace: sshNamespaces.decision,
        message: statement,
      })
    case 'device':
      return deviceSignatureProblem(receipt.signature, { key, message: statement })
    default:
      return 'It was signed in a way that is not known.'
  }
}
