import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { ConfirmationRow, Page } from 'jarvis-backend/protocol'
import { call } from './http.ts'

const key = ['confirmations']

/** Pending ones, soonest to expire first, and those decided in the last day, newest first. Undefined while unknown. */
export function useConfirmations(): { pending: ConfirmationRow[]; decided: ConfirmationRow[] } | undefined {
  return useQuery({
    queryKey: key,
    queryFn: () => call<Page<ConfirmationRow>>('GET', '/api/confirmations'),
    select,
  }).data
}

function select({ items }: Page<ConfirmationRow>) {
  return {
    pending: items.filter((row) => row.decision === undefined).sort((a, b) => a.expiresAt - b.expiresAt),
    decided: items
      .filter((row) => row.decision !== undefined)
      .sort((a, b) => (b.decidedAt ?? b.createdAt) - (a.decidedAt ?? a.createdAt)),
  }
}

export const renewConfirmations = (client: QueryClient) => client.invalidateQueries({ queryKey: key })
