import { configRoutes } from './guests/config.ts'
import { snapshotRoutes } from './guests/snapshots.ts'
import { statusRoutes } from './guests/status.ts'
import { clusterRoutes } from './nodes/cluster-routes.ts'
import { diskRoutes } from './nodes/disk-routes.ts'
import { nodeRoutes } from './nodes/node-routes.ts'
import { replicationRoutes } from './nodes/replication.ts'
import type { Route } from './route.ts'
import { taskRoutes } from './tasks.ts'

/** All that the model answers. The first that fits answers. */
export const routes: readonly Route[] = [
  ...configRoutes,
  ...snapshotRoutes,
  ...statusRoutes,
  ...taskRoutes,
  ...diskRoutes,
  ...nodeRoutes,
  ...replicationRoutes,
  ...clusterRoutes,
]
