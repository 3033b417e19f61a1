import { z } from 'zod'
import { Tier } from './tier.ts'

/** The largest text of a policy, characters. */
const mostChars = 256 * 1024
/** The most journal entries that a replay reads. */
const mostReplayed = 5_000

/**
 * policy.yaml as it is on disk, and the policy in force. `hash`: of the file; empty: there is none. `problem`: why the file cannot be read as a text.
 * `lines`: the policy in force, in words.
 */
export const PolicyReply = z.object({
  path: z.string(),
  text: z.string(),
  hash: z.string(),
  problem: z.string().optional(),
  lines: z.array(z.string()),
})
export type PolicyReply = z.infer<typeof PolicyReply>

/** A draft of policy.yaml. */
export const PolicyDraft = z.strictObject({ text: z.string().max(mostChars) })

/**
 * The judgement on a draft. `problems`: why it could not be used; `line` and `column` count from 1. `summary` and `changes`: what it adds to the shipped
 * rules. `unmet`: rules whose cards nobody here could approve. `unchecked`: tools of attached servers that it names.
 */
export const PolicyCheckReply = z.object({
  problems: z.array(z.object({ line: z.int(), column: z.int(), message: z.string() })),
  summary: z.string().optional(),
  changes: z.array(z.string()),
  unmet: z.array(z.string()),
  unchecked: z.array(z.string()),
})
export type PolicyCheckReply = z.infer<typeof PolicyCheckReply>

/** `entries`: how many of the newest journal entries are judged again. */
export const PolicyReplayBody = PolicyDraft.extend({ entries: z.int().min(1).max(mostReplayed).default(mostReplayed) })

/**
 * The calls that a draft would have judged differently, the most frequent first. `calls`: how many were judged again. `since`: the time of the oldest
 * entry that was read, Unix ms; absent: the journal is empty.
 */
export const PolicyReplayReply = z.object({
  calls: z.int(),
  since: z.int().optional(),
  changed: z.array(
    z.object({
      toolName: z.string(),
      target: z.string(),
      from: z.object({ tier: Tier, rule: z.string() }),
      to: z.object({ tier: Tier, rule: z.string(), reason: z.string() }),
      count: z.int(),
      lastAt: z.int(),
    }),
  ),
})
export type PolicyReplayReply = z.infer<typeof PolicyReplayReply>
