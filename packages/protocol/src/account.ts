import { z } from 'zod'
import { PersonName, PersonRole } from './person.ts'

/** An account at another service that a person signs in with. `name` and `email`: as the service states them, unchecked. Times in Unix ms. */
export const ForeignAccount = z.object({
  id: z.string(),
  issuer: z.string(),
  /** The service's id of the account. `issuer` and `subject` together identify the account. */
  subject: z.string(),
  name: z.string().optional(),
  email: z.string().optional(),
  /** The id of the person who owns the account; absent: an owner has yet to admit the account. */
  person: z.string().optional(),
  createdAt: z.int(),
  lastSeenAt: z.int(),
})
export type ForeignAccount = z.infer<typeof ForeignAccount>

/**
 * `service`: the display name of the other service that people sign in at; absent: there is none. `problem`: why signing in there does not work at
 * this address.
 */
export const ForeignAccountsReply = z.object({
  items: z.array(ForeignAccount),
  service: z.string().optional(),
  problem: z.string().optional(),
})
export type ForeignAccountsReply = z.infer<typeof ForeignAccountsReply>

/**
 * `page`: SHA-256 of a secret, base64url. The page keeps the secret while the browser is at the other service, and sends it to finish the sign-in,
 * so that only the page that began can finish.
 */
export const ElsewhereBody = z.strictObject({ page: z.string().regex(/^[\w-]{43}$/, 'is a SHA-256 in base64url') })
export const ElsewhereReply = z.object({ redirectTo: z.string() })
export type ElsewhereReply = z.infer<typeof ElsewhereReply>
export const ElsewhereFinishBody = z.strictObject({ secret: z.string().min(20).max(200) })
/** The name and role of the person that an owner makes for an account. */
export const AdmitBody = z.strictObject({ name: PersonName, role: PersonRole })
