import type { Card } from 'protocol'

/** `1 of 2 approved: ann`; undefined if one person decides. */
export function approvedWords({ approvals }: Pick<Card, 'approvals'>): string | undefined {
  if (approvals === undefined) return undefined
  const names = approvals.by.map(({ name }) => name).join(', ')
  return `${approvals.by.length} of ${approvals.needed} approved${names === '' ? '' : `: ${names}`}`
}

/** Returns why this person cannot approve the card now; undefined if the person can. @param own the person's id */
export function approvalHeld(
  { approvals, requestedBy }: Pick<Card, 'approvals' | 'requestedBy'>,
  own: string | undefined,
): string | undefined {
  if (approvals === undefined) return undefined
  if (approvals.by.some(({ person }) => person === own)) return 'you approved, another person is needed'
  // A call without a person was asked for in the name of the first owner.
  if (approvals.notAsker === true && (requestedBy.person ?? 'operator') === own)
    return 'you asked, so another person decides'
  return undefined
}
