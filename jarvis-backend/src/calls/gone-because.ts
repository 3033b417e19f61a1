import type { GoneBecause } from '../agent/run/gone.ts'
import type { People } from './people.ts'

export type GoneParts = {
  people: Pick<People, 'find'>
  /** Returns true if this person may ask for anything now. @param person undefined: the first owner */
  mayAsk(person: string | undefined): boolean
  reach: { mayTalk(person: NonNullable<ReturnType<People['find']>>, sessionId: string): boolean }
  /** Programs' tokens. Times are Unix ms; `expiresAt` undefined: no end. */
  apiTokens: { list(): readonly { name: string; createdAt: number; expiresAt?: number | undefined }[] }
  now(): number
}

/** Makes the function that returns why a principal may no longer ask for calls; undefined if it may. */
export const createGoneBecause =
  ({ people, mayAsk, reach, apiTokens, now }: GoneParts): GoneBecause =>
  ({ token, person }, askedAt, { looksOnly, sessionId }) => {
    const isThere = looksOnly ? people.find(person) !== undefined : mayAsk(person)
    if (!isThere) return 'Whoever asked for it may not ask any more.'
    const asker = sessionId === undefined ? undefined : people.find(person)
    if (sessionId !== undefined && asker !== undefined && !reach.mayTalk(asker, sessionId))
      return 'The conversation is no longer shared with whoever asked.'
    if (token === undefined) return undefined
    // A token that was made again under the same name is another token, and did not ask for this.
    const known = apiTokens.list().find(({ name, createdAt }) => name === token && createdAt <= askedAt)
    if (known === undefined) return 'Its token was revoked.'
    return (known.expiresAt ?? Number.POSITIVE_INFINITY) > now() ? undefined : 'Its token has expired.'
  }
