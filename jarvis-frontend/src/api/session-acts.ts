import type { CheckpointFile, Effort, Page, SessionSummary, SessionsPage, Versions } from 'protocol'
import { call } from './http.ts'
import { sessionPath as path } from './sessions.ts'

export const renameSession = (id: string, title: string) => call('PATCH', path(id), { title })
export const archiveSession = (id: string, isArchived: boolean) => call('PATCH', path(id), { isArchived })
/** Sets the model of a session. @param model undefined: the default model */
export const setSessionModel = (id: string, model: string | undefined) =>
  call('PATCH', path(id), { model: model ?? null })
/** Sets the effort of a session. @param effort undefined: the effort of the settings */
export const setSessionEffort = (id: string, effort: Effort | undefined) =>
  call('PATCH', path(id), { effort: effort ?? null })
export const deleteSession = (id: string) => call('DELETE', path(id))
/** Deletes a session even if the page is closed during the request. */
export const deleteSessionAtLast = (id: string) => call('DELETE', path(id), undefined, { keepalive: true })

/** The messages of a session that have other versions. */
export const readVersions = (id: string) => call<Page<Versions>>('GET', `${path(id)}/versions`)

/**
 * Creates a session that starts with a part of this one: all entries before the message `before`, or all entries up to and including the answer
 * `after`.
 */
export const branchSession = (
  id: string,
  point: ({ before: number } | { after: number }) & { model?: string; restoreFiles?: boolean },
) => call<SessionSummary & { restored?: CheckpointFile[] }>('POST', `${path(id)}/branch`, point)

export type SessionFilter = { q?: string; source?: string; archived?: string }

/** Reads a page of sessions, newest first. @param before the `next` of an earlier page */
export function listSessions(filter: SessionFilter, before?: string): Promise<SessionsPage> {
  const query = new URLSearchParams({ ...filter, limit: '50', ...(before !== undefined && { before }) })
  return call('GET', `/api/sessions?${query}`)
}
export const exportPath = (id: string, format: 'markdown' | 'jsonl') => `${path(id)}/export?format=${format}`
