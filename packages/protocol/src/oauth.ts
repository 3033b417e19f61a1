import { z } from 'zod'
import { RequestsPerMinute } from './api-token.ts'

/** `query`: the query string of the consent page's address, as the client made it. */
export const OAuthOpenBody = z.strictObject({ query: z.string().max(8_000) })
export const OAuthDecisionBody = z.strictObject({
  allow: z.boolean(),
  isReadOnly: z.boolean().default(true),
  /** Absent: 300. */
  requestsPerMinute: RequestsPerMinute.optional(),
})

/** The facts that the consent page shows. */
export const OAuthAsk = z.object({
  id: z.string(),
  /** The client's own name for itself. It is not verified unless `documentHost` is set. */
  clientName: z.string(),
  documentHost: z.string().optional(),
  /** The host that the answer is sent to. */
  redirectHost: z.string(),
  /** The answer goes to a program on the browser's own machine; which program is unknown. */
  isOnThisMachine: z.boolean(),
  /** The client asks for more than reading. */
  mayAsk: z.boolean(),
})
export type OAuthAsk = z.infer<typeof OAuthAsk>
/** A request that cannot be granted. `returnTo`: the address that reports the problem to the client. */
export const OAuthProblem = z.object({ problem: z.string(), redirectHost: z.string(), returnTo: z.string() })
export type OAuthProblem = z.infer<typeof OAuthProblem>
export const OAuthDecisionReply = z.object({ redirectTo: z.string() })
export type OAuthDecisionReply = z.infer<typeof OAuthDecisionReply>
