import type { Confirmations } from './confirmations/confirmations.ts'
import type { Questions } from './questions/questions.ts'

/** Returns how many cards and questions wait for a person, by session. */
export function waitingCounts({
  confirmations,
  questions,
}: {
  confirmations: Pick<Confirmations, 'pendingCounts'>
  questions: Pick<Questions, 'openCounts'>
}): Map<string, number> {
  const counts = new Map(confirmations.pendingCounts())
  for (const [sessionId, count] of questions.openCounts()) counts.set(sessionId, (counts.get(sessionId) ?? 0) + count)
  return counts
}
