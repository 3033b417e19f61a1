import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { Entry, Page, SessionSummary } from 'jarvis-backend/protocol'
import { call } from './http.ts'

const key = ['sessions']

export const useSessions = () =>
  useQuery({ queryKey: key, queryFn: () => call<Page<SessionSummary>>('GET', '/api/sessions?limit=100') }).data?.items

export const renewSessions = (client: QueryClient) => client.invalidateQueries({ queryKey: key })
export const renameSession = (id: string, title: string) => call('PATCH', `/api/sessions/${encodeURIComponent(id)}`, { title })
export const deleteSession = (id: string) => call('DELETE', `/api/sessions/${encodeURIComponent(id)}`)

/** Entries older than `before`, oldest first. */
export const earlierEntries = (id: string, before: number) =>
  call<Page<Entry>>('GET', `/api/sessions/${encodeURIComponent(id)}/entries?before=${before}&limit=200`)
