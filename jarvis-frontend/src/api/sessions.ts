import type { SessionSummary } from 'protocol'
import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const sessions = new Remote('sessions', () => call('GET /api/sessions', { query: { limit: 100 } }), [
  'connect',
  'sessions',
])
export const useSessions = (): SessionSummary[] | undefined => useRemote(sessions)?.items
/** The open session, if it is not among the newest 100. */
export const unlisted = new Value<SessionSummary | undefined>(undefined)
export function useSession(id: string | undefined): SessionSummary | undefined {
  const listed = useSessions()?.find((one) => one.id === id)
  const other = useValue(unlisted)
  return listed ?? (other?.id === id ? other : undefined)
}
/** The number of sessions, without archived ones; undefined: not known. */
export function useSessionCount(): number | undefined {
  const page = useRemote(sessions)
  return page?.total ?? (page?.next === undefined ? page?.items.length : undefined)
}

export const setRehearsal = (id: string, isRehearsal: boolean) =>
  call('PATCH /api/sessions/:id', { params: { id }, body: { isRehearsal } })
