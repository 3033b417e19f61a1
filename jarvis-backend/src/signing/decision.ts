import { canonicalJson, hashOf } from 'node-kit/canonical'
import type { Card, GrantRequest } from 'protocol'
import { sha256 } from './assertion.ts'

/** The statement about one decision that a person signs. It holds only hashes of the call, so it reveals no secret. */
export type Statement = {
  toolUseId: string
  bindingHash: string
  cardHash: string
  /** A passkey and SSH sign approvals alone. */
  decision: 'approved' | 'denied'
  grant?: GrantRequest | undefined
  goesBackAfterMin?: number | undefined
  /** Without the others who must approve it. */
  alone?: true | undefined
  /** Id of the person. */
  person: string
  origin: string
  /** 32 random bytes, base64url. */
  nonce: string
  /** The journal's newest entry when it was asked for. */
  head: { seq: number; hash: string }
  /** Unix ms. */
  expiresAt: number
}

const domain = 'jarvis-decision-v1\0'

/** The exact text that is signed, without its domain. */
export const statementText = (statement: Statement): string => canonicalJson(statement)

/** The challenge of a statement: SHA-256, base64url. Also the id by which the server finds the statement again. */
export const challengeOf = (text: string): string => sha256(domain + text).toString('base64url')

/** A card without what changes while it waits: its expiry moves when somebody first sees it, and approvals come in. */
export const cardAsSigned = ({ expiresAt: _, approvals: __, ...card }: Card): Record<string, unknown> => card

/** SHA-256 of a card as it is signed, hex. */
export const cardHash = (card: Card): string => hashOf(cardAsSigned(card))
