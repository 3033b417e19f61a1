import type { Card, Decision, SignedBy } from 'protocol'

/** A card with its session and what is known about its decision and outcome. */
export type Matter = {
  card: Card
  sessionId: string
  resolved?: {
    decision: Decision
    by: string
    at: number
    note?: string | undefined
    replacedBy?: string | undefined
    signed?: SignedBy | undefined
  }
  startedAt?: number
  progress?: string
  result?: { isError: boolean; summary: string; at: number; isUnknown?: true | undefined }
}

export type Phase = 'pending' | 'executing' | 'done' | 'failed' | 'interrupted' | 'denied' | 'expired' | 'cancelled'

/** Returns the phase of a card. An unknown outcome is told from a failure by a flag, never by the text. */
export function phaseOf({ resolved, result }: Pick<Matter, 'resolved' | 'result'>): Phase {
  if (result !== undefined) return result.isUnknown === true ? 'interrupted' : result.isError ? 'failed' : 'done'
  if (resolved === undefined) return 'pending'
  return resolved.decision === 'approved' ? 'executing' : resolved.decision
}

/**
 * Returns how long an expired card waited, ms. The stored expiry may be a day later than the expiry that was set when a person first saw the card.
 */
export function waitedFor({
  card,
  resolved,
}: { card: Pick<Card, 'createdAt' | 'expiresAt'> } & Pick<Matter, 'resolved'>) {
  return (resolved?.at ?? card.expiresAt) - card.createdAt
}

/** Returns the card with its present expiry. A card that nobody has seen waits up to a day longer. */
export function withExpiryOf(matter: Matter, pending: readonly Pick<Card, 'toolUseId' | 'expiresAt'>[] = []): Matter {
  const known = pending.find(({ toolUseId }) => toolUseId === matter.card.toolUseId)
  return known === undefined || known.expiresAt === matter.card.expiresAt
    ? matter
    : { ...matter, card: { ...matter.card, expiresAt: known.expiresAt } }
}
