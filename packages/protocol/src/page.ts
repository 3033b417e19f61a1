import { z } from 'zod'

/** A part of a list. `next`: the value of `before` that requests the next part; absent: this is the last part. */
export type Page<T> = { items: T[]; next?: string }
/** The schema of `Page`. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().optional() })
