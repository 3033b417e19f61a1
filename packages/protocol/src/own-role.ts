import { z } from 'zod'
import { DecisionProof } from './passkey.ts'
import { Approve, Tier } from './tier.ts'

/** A role and its rights. `scopes`: one sentence for each right. `people`: number of people who have the role and may sign in. */
export const RoleInfo = z.object({
  name: z.string(),
  /** True: the role is built into JARVIS. Otherwise policy.yaml defines it. */
  builtIn: z.boolean(),
  /** All scopes in one sentence. */
  sentence: z.string(),
  scopes: z.array(z.string()),
  people: z.int(),
})
export type RoleInfo = z.infer<typeof RoleInfo>

/** A call to try out as a person, by id or name, or as a role. */
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

const TryVerdict = z.enum(['runs', 'asks', 'refused', 'black'])

/** The verdict on one call of a plan; absent if the call takes a value that the plan reads only when it is made. `number`: from 1. */
export const TriedStep = z.object({
  number: z.int(),
  toolName: z.string(),
  verdict: TryVerdict.optional(),
  because: z.string(),
})
/** The verdict that a call would get. `refused`: its arguments are wrong; `black`: it is not allowed. `who`: the people who could decide its card. */
export const TryRoleReply = z.object({
  verdict: TryVerdict,
  tier: Tier,
  rule: z.string(),
  because: z.string(),
  who: z.string().optional(),
  approve: Approve.optional(),
  /** For a call that proposes a plan: the verdict on each of its calls. The plan itself has the strictest of them. */
  steps: z.array(TriedStep).optional(),
})
export type TryRoleReply = z.infer<typeof TryRoleReply>

/** A decision by one owner alone on a card that several people must approve. `reason`: why, for everybody to read. */
export const BreakGlassBody = z.strictObject({
  reason: z.string().trim().min(10, 'must say why in at least 10 characters: everybody is told').max(500),
  /** Required if the card has `proof`. The signed terms must include `alone`. */
  proof: DecisionProof.optional(),
})
