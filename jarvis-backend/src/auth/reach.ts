import { firstOwnerId, JarvisError, type PersonRef, type ShareMay } from 'protocol'
import { isAtLeast } from './roles.ts'

/** True if a person sees the things of `owner`, a person's id (absent: the first owner). Owners and operators see all, others their own. */
export const reaches = (person: PersonRef, owner: string | undefined): boolean =>
  isAtLeast(person.role, 'operator') || (owner ?? firstOwnerId) === person.id

/** Notes, prompts and passages come from everybody's chats. @throws JarvisError `forbidden` for those who do not see all of them */
export function requireHouse(person: PersonRef): void {
  if (!reaches(person, undefined))
    throw new JarvisError(
      'forbidden',
      'What JARVIS remembers comes from the chats of others too. An operator may read it.',
    )
}

/** Rights in a session, from least to most. `own`: also name, share and delete it. */
const reachesInOrder = ['look', 'talk', 'own'] as const
export type Reach = (typeof reachesInOrder)[number]
const isEnough = (has: Reach, needs: Reach) => reachesInOrder.indexOf(has) >= reachesInOrder.indexOf(needs)

/**
 * Refuses another person's session as if there were none, unless it is shared with whoever asks. A session that is not there is left to whoever
 * looks for it.
 * @param shared what a session is shared with a person for
 */
export function createSessionReach(
  session: (id: string) => { person?: string } | undefined,
  shared: (id: string, person: string) => ShareMay | undefined,
) {
  function reachOf(person: PersonRef, id: string): Reach | undefined {
    if (isAtLeast(person.role, 'operator')) return 'own'
    const known = session(id)
    return known === undefined || reaches(person, known.person) ? 'own' : shared(id, person.id)
  }
  return {
    /**
     * Whether a person may read words of a session wherever they stand. What is kept of one that is deleted is closed to whoever does not see all of
     * them, because nobody knows any more whose it was.
     */
    reads: (person: PersonRef, id: string): boolean =>
      isAtLeast(person.role, 'operator') || (session(id) !== undefined && reachOf(person, id) !== undefined),
    mayTalk(person: PersonRef, id: string): boolean {
      const reach = reachOf(person, id)
      return reach !== undefined && isEnough(reach, 'talk')
    },
    /** @throws JarvisError `unknown_session`; `forbidden` where it is shared for less */
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
export type SessionReach = ReturnType<typeof createSessionReach>
/** Tells which person may read the words of which session. */
export type Reading = Pick<SessionReach, 'reads'>
