import type { SessionSummary, ShareMay } from 'protocol'
import { call } from './http.ts'
import { sessionPath } from './sessions.ts'

export const readSession = (id: string) => call<SessionSummary>('GET', sessionPath(id))
const at = (id: string, person: string) => `${sessionPath(id)}/shares/${encodeURIComponent(person)}`
export const shareSession = (id: string, person: string, may: ShareMay) => call('PUT', at(id, person), { may })
export const unshareSession = (id: string, person: string) => call('DELETE', at(id, person))
