import { SessionShareBody } from 'protocol'
import type { Shares } from '../agent/sessions/shares.ts'
import type { SessionReach } from '../auth/reach.ts'
import { type Route, route } from './route.ts'

/** `/api/sessions/:id/shares`: the people with whom a session is [shared](people.md#share-a-conversation). */
export const shareRoutes = ({ shares, reach }: { shares: Shares; reach(): SessionReach }): Route[] => [
  route('/sessions/:id/shares/:person').put(
    '[Shares](people.md#share-a-conversation) a session and all its versions with a person: `look` to read it, `talk` to write in it too.',
    { role: 'member', body: SessionShareBody },
    ({ params: { id, person }, body: { may }, by }) => shares.set(id, { person, may }, by),
  ),
  route('/sessions/:id/shares/:person').delete(
    'Ends the sharing with a person at once. Whoever it is shared with may end their own.',
    { role: 'viewer', forMembers: true, session: 'look' },
    ({ params: { id, person }, by, identity }) => {
      if (person !== identity.person.id) reach().require(identity.person, id, 'own')
      shares.end(id, person, by)
    },
  ),
]
