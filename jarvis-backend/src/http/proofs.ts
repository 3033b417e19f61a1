import { ProofsReply } from 'protocol'
import type { Drills } from '../drill/drills.ts'
import { get, type Route } from './route.ts'

/** `/api/proofs`: each guest's newest restore proof, and the drill that has not ended. */
export const proofRoutes = (drills: Pick<Drills, 'proofs'>): Route[] => [
  get(
    '/proofs',
    'Each guest’s newest [restore proof](restore-drill.md), newest first, and the drill that has not ended.',
    { role: 'viewer', token: 'read', reply: ProofsReply },
    () => drills.proofs(),
  ),
]
