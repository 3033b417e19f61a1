import { canonicalJson, hashOf } from 'node-kit/canonical'
import type { Card, DecisionTerms, GrantRequest } from 'protocol'
import { sha256 } from './assertion.ts'

/** The text about one decision that a person signs. It contains only hashes of the call, so it reveals no secret. */
export type Statement = {
  toolUseId: string
  bindingHash: string
  cardHash: string
  /** Always `approved` if a passkey or an SSH key signs. Only a device also signs denials. */
  decision: 'approved' | 'denied'
  grant?: GrantRequest | undefined
  goesBackAfterMin?: number | undefined
  /** True if the person approves without the others who must also approve the card. */
  alone?: true | undefined
  /** Id of the person. */
  person: string
  origin: string
  /** 32 random bytes, base64url. */
  nonce: string
  /** The newest entry of the journal when the challenge was created. */
  head: { seq: number; hash: string }
  /** Unix ms. */
  expiresAt: number
}

const domain = 'jarvis-decision-v1\0'

/** The exact text that is signed, without its domain. */
export const statementText = (statement: Statement): string => canonicalJson(statement)

/** Returns the challenge of a statement: SHA-256, base64url. It is also the id under which the statement is stored. */
export const challengeOf = (text: string): string => sha256(domain + text).toString('base64url')

/** Returns a card without the parts that change while it waits: the expiry, which moves when somebody first sees the card, and the approvals. */
export const cardAsSigned = ({ expiresAt: _, approvals: __, ...card }: Card): Record<string, unknown> => card

/** Returns the SHA-256 of a card in its signed form, hex. */
export const cardHash = (card: Card): string => hashOf(cardAsSigned(card))

/** The lines that a person reads before signing. */
export function linesToSign(
  { sentence, toolName, target, now, then, affects, scope }: Card,
  { grant, goesBackAfterMin, alone }: DecisionTerms,
): string[] {
  return [
    sentence ?? `${toolName}${target.id === '' ? '' : ` on ${target.id}`}`,
    `Now: ${now}`,
    `Then: ${then}`,
    `Affects: ${affects}`,
    ...(grant === undefined
      ? []
      : [
          `Allows ${grant.scope === undefined ? 'the same call again' : (scope?.words ?? grant.scope)}: ${grant.uses ?? 10} times, ${grant.minutes ?? 60} minutes`,
        ]),
    ...(alone === undefined ? [] : ['Without the others who must approve it']),
    ...(goesBackAfterMin === undefined ? [] : [`Goes back after ${goesBackAfterMin} minutes`]),
  ]
}
