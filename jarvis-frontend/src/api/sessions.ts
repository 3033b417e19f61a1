import type { Page, SessionSummary } from 'jarvis-backend/protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const sessionPath = (id: string) => `/api/sessions/${encodeURIComponent(id)}`

export const sessions = new Remote(() => call<Page<SessionSummary>>('GET', '/api/sessions?limit=100'))
export const useSessions = (): SessionSummary[] | undefined => useRemote(sessions)?.items

export const setRehearsal = (id: string, isRehearsal: boolean) => call('PATCH', sessionPath(id), { isRehearsal })
