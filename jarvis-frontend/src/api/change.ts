import type { Change, ChangesReply } from 'protocol'
import { call } from './http.ts'

const pathOf = (id: string) => `/api/changes/${encodeURIComponent(id)}`

/** @throws ApiError `not_found` if the call made no change */
export const readChange = (id: string) => call<Change>('GET', pathOf(id))
/** Reads the changes of a target, newest first. @param target such as `vm/101` */
export const readChanges = (target: string, limit: number, before?: number) =>
  call<ChangesReply>(
    'GET',
    `/api/changes?target=${encodeURIComponent(target)}&limit=${limit}${before === undefined ? '' : `&before=${before}`}`,
  )
/** Keeps a change, so that it does not go back by itself. @throws ApiError `conflict` if somebody decided before */
export const keepChange = (id: string) => call('POST', `${pathOf(id)}/keep`)
/** Asks for the call that undoes the change. @returns the session in which the call runs or waits as a card */
export const undoChange = (id: string) => call<{ sessionId: string; runId: string }>('POST', `${pathOf(id)}/undo`)
