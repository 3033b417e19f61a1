import type { GoneBecause } from '../agent/run/gone.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { People } from './people.ts'

export type GoneParts = {
  people: Pick<People, 'find'>
  /** Returns whether a person may ask for anything now. @param person undefined: the first owner */
  mayAsk(person: string | undefined): boolean
  reach: Pick<SessionReach, 'mayTalk'>
  apiTokens: Pick<ApiTokens, 'list'>
  now(): number
}

/** Makes the function that tells why a principal may not ask any more. */
export const createGoneBecause =
  ({ people, mayAsk, reach, apiTokens, now }: GoneParts): GoneBecause =>
  ({ token, person }, askedAt, looksOnly, sessionId) => {
    const isThere = looksOnly ? people.find(person) !== undefined : mayAsk(person)
    if (!isThere) return 'Whoever asked for it may not ask any more.'
    const asker = sessionId === undefined ? undefined : people.find(person)
    if (sessionId !== undefined && asker !== undefined && !reach.mayTalk(asker, sessionId))
      return 'The conversation is no longer shared with whoever asked.'
    if (token === undefined) return undefined
    // A token made again under the same name is a new token: it has asked for nothing yet.
    const known = apiTokens.list().find(({ name, createdAt }) => name === token && createdAt <= askedAt)
    if (known === undefined) return 'Its token was revoked.'
    return (known.expiresAt ?? Number.POSITIVE_INFINITY) > now() ? undefined : 'Its token has expired.'
  }
