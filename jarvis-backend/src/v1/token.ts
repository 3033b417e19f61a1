import type { IncomingMessage } from 'node:http'
import { hashOf } from 'node-kit/canonical'
import type { TokenScope } from 'protocol'

/** A token of a program. A later token of the same name is another one. `person`: who made it; absent: the first owner. */
export type ProgramToken = { name: string; createdAt: number; scope: TokenScope; person?: string }

/** Checks who uses `/v1`. */
export type ProgramBearer = {
  /**
   * Reads the `Authorization` header only. `stillCounts` throws as `verify` does once the token is no longer valid.
   * @throws JarvisError `unauthorized`, `token_expired`, `forbidden` (a token for other doors)
   */
  verify(request: IncomingMessage): { token: ProgramToken; stillCounts(): void }
}

/** Names a token in what is stored. */
export const tokenKey = ({ name, createdAt }: ProgramToken): string => `${name} ${createdAt}`

/** How the ids of a token's sessions begin, so that no token reaches another one's. */
const prefixOf = (token: ProgramToken) => `ses_v1_${hashOf(tokenKey(token)).slice(0, 16)}_`

/** The session that a program means by a name of its own; the same for the same name and agent. */
export const sessionIdOf = (token: ProgramToken, agent: string, name: string): string =>
  `${prefixOf(token)}${hashOf([agent, name]).slice(0, 32)}`

/** The id of a session for one request, which no other request was given. @param random of enough letters */
export const newSessionId = (token: ProgramToken, random: string): string => prefixOf(token) + random

/** The part of a session's id that its token does not give. */
export const idIn = (sessionId: string): string => sessionId.slice(sessionId.lastIndexOf('_') + 1)

/** The session of a token with that part in its id. */
export const sessionOfId = (token: ProgramToken, id: string): string => prefixOf(token) + id

export const isOf = (token: ProgramToken, sessionId: string): boolean => sessionId.startsWith(prefixOf(token))
