import { firstOwnerId } from 'protocol/facts'
import { signedIn } from '../../api/auth.ts'
import { useSession } from '../../api/sessions.ts'
import { useValue } from '../../lib/use-value.ts'

/** True if whoever looks may rename, branch and delete a session: it is theirs, or they see all. Until it is known whose it is, the server says. */
export function useOwns(sessionId: string): boolean {
  const me = useValue(signedIn)
  const listed = useSession(sessionId)
  if (me?.mayAsk !== true) return false
  return me.role === 'operator' || listed === undefined || (listed.person ?? firstOwnerId) === me.id
}
