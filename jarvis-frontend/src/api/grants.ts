import type { Grant, Page } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

/** Grants in force. */
export const grants = new Remote(() => call<Page<Grant>>('GET', '/api/grants'))
export const useGrants = (): Grant[] | undefined => useRemote(grants)?.items

export const revokeGrant = (id: string) => call('DELETE', `/api/grants/${encodeURIComponent(id)}`)
