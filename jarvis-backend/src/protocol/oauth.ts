import { z } from 'zod'

/** `query`: of the page's own address, as the client made it. */
export const OAuthOpenBody = z.strictObject({ query: z.string().max(8_000) })
export const OAuthDecisionBody = z.strictObject({ allow: z.boolean(), isReadOnly: z.boolean().default(true) })

/** What the consent page shows. */
export type OAuthAsk = {
  id: string
  /** What it calls itself: nothing proves it, but `documentHost` where it is there. */
  clientName: string
  documentHost?: string
  /** Where its answer goes. */
  redirectHost: string
  /** That is a program on the very machine the browser is on, whichever it may be. */
  isOnThisMachine: boolean
  /** It asks for more than to read. */
  mayAsk: boolean
}
/** A request that cannot be granted. `returnTo`: tells the client so, when the person follows it. */
export type OAuthProblem = { problem: string; redirectHost: string; returnTo: string }
export type OAuthDecisionReply = { redirectTo: string }
