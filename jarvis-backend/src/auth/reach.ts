import { firstOwnerId, JarvisError, type PersonRef, type ShareMay } from 'protocol'
import { isAtLeast } from './roles.ts'

/**
 * True if a person sees the things of `owner`, a person's id (absent: the first owner). Owners and operators see all things, other people only their
 * own.
 */
export const reaches = (person: PersonRef, owner: string | undefined): boolean =>
  isAtLeast(person.role, 'operator') || (owner ?? firstOwnerId) === person.id

/**
 * Requires that a person sees everything, because notes, prompts and passages come from everybody's chats. @throws JarvisError `forbidden` for a
 * person who does not see all chats
 */
export function requireHouse(person: PersonRef): void {
  if (!reaches(person, undefined))
    throw new JarvisError(
      'forbidden',
      'What JARVIS remembers comes from the chats of others too. An operator may read it.',
    )
}

/** Rights in a session, from fewest to most. `own`: may also rename, share and delete it. */
const reachesInOrder = ['look', 'talk', 'own'] as const
export type Reach = (typeof reachesInOrder)[number]
const isEnough = (has: Reach, needs: Reach) => reachesInOrder.indexOf(has) >= reachesInOrder.indexOf(needs)

export interface SessionReach {
  /**
   * Tells if a person may read the words of a session wherever they are stored. Words of a deleted session are closed to a person who does not see
   * all sessions, because its owner is no longer known.
   */
  reads(person: PersonRef, id: string): boolean
  mayTalk(person: PersonRef, id: string): boolean
  /** @throws JarvisError `unknown_session`; `forbidden` if the session is shared with fewer rights */
  require(person: PersonRef, id: string, needs: Reach): void
}

/**
 * Refuses access to another person's session as if the session did not exist, unless it is shared with the person who asks. If the session does not
 * exist, the caller's own lookup reports that. @param shared the access with which a session is shared with a person
 */
export function createSessionReach(
  session: (id: string) => { person?: string } | undefined,
  shared: (id: string, person: string) => ShareMay | undefined,
): SessionReach {
  function reachOf(person: PersonRef, id: string): Reach | undefined {
    if (isAtLeast(person.role, 'operator')) return 'own'
    const known = session(id)
    return known === undefined || reaches(person, known.person) ? 'own' : shared(id, person.id)
  }
  return {
    reads: (person: PersonRef, id: string): boolean =>
      isAtLeast(person.role, 'operator') || (session(id) !== undefined && reachOf(person, id) !== undefined),
    mayTalk(person: PersonRef, id: string): boolean {
      const reach = reachOf(person, id)
      return reach !== undefined && isEnough(reach, 'talk')
    },
    require(person: PersonRef, id: string, needs: Reach): void {
      const reach = reachOf(person, id)
      if (reach === undefined)
        throw new JarvisError('unknown_session', 'There is no such session. It may have been deleted.')
      if (isEnough(reach, needs)) return
      throw new JarvisError(
        'forbidden',
        needs === 'talk'
          ? 'This conversation is shared with you to read. Whoever shared it can let you write in it too.'
          : 'This conversation is shared with you, and is not yours. Ask whose it is.',
      )
    },
  }
}
/** Tells which person may read the words of which session. */
export type Reading = Pick<SessionReach, 'reads'>
