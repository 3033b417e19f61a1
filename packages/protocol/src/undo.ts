import { z } from 'zod'

/** The way to take a change back, as a card and the list of changes state it. */
export const UndoFacts = z.object({
  /** `none`: the change cannot be taken back, and `sentence` is the reason. */
  kind: z.enum(['call', 'none']),
  sentence: z.string(),
  /** With `none`: nothing is lost, so there is nothing to warn about. Such is a clean restart. */
  losesNothing: z.literal(true).optional(),
  /** Time after which the change cannot be taken back, Unix ms. */
  until: z.int().optional(),
  /** Things that are lost by taking the change back. */
  loses: z.string().optional(),
})
export type UndoFacts = z.infer<typeof UndoFacts>

/** Minutes after which JARVIS takes an approved change back by itself, unless a person keeps the change. */
export const GoesBackAfterMin = z
  .int()
  .min(1)
  .max(24 * 60)
