import { asShown, type ClusterState, ShownCluster, Status } from 'protocol'
import { openApiRoute } from './openapi.ts'
import { get, type Route } from './route.ts'

/** The table of all REST routes: those of the parts, the state of the server and of the cluster, and the table's own description. */
export function routeTable(parts: {
  routes: readonly Route[]
  version: string
  status(): Status
  /** The part of the cluster that a person may see. */
  cluster(person: string): ClusterState
}): Route[] {
  const table: Route[] = [
    get(
      '/status',
      'The state of the running server: version, models, policy and the health of each part.',
      { role: 'viewer', forMembers: true, token: 'read', reply: Status },
      parts.status,
    ),
    get(
      '/cluster',
      'Nodes, guests, storages and tasks; `missing` says what could not be read.',
      { role: 'viewer', forMembers: true, token: 'read', reply: ShownCluster },
      ({ identity }) => asShown(parts.cluster(identity.person.id)),
    ),
    openApiRoute(() => table, parts.version),
    ...parts.routes,
  ]
  return table
}
