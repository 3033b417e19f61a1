import type { Effort } from 'protocol'
import type { Body, Query } from 'protocol/client'
import { call } from './http.ts'

const change = (id: string, body: Body<'PATCH /api/sessions/:id'>) =>
  call('PATCH /api/sessions/:id', { params: { id }, body })

export const renameSession = (id: string, title: string) => change(id, { title })
export const archiveSession = (id: string, isArchived: boolean) => change(id, { isArchived })
/** Sets the model of a session. @param model undefined: the default model */
export const setSessionModel = (id: string, model: string | undefined) => change(id, { model: model ?? null })
/** Sets the effort of a session. @param effort undefined: the effort of the settings */
export const setSessionEffort = (id: string, effort: Effort | undefined) => change(id, { effort: effort ?? null })
export const deleteSession = (id: string) => call('DELETE /api/sessions/:id', { params: { id } })
/** Deletes a session even if the page is closed during the request. */
export const deleteSessionAtLast = (id: string) => call('DELETE /api/sessions/:id', { params: { id }, keepalive: true })

/** The messages of a session that have other versions. */
export const readVersions = (id: string) => call('GET /api/sessions/:id/versions', { params: { id } })

/**
 * Creates a session that starts with a part of this one: all entries before the message `before`, or all entries up to and including the answer
 * `after`.
 */
export const branchSession = (id: string, point: Body<'POST /api/sessions/:id/branch'>) =>
  call('POST /api/sessions/:id/branch', { params: { id }, body: point })

export type SessionFilter = Pick<
  Query<'GET /api/sessions'>,
  'q' | 'source' | 'archived' | 'agent' | 'person' | 'channel' | 'since' | 'until'
>

/** Reads a page of sessions, newest first. @param before the `next` of an earlier page */
export const listSessions = (filter: SessionFilter, before?: string) =>
  call('GET /api/sessions', { query: { ...filter, limit: 50, before } })
