import { z } from 'zod'
import { GrantScope, Principal, Target } from './tier.ts'

/**
 * A grant that is requested with an approval: the same call may run again within `minutes`, and `uses` times after this one. `forHelpers`: also if
 * another agent makes the call in a child run of the same principal. `scope`: the id of the card's `scope`: the grant then also covers other calls
 * of that kind there, in the card's conversation. A scope requires `uses` and `minutes`, at most 120.
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
 * A bounded permission, made with an approval, for one principal: this tool with these arguments on this target. With `scope`, the grant covers
 * calls of one kind in a folder or on a website; `toolName`, `toolInput` and `target` are then those of the approved call.
 */
export const Grant = z.object({
  id: z.string(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  target: Target,
  /** The rule that made the approved call ask. The grant does not cover calls that another rule stops. */
  rule: z.string(),
  /** The principal that the grant is for: the chat, the operator's own commands, or one program's token. */
  requestedBy: Principal,
  /** The grant also covers child runs of that principal. */
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
