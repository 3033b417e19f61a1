import { z } from 'zod'

/** `query`: of the consent page's address, as the client made it. */
export const OAuthOpenBody = z.strictObject({ query: z.string().max(8_000) })
export const OAuthDecisionBody = z.strictObject({ allow: z.boolean(), isReadOnly: z.boolean().default(true) })

/** What the consent page shows. */
export type OAuthAsk = {
  id: string
  /** The client's own name, unproven unless `documentHost` is set. */
  clientName: string
  documentHost?: string
  /** Host that the answer is sent to. */
  redirectHost: string
  /** The answer goes to a program on the browser's own machine; which program is unknown. */
  isOnThisMachine: boolean
  /** The client asks for more than reading. */
  mayAsk: boolean
}
/** A request that cannot be granted. `returnTo`: address that reports the problem to the client. */
export type OAuthProblem = { problem: string; redirectHost: string; returnTo: string }
export type OAuthDecisionReply = { redirectTo: string }
