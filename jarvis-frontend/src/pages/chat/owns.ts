import { firstOwnerId } from 'protocol/facts'
import { signedIn } from '../../api/auth.ts'
import { useSession } from '../../api/sessions.ts'
import { useValue } from '../../lib/use-value.ts'

/**
 * True if the signed-in person may rename, branch and delete a session: it is the person's own, or the person is an operator. While the owner is
 * unknown, returns true and leaves the check to the server.
 */
export function useOwns(sessionId: string): boolean {
  const me = useValue(signedIn)
  const listed = useSession(sessionId)
  if (me?.mayAsk !== true) return false
  return me.role === 'operator' || listed === undefined || (listed.person ?? firstOwnerId) === me.id
}
