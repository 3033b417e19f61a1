import { ProofsReply } from 'protocol'
import type { Drills } from '../drill/drills.ts'
import { type Route, route } from './route.ts'

/** `/api/proofs`: each guest's newest restore proof, and the drill that has not ended. */
export const proofRoutes = (drills: Pick<Drills, 'proofs'>): Route[] => [
  route('/proofs').get(
    'Each guest’s newest [restore proof](restore-drill.md), newest first, and the drill that has not ended.',
    { role: 'viewer', token: 'read', reply: ProofsReply },
    () => drills.proofs(),
  ),
]
