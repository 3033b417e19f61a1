import { confirmations } from './confirmations.ts'
import { call } from './http.ts'

/** Approves a card as an owner, without the others who must approve it. @throws ApiError */
export async function breakGlass(toolUseId: string, reason: string): Promise<void> {
  await call('POST /api/confirmations/:id/break-glass', { params: { id: toolUseId }, body: { reason } })
  confirmations.renew()
}
