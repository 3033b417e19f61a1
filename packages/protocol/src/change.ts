import { z } from 'zod'
import { Principal, Target } from './tier.ts'
import { UndoFacts } from './undo.ts'

/** A change that JARVIS made. `id`: of its call. */
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
   * `armed`: it goes back at `goesBackAt` unless it is kept. `unknown`: whether it was made is not known. `undoing`: it is
   * being taken back. `failed`: it was not made.
   */
  state: z.enum(['running', 'made', 'armed', 'failed', 'unknown', 'undoing', 'undone']),
  undo: UndoFacts,
  /** Unix ms. */
  goesBackAt: z.int().optional(),
  /** The node that takes it back by a timer of its own at that time. */
  timerOn: z.string().optional(),
  /** The change that it takes back: taking this one back makes that one again. */
  undoes: z.string().optional(),
  /** The person who kept the change or took it back, and when. `jarvis`: it went back by itself. */
  decidedBy: z.string().optional(),
  decidedAt: z.int().optional(),
  /** Why it could not be taken back. */
  problem: z.string().optional(),
})
export type Change = z.infer<typeof Change>

/** `now`: by the server's clock, Unix ms. */
export const ChangesReply = z.object({ items: z.array(Change), now: z.int() })
export type ChangesReply = z.infer<typeof ChangesReply>
