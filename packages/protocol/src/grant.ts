import { z } from 'zod'
import { GrantScope, Principal, Target } from './tier.ts'

/**
 * Requested with an approval: the same call may run again within `minutes`, and `uses` times besides this one. `forHelpers`: also where
 * another agent makes it in a child run of whom it serves. `scope`: the id of the card's `scope`: other calls of its kind there too, in the
 * card's conversation; it takes both bounds, and at most two hours.
 */
export const GrantRequest = z
  .strictObject({
    minutes: z.int().min(1).max(1440).optional(),
    uses: z.int().min(1).max(50).optional(),
    forHelpers: z.literal(true).optional(),
    scope: z.string().min(1).max(300).optional(),
  })
  .refine(({ minutes, uses }) => minutes !== undefined || uses !== undefined, 'needs minutes, uses or both')
  .refine(
    ({ scope, minutes = Number.POSITIVE_INFINITY, uses }) =>
      scope === undefined || (minutes <= 120 && uses !== undefined),
    'needs minutes (at most 120) and uses where it has a scope',
  )
export type GrantRequest = z.infer<typeof GrantRequest>

/**
 * A bounded permission, made with an approval: this tool with these arguments on this target, for this principal. With `scope` it covers
 * calls of that kind there, and `toolName`, `toolInput` and `target` are of the call whose card was approved.
 */
export const Grant = z.object({
  id: z.string(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  target: Target,
  /** The rule that the approval answered; the grant does not cover calls that another rule stops. */
  rule: z.string(),
  /** Whom the grant serves: the chat, the operator's own commands, or one program's token. */
  requestedBy: Principal,
  /** It serves child runs of that principal too. */
  forHelpers: z.literal(true).optional(),
  scope: GrantScope.optional(),
  /** The operator who made the grant, and the card's id. */
  by: z.string(),
  toolUseId: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  uses: z.int(),
  usesLeft: z.int(),
})
export type Grant = z.infer<typeof Grant>
