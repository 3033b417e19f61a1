import { Value } from '../lib/value.ts'

/**
 * A session that a person deleted on this page. `versions`: ids of the sessions that are deleted with it: its other versions, including the newest.
 * `until`: Unix ms at which the page tells the server. `isSent`: the server was told, so Undo is no longer possible. `from`: the element that had
 * the focus, if the person deleted with a key.
 */
export type Deleting = {
  id: string
  title: string
  versions: readonly string[]
  until: number
  isSent: boolean
  from?: HTMLElement
}

/** Deletions that can still be undone or are in progress. No list shows these sessions. */
export const deleting = new Value<readonly Deleting[]>([])

/** True if the session is one of `gone`, or a version of one of them. */
export const isGone = (gone: readonly Deleting[], id: string): boolean =>
  gone.some((session) => session.id === id || session.versions.includes(id))
