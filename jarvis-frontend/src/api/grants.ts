import type { Grant } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

/** The grants that are valid now. */
export const grants = new Remote('grants', () => call('GET /api/grants'), ['connect', 'grants'])
export const useGrants = (): Grant[] | undefined => useRemote(grants)?.items

export const revokeGrant = (id: string) => call('DELETE /api/grants/:id', { params: { id } })
