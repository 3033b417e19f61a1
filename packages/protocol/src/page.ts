import { z } from 'zod'

/** Part of a list. `next`: a cursor for `before`; absent: there are no more. */
export type Page<T> = { items: T[]; next?: string }
/** The schema of `Page`. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().optional() })
