import { asShown, type ClusterState, ShownCluster, Status } from '../protocol/index.ts'
import { openApiRoute } from './openapi.ts'
import { get, type Route } from './route.ts'

/** The table of all REST routes: those of the parts, the state of the server and of the cluster, and the table's own description. */
export function routeTable(parts: {
  routes: readonly Route[]
  version: string
  status(): Status
  cluster(): ClusterState
}): Route[] {
  const table: Route[] = [
    get(
      '/status',
      'The state of the running server: version, models, policy and the health of each part.',
      { role: 'viewer', reply: Status },
      parts.status,
    ),
    get(
      '/cluster',
      'Nodes, guests, storages and tasks; `missing` says what could not be read.',
      { role: 'viewer', reply: ShownCluster },
      () => asShown(parts.cluster()),
    ),
    openApiRoute(() => table, parts.version),
    ...parts.routes,
  ]
  return table
}
