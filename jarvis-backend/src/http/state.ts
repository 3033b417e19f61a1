import { asShown, type ClusterState, ShownCluster, Status } from 'protocol'
import { type Route, route } from './route.ts'

/** `/api/status` and `/api/cluster`. */
export const stateRoutes = (parts: {
  status(): Status
  /** The part of the cluster that a person may see. */
  cluster(person: string): ClusterState
}): Route[] => [
  route('/status').get(
    'The state of the running server: version, models, policy and the health of each part.',
    { role: 'viewer', forMembers: true, token: 'read', reply: Status },
    parts.status,
  ),
  route('/cluster').get(
    'Nodes, guests, storages and tasks; `missing` says what could not be read.',
    { role: 'viewer', forMembers: true, token: 'read', reply: ShownCluster },
    ({ identity }) => asShown(parts.cluster(identity.person.id)),
  ),
]
