import type { Change, ChangesReply } from 'protocol'
import { call } from './http.ts'

const pathOf = (id: string) => `/api/changes/${encodeURIComponent(id)}`

/** @throws ApiError `not_found` where the call changed nothing */
export const readChange = (id: string) => call<Change>('GET', pathOf(id))
/** Newest first. @param target `vm/101` */
export const readChanges = (target: string, limit: number, before?: number) =>
  call<ChangesReply>(
    'GET',
    `/api/changes?target=${encodeURIComponent(target)}&limit=${limit}${before === undefined ? '' : `&before=${before}`}`,
  )
/** @throws ApiError `conflict` where somebody was first */
export const keepChange = (id: string) => call('POST', `${pathOf(id)}/keep`)
/** Asks for the call that takes it back. @returns the session in which it runs, or waits as a card */
export const undoChange = (id: string) => call<{ sessionId: string; runId: string }>('POST', `${pathOf(id)}/undo`)
