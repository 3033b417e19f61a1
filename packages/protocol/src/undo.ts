import { z } from 'zod'

/** The way to take a change back, as a card and the list of changes state it. */
export const UndoFacts = z.object({
  /** `none`: nothing takes it back, and `sentence` is the reason. */
  kind: z.enum(['call', 'none']),
  sentence: z.string(),
  /** Unix ms; afterwards it cannot be taken back. */
  until: z.int().optional(),
  /** Things that are lost by taking the change back. */
  loses: z.string().optional(),
})
export type UndoFacts = z.infer<typeof UndoFacts>

/** After how many minutes an approved change goes back by itself unless it is kept. */
export const GoesBackAfterMin = z
  .int()
  .min(1)
  .max(24 * 60)
