import { Grant } from 'protocol'
import { z } from 'zod'
import { reaches } from '../auth/reach.ts'
import type { Grants } from '../calls/confirmations/grants.ts'
import { type Route, route } from './route.ts'

/** `/api/grants`: lists and revokes grants. */
export const grantRoutes = (grants: Pick<Grants, 'list' | 'revoke'>): Route[] => [
  route('/grants').get(
    'Grants that count now.',
    { role: 'viewer', forMembers: true, token: 'read', reply: z.object({ items: z.array(Grant) }) },
    ({ identity: { person } }) => ({
      items: grants.list().filter(({ requestedBy }) => reaches(person, requestedBy.person)),
    }),
  ),
  route('/grants/:id').delete('Revokes a grant.', { role: 'operator' }, ({ params, by }) =>
    grants.revoke(params.id, by),
  ),
]
