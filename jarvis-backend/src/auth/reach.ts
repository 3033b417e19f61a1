import { firstOwnerId, JarvisError, type PersonRef } from '../protocol/index.ts'
import { isAtLeast } from './roles.ts'

/** Whether a person sees what belongs to `owner`, another person's id (absent: the first owner's): owners and operators see all, others their own. */
export const reaches = (person: PersonRef, owner: string | undefined): boolean =>
  isAtLeast(person.role, 'operator') || (owner ?? firstOwnerId) === person.id

/**
 * Refuses another person's session as if there were none. A session that is not there is left to whoever looks for it.
 * @throws JarvisError `unknown_session`
 */
export function createSessionReach(session: (id: string) => { person?: string } | undefined) {
  const sees = (person: PersonRef, id: string): boolean => {
    if (isAtLeast(person.role, 'operator')) return true
    const known = session(id)
    return known === undefined || reaches(person, known.person)
  }
  return {
    sees,
    require(person: PersonRef, id: string): void {
      if (!sees(person, id)) {
        throw new JarvisError('unknown_session', 'There is no such session. It may have been deleted.')
      }
    },
  }
}
export type SessionReach = ReturnType<typeof createSessionReach>
