import { Value } from '../lib/value.ts'

/**
 * A session that a person deleted. `versions`: the sessions that are deleted with it, the newest of its family among
 * them. `until`: Unix ms when the server is told. `isSent`: the server was told, so it is too late for Undo. `from`:
 * the element that had the focus, where a key deleted the session.
 */
export type Deleting = {
  id: string
  title: string
  versions: readonly string[]
  until: number
  isSent: boolean
  from?: HTMLElement
}

/** Deletions that can still be taken back or are under way. No list shows their sessions. */
export const deleting = new Value<readonly Deleting[]>([])

/** True if a session is deleted with one of `gone`. */
export const isGone = (gone: readonly Deleting[], id: string): boolean =>
  gone.some((session) => session.id === id || session.versions.includes(id))
