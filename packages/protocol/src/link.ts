import { z } from 'zod'
import { PersonName, PersonRole } from './person.ts'

/** `name`: a name that the new person may take; absent: the person chooses. */
export const InvitationBody = z.strictObject({ role: PersonRole, name: PersonName.optional() })

/** A link that was not used yet. Whoever opens it can become a person with that role. Times in Unix ms. */
export const Invitation = z.object({
  id: z.string(),
  role: z.string(),
  name: z.string().optional(),
  /** Id of the owner who made the link; `cli` for the command line. */
  by: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
})
export type Invitation = z.infer<typeof Invitation>
/** `link`: the address with its secret, shown only once. */
export const InvitationReply = Invitation.extend({ link: z.string() })
export type InvitationReply = z.infer<typeof InvitationReply>

const secret = z.string().max(100)
export const LinkBody = z.strictObject({ secret })
/**
 * The purpose of a link. `join`: somebody becomes a person; `by`: the name of the inviting owner, absent for the command line. `reset`: a new
 * password for `name`. `expiresAt`: Unix ms.
 */
export const LinkReply = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('join'),
    role: z.string(),
    name: z.string().optional(),
    by: z.string().optional(),
    expiresAt: z.int(),
  }),
  z.object({ kind: z.literal('reset'), name: z.string(), expiresAt: z.int() }),
])
export type LinkReply = z.infer<typeof LinkReply>
const password = z.string().max(1_000)
export const JoinBody = z.strictObject({ secret, name: PersonName, password })
/** `code`: a code of the second factor, or a recovery code. */
export const ResetBody = z.strictObject({ secret, password, code: z.string().max(100).optional() })
