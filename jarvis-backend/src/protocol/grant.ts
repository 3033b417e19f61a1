import { z } from 'zod'
import { Principal, Target } from './tier.ts'

/**
 * Requested with an approval: the same call may run again within `minutes`, and `uses` times besides this one. `forHelpers`: also where
 * another agent makes it in a child run of whom it serves.
 */
export const GrantRequest = z
  .strictObject({
    minutes: z.int().min(1).max(1440).optional(),
    uses: z.int().min(1).max(50).optional(),
    forHelpers: z.literal(true).optional(),
  })
  .refine(({ minutes, uses }) => minutes !== undefined || uses !== undefined, 'needs minutes, uses or both')
export type GrantRequest = z.infer<typeof GrantRequest>

/** A bounded permission, made with an approval: this tool with these arguments on this target, for this principal. */
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
  /** The operator who made the grant, and the card's id. */
  by: z.string(),
  toolUseId: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  uses: z.int(),
  usesLeft: z.int(),
})
export type Grant = z.infer<typeof Grant>
