import { z } from 'zod'
import { Usage } from './transcript.ts'

/** One item in a model's context window. `seq`: the `seq` of its entry, if it has one. */
export const ContextItem = z.object({ name: z.string(), tokens: z.int(), seq: z.int().optional() })
export type ContextItem = z.infer<typeof ContextItem>

/**
 * A part of the request that a model gets with the next message. `count`: number of items. `items`: the tools' tokens by server. `largest`: the
 * largest item; absent if the part is empty.
 */
export const ContextPart = z.object({
  part: z.enum(['system', 'tools', 'skills', 'memory', 'folded', 'transcript', 'results', 'reserved', 'free']),
  tokens: z.int(),
  count: z.int(),
  largest: ContextItem.optional(),
  items: z.array(ContextItem).optional(),
})
export type ContextPart = z.infer<typeof ContextPart>

/** Use of the context window of a session's model, in tokens. Reading the report changes nothing. */
export const ContextReport = z.object({
  model: z.string(),
  windowTokens: z.int(),
  usedTokens: z.int(),
  /** The part of `usedTokens` that the provider counted in its newest reply; the rest is estimated. */
  countedTokens: z.int(),
  /** The provider's count for the next request, if it was asked for and the provider can count. */
  exactTokens: z.int().optional(),
  /** Why `exactTokens` is absent although it was asked for. */
  exactProblem: z.string().optional(),
  /** Shares of the window, 0..1. Above `resultsAt`, old results are replaced by summaries; above `turnsAt`, old turns are folded. */
  resultsAt: z.number(),
  turnsAt: z.number(),
  parts: z.array(ContextPart),
  /** Sums over all runs of the session. `foldingUsd`: the cost of folding. Dollars are absent if a price is not known. */
  spent: z.object({
    usage: Usage,
    costUsd: z.number().optional(),
    isUsagePartial: z.literal(true).optional(),
    folds: z.int(),
    foldingUsd: z.number().optional(),
  }),
  /** `entries`: how many entries “fold now” would fold. `because`: why folding is paused. */
  fold: z.object({ entries: z.int(), because: z.string().optional() }),
})
export type ContextReport = z.infer<typeof ContextReport>

export const ContextQuery = z.strictObject({ count: z.enum(['exact']).optional() })

/**
 * A message that a person can go back to. `changes`: number of changes to the cluster since the message; they are not undone. `files`: number of
 * files that JARVIS wrote since.
 */
export const Checkpoint = z.object({
  seq: z.int(),
  text: z.string(),
  at: z.int(),
  changes: z.int(),
  files: z.int(),
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** A file that JARVIS wrote after a checkpoint. `goesBack`: going back restores it. `because`: why it is not restored. */
export const CheckpointFile = z.object({
  path: z.string(),
  writes: z.int(),
  goesBack: z.boolean(),
  because: z.string().optional(),
})
export type CheckpointFile = z.infer<typeof CheckpointFile>

/** A change since a checkpoint. Going back does not undo it. */
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
