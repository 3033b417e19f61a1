import { z } from 'zod'
import { Usage } from './transcript.ts'

/** One thing in a model's window. `seq`: of its entry, where it has one. */
export const ContextItem = z.object({ name: z.string(), tokens: z.int(), seq: z.int().optional() })
export type ContextItem = z.infer<typeof ContextItem>

/**
 * A part of what a model is given with the next message. `count`: how many things it holds. `items`: the same by server, for tools.
 * `largest`: absent where it is empty.
 */
export const ContextPart = z.object({
  part: z.enum(['system', 'tools', 'skills', 'memory', 'folded', 'transcript', 'results', 'reserved', 'free']),
  tokens: z.int(),
  count: z.int(),
  largest: ContextItem.optional(),
  items: z.array(ContextItem).optional(),
})
export type ContextPart = z.infer<typeof ContextPart>

/** Use of the window of a session's model, tokens. Reading it changes nothing. */
export const ContextReport = z.object({
  model: z.string(),
  windowTokens: z.int(),
  usedTokens: z.int(),
  /** How many of `usedTokens` the provider counted in its newest reply; the rest is estimated. */
  countedTokens: z.int(),
  /** The provider's count for the next request, if it was asked for and the provider can count. */
  exactTokens: z.int().optional(),
  /** Why there is no `exactTokens` although it was asked for. */
  exactProblem: z.string().optional(),
  /** Shares of the window from which on old results are put away, and old turns are folded. */
  resultsAt: z.number(),
  turnsAt: z.number(),
  parts: z.array(ContextPart),
  /** Sums over all runs of the session. `foldingUsd`: the part that folds cost. Dollars are absent if a price is not known. */
  spent: z.object({
    usage: Usage,
    costUsd: z.number().optional(),
    isUsagePartial: z.literal(true).optional(),
    folds: z.int(),
    foldingUsd: z.number().optional(),
  }),
  /** The number of entries that "fold now" would fold. `because`: why folding rests. */
  fold: z.object({ entries: z.int(), because: z.string().optional() }),
})
export type ContextReport = z.infer<typeof ContextReport>

export const ContextQuery = z.strictObject({ count: z.enum(['exact']).optional() })

/** A message that one can go back to. `changes`: to the cluster since it, which stay. `files`: that JARVIS wrote since it. */
export const Checkpoint = z.object({
  seq: z.int(),
  text: z.string(),
  at: z.int(),
  changes: z.int(),
  files: z.int(),
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** A file that JARVIS wrote after a checkpoint, and if going back restores it. `because`: why it stays. */
export const CheckpointFile = z.object({
  path: z.string(),
  writes: z.int(),
  goesBack: z.boolean(),
  because: z.string().optional(),
})
export type CheckpointFile = z.infer<typeof CheckpointFile>

/** A change since a checkpoint, which going back does not undo. */
export const CheckpointChange = z.object({
  toolUseId: z.string(),
  /** Number of the entry that holds the outcome. */
  seq: z.int(),
  line: z.string(),
  outcome: z.enum(['done', 'failed', 'unknown']),
  text: z.string(),
  at: z.int(),
})
export type CheckpointChange = z.infer<typeof CheckpointChange>

export const CheckpointDetail = z.object({
  ...Checkpoint.omit({ changes: true, files: true }).shape,
  files: z.array(CheckpointFile),
  notUndone: z.array(CheckpointChange),
})
export type CheckpointDetail = z.infer<typeof CheckpointDetail>
