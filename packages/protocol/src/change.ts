import { z } from 'zod'
import { Principal, Target } from './tier.ts'
import { UndoFacts } from './undo.ts'

/** A change that JARVIS made. `id`: the id of its call. */
export const Change = z.object({
  id: z.string(),
  sessionId: z.string(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  target: Target,
  requestedBy: Principal,
  /** The effect of the change, in words. */
  sentence: z.string(),
  /** Unix ms. */
  at: z.int(),
  /**
   * `armed`: JARVIS takes the change back at `goesBackAt` unless a person keeps it. `unknown`: it is not known if the change was made. `undoing`: it
   * is being taken back. `failed`: it was not made.
   */
  state: z.enum(['running', 'made', 'armed', 'failed', 'unknown', 'undoing', 'undone']),
  undo: UndoFacts,
  /** Unix ms. */
  goesBackAt: z.int().optional(),
  /** The node whose own timer takes the change back at that time. */
  timerOn: z.string().optional(),
  /** Id of the change that this change takes back. Taking this one back makes that change again. */
  undoes: z.string().optional(),
  /** The person who kept the change or took it back, and when. `jarvis`: JARVIS took it back by itself. */
  decidedBy: z.string().optional(),
  decidedAt: z.int().optional(),
  /** Why the change could not be taken back. */
  problem: z.string().optional(),
})
export type Change = z.infer<typeof Change>

/** `now`: the server's time, Unix ms. */
export const ChangesReply = z.object({ items: z.array(Change), now: z.int() })
export type ChangesReply = z.infer<typeof ChangesReply>
