import { Value } from '../lib/value.ts'

export type Deleting = { id: string; title: string; until: number }

/** Sessions that are as good as deleted: no list shows them, and the server is told when the time is up. */
export const deleting = new Value<readonly Deleting[]>([])
