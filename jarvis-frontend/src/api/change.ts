import { call } from './http.ts'

/** @throws ApiError `not_found` if the call made no change */
export const readChange = (id: string) => call('GET /api/changes/:id', { params: { id } })
/** Reads the changes of a target, newest first. @param target such as `vm/101` */
export const readChanges = (target: string, limit: number, before?: number) =>
  call('GET /api/changes', { query: { target, limit, before } })
/** Keeps a change, so that it does not go back by itself. @throws ApiError `conflict` if somebody decided before */
export const keepChange = (id: string) => call('POST /api/changes/:id/keep', { params: { id } })
/** Asks for the call that undoes the change. @returns the session in which the call runs or waits as a card */
export const undoChange = (id: string) => call('POST /api/changes/:id/undo', { params: { id } })
