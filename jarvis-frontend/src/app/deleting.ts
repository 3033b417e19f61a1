import { Value } from '../lib/value.ts'

/** `versions`: sessions that go with it, the newest of its family among them. `from`: where the focus was, if a key deleted it. */
export type Deleting = { id: string; title: string; versions: readonly string[]; until: number; from?: HTMLElement }

/** Sessions that are as good as deleted: no list shows them, and the server is told when the time is up. */
export const deleting = new Value<readonly Deleting[]>([])

export const isGone = (gone: readonly Deleting[], id: string): boolean =>
  gone.some((session) => session.id === id || session.versions.includes(id))
