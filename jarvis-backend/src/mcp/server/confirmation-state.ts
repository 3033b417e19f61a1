import type { Entry } from 'protocol'
import type { StoredConfirmation } from '../../calls/ports.ts'

/** A stored call that needed a confirmation. */
export type AskedCall = Pick<StoredConfirmation, 'card' | 'sessionId'> & {
  /** The decision on the newest card. */
  resolution?: { decision: string; note?: string }
  entries: readonly Entry[]
}

const undecided = { denied: 'denied', expired: 'expired' } as const

/** The state of a call for `get_confirmation`. `id`: the call's, which stays the same when a card is replaced. */
export function confirmationState(id: string, { card, resolution, entries }: AskedCall): Record<string, unknown> {
  const about = { id, toolName: card.toolName }
  const note = resolution?.note === undefined || resolution.note === '' ? {} : { note: resolution.note }
  const ended = entries.findLast((entry) => entry.type === 'tool_result' && entry.toolUseId === id)
  if (ended?.type === 'tool_result') {
    const { result, isError, data } = ended
    return {
      state: isError ? 'failed' : 'done',
      ...about,
      ...note,
      result,
      ...(typeof data === 'object' && data !== null && { data }),
    }
  }
  const blocked = entries.findLast((entry) => entry.type === 'blocked' && entry.toolUseId === id)
  if (blocked?.type === 'blocked') return { state: 'refused', ...about, note: blocked.reason }
  if (resolution === undefined) return { state: 'waiting', ...about, expiresAt: card.expiresAt }
  if (resolution.decision === 'approved') return { state: 'running', ...about, ...note }
  const state = undecided[resolution.decision as keyof typeof undecided] ?? 'withdrawn'
  return { state, ...about, ...note }
}
