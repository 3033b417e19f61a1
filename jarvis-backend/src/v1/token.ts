import type { IncomingMessage } from 'node:http'
import { hashOf } from 'node-kit/canonical'
import type { TokenScope } from 'protocol'

/** A token of a program. A later token with the same name is a different token. `person`: the person who created it; absent: the first owner. */
export type ProgramToken = { name: string; createdAt: number; scope: TokenScope; person?: string }

/** Checks the tokens of callers of `/v1`. */
export type ProgramBearer = {
  /**
   * Reads the token from the `Authorization` header only. `stillCounts` throws like `verify` once the token is no longer valid. @throws JarvisError
   * `unauthorized`, `token_expired`; `forbidden` if the token is for other doors
   */
  verify(request: IncomingMessage): { token: ProgramToken; stillCounts(): void }
}

/** The token's key in stored records and in session ids: name and creation time, so that a later token of the same name has another key. */
export const tokenKey = ({ name, createdAt }: ProgramToken): string => `${name} ${createdAt}`

/** Returns the prefix of the ids of a token's sessions. It differs for each token, so no token can use the session of another. */
const prefixOf = (token: ProgramToken) => `ses_v1_${hashOf(tokenKey(token)).slice(0, 16)}_`

/** Returns the id of the session to which a program gave a name. The same token, agent and name give the same id. */
export const sessionIdOf = (token: ProgramToken, agent: string, name: string): string =>
  `${prefixOf(token)}${hashOf([agent, name]).slice(0, 32)}`

/** Returns a new session id for one request. @param random a random text, long enough to be unique */
export const newSessionId = (token: ProgramToken, random: string): string => prefixOf(token) + random

/** Returns the id of a token's session from the part after the prefix. */
export const sessionOfId = (token: ProgramToken, id: string): string => prefixOf(token) + id

export const isOf = (token: ProgramToken, sessionId: string): boolean => sessionId.startsWith(prefixOf(token))
