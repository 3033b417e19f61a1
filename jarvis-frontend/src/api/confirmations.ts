import type { ConfirmationRow } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

type Lists = { pending: ConfirmationRow[]; decided: ConfirmationRow[] }

/** Waiting cards, soonest to expire first, and cards decided in the last day, newest first. */
export const confirmations = new Remote<Lists>('confirmations', async () => {
  const { items } = await call('GET /api/confirmations')
  return {
    pending: items.filter((row) => row.decision === undefined).sort((a, b) => a.expiresAt - b.expiresAt),
    decided: items
      .filter((row) => row.decision !== undefined)
      .sort((a, b) => (b.decidedAt ?? b.createdAt) - (a.decidedAt ?? a.createdAt)),
  }
}, ['connect', 'confirmations'])

export const useConfirmations = (): Lists | undefined => useRemote(confirmations)

/** Takes back a denial, so that the same call asks again. @throws ApiError `conflict` if it was taken back before */
export const takeDenialBack = (toolUseId: string) =>
  call('DELETE /api/confirmations/:id/denial', { params: { id: toolUseId } })
