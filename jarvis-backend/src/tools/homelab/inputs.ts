import { z } from 'zod'

export const NodeName = z.string().min(1).max(64)
export const Vmid = z.int().min(100).max(999_999_999)

export const nodeFilter = NodeName.optional().describe('Only this node. Absent: all.')
export const guestStatus = z
  .enum(['running', 'stopped', 'paused', 'unknown'])
  .optional()
  .describe('Only in this state. `unknown`: their node is offline.')

/** @param usual the number that is shown if the caller gives none */
export const limitOf = (usual: number) =>
  z.int().min(1).max(200).optional().describe(`How many at most. Absent: ${usual}.`)

export const readTimeoutMs = 30_000
export const askedAnyway = 'A person is asked first: call it directly.'

/** A text that must match a pattern. The model is not told the pattern, because it would cost more tokens than a rare mistake does. */
export const textLike = (form: RegExp, must: string) => z.string().refine((text) => form.test(text), must)
