import type { Entry, Page, SessionSummary } from 'jarvis-backend/protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

const path = (id: string) => `/api/sessions/${encodeURIComponent(id)}`

export const sessions = new Remote(() => call<Page<SessionSummary>>('GET', '/api/sessions?limit=100'))
export const useSessions = (): SessionSummary[] | undefined => useRemote(sessions)?.items

export const renameSession = (id: string, title: string) => call('PATCH', path(id), { title })
export const setRehearsal = (id: string, isRehearsal: boolean) => call('PATCH', path(id), { isRehearsal })
export const deleteSession = (id: string) => call('DELETE', path(id))

/** Entries older than `before`, oldest first. */
export const earlierEntries = (id: string, before: number) =>
  call<Page<Entry>>('GET', `${path(id)}/entries?before=${before}&limit=200`)
