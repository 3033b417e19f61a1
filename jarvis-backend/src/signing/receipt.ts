import { hashOf } from '../lib/canonical.ts'
import { type Assertion, assertionProblem } from './assertion.ts'
import { challengeOf, type Statement } from './decision.ts'

/** What the journal keeps of a signed decision. `statement`: the canonical text; `key`: as it was enrolled; `card`: as it was shown. */
export type Receipt = { statement: string; card: Record<string, unknown> } & {
  type: 'passkey'
  id: string
  key: string
  rpId: string
} & Assertion

/** What a receipt must be about; what is left out is not compared. */
export type About = Partial<Omit<Statement, 'origin' | 'nonce' | 'head' | 'expiresAt'>> & Pick<Statement, 'toolUseId'>

/** The statement of a receipt; undefined where it is none. */
export function statementIn(text: string): Statement | undefined {
  try {
    return JSON.parse(text) as Statement
  } catch {
    return undefined
  }
}

/** Checks a receipt by itself: what it is about, the card, and the signature. @returns why it does not count */
export function receiptProblem(receipt: Receipt, about: About): string | undefined {
  const statement = statementIn(receipt.statement)
  if (statement === undefined) return 'What was signed cannot be read.'
  const terms: Record<string, unknown> = { ...about, decision: 'approved' }
  for (const [name, value] of Object.entries(terms)) {
    const signed = statement[name as keyof Statement]
    if (hashOf({ value: signed }) !== hashOf({ value })) return `What was signed has another ${name}.`
  }
  if (hashOf(receipt.card) !== statement.cardHash) return 'What was signed is another card.'
  const { key, rpId } = receipt
  return assertionProblem(receipt, { key, rpId, origin: statement.origin, challenge: challengeOf(receipt.statement) })
}
