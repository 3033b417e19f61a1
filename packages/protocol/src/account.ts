import { z } from 'zod'
import { PersonName, PersonRole } from './person.ts'

/**
 * An account of another service that somebody signs in with. `name` and `email`: what the service says of it, unchecked. Times in Unix ms.
 */
export const ForeignAccount = z.object({
  id: z.string(),
  issuer: z.string(),
  /** The service's id of the account; with `issuer`, the key. */
  subject: z.string(),
  name: z.string().optional(),
  email: z.string().optional(),
  /** The id of the person who owns the account; absent: it waits for an owner. */
  person: z.string().optional(),
  createdAt: z.int(),
  lastSeenAt: z.int(),
})
export type ForeignAccount = z.infer<typeof ForeignAccount>

/** `service`: what signing in from elsewhere is called here; absent: there is none. `problem`: why it does not work at this address. */
export const ForeignAccountsReply = z.object({
  items: z.array(ForeignAccount),
  service: z.string().optional(),
  problem: z.string().optional(),
})
export type ForeignAccountsReply = z.infer<typeof ForeignAccountsReply>

/** `page`: SHA-256 of a secret that the page keeps and shows when the browser is back, base64url. */
export const ElsewhereBody = z.strictObject({ page: z.string().regex(/^[\w-]{43}$/, 'is a SHA-256 in base64url') })
export const ElsewhereReply = z.object({ redirectTo: z.string() })
export type ElsewhereReply = z.infer<typeof ElsewhereReply>
export const ElsewhereFinishBody = z.strictObject({ secret: z.string().min(20).max(200) })
/** The person that an account becomes. */
export const AdmitBody = z.strictObject({ name: PersonName, role: PersonRole })
