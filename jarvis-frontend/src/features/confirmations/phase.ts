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

/** The phase of a card. A flag, never the text, tells an unknown outcome from a failure. */
export function phaseOf({ resolved, result }: Pick<Matter, 'resolved' | 'result'>): Phase {
  if (result !== undefined) return result.isUnknown === true ? 'interrupted' : result.isError ? 'failed' : 'done'
  if (resolved === undefined) return 'pending'
  return resolved.decision === 'approved' ? 'executing' : resolved.decision
}

/** How long an expired card waited, ms. The stored expiry may be a day later than the one that counted from the first sight. */
export function waitedFor({
  card,
  resolved,
}: { card: Pick<Card, 'createdAt' | 'expiresAt'> } & Pick<Matter, 'resolved'>) {
  return (resolved?.at ?? card.expiresAt) - card.createdAt
}

/** The matter with its present expiry. An unseen card waits a day longer, until somebody sees it. */
export function withExpiryOf(matter: Matter, pending: readonly Pick<Card, 'toolUseId' | 'expiresAt'>[] = []): Matter {
  const known = pending.find(({ toolUseId }) => toolUseId === matter.card.toolUseId)
  return known === undefined || known.expiresAt === matter.card.expiresAt
    ? matter
    : { ...matter, card: { ...matter.card, expiresAt: known.expiresAt } }
}
