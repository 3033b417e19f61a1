import { z } from 'zod'
import { DecisionProof } from './passkey.ts'
import { Approve, Tier } from './tier.ts'

/** A role and what it may. `scopes`: a sentence each. `people`: how many have it and may sign in. */
export const RoleInfo = z.object({
  name: z.string(),
  /** JARVIS brings it; otherwise it stands in policy.yaml. */
  builtIn: z.boolean(),
  /** All scopes in a row. */
  sentence: z.string(),
  scopes: z.array(z.string()),
  people: z.int(),
})
export type RoleInfo = z.infer<typeof RoleInfo>

/** A call to be tried out as a person, by id or name, or as a role. */
export const TryRoleBody = z
  .strictObject({
    person: z.string().min(1).max(200).optional(),
    role: z.string().min(1).max(40).optional(),
    toolName: z.string().min(1).max(200),
    toolInput: z.record(z.string(), z.unknown()),
  })
  .refine(({ person, role }) => (person === undefined) !== (role === undefined), {
    error: 'give either person or role',
  })

/** The verdict that a call would get. `refused`: its arguments are wrong; `black`: it is not allowed. `who`: the people who would decide a card. */
export const TryRoleReply = z.object({
  verdict: z.enum(['runs', 'asks', 'refused', 'black']),
  tier: Tier,
  rule: z.string(),
  because: z.string(),
  who: z.string().optional(),
  approve: Approve.optional(),
})
export type TryRoleReply = z.infer<typeof TryRoleReply>

/** Why an owner decides alone what several people must approve. */
export const BreakGlassBody = z.strictObject({
  reason: z.string().trim().min(10, 'must say why in at least 10 characters: everybody is told').max(500),
  /** Where the card has `proof`: signed with `alone`. */
  proof: DecisionProof.optional(),
})
