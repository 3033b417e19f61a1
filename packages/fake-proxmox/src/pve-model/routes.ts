import { accessRoutes } from './access.ts'
import { agentRoutes } from './guests/agent.ts'
import { backupRoutes } from './guests/backup.ts'
import { cloneRoutes } from './guests/clone.ts'
import { configRoutes } from './guests/config.ts'
import { createRoutes } from './guests/create.ts'
import { destroyRoutes } from './guests/destroy.ts'
import { moveRoutes } from './guests/move.ts'
import { snapshotRoutes } from './guests/snapshots.ts'
import { statusRoutes } from './guests/status.ts'
import { networkRoutes } from './network/routes.ts'
import { clusterRoutes } from './nodes/cluster-routes.ts'
import { diskRoutes } from './nodes/disk-routes.ts'
import { healthRoutes } from './nodes/health-routes.ts'
import { nodeRoutes } from './nodes/node-routes.ts'
import { replicationRoutes } from './nodes/replication.ts'
import { poolRoutes } from './pools.ts'
import type { Route } from './route.ts'
import { contentRoutes } from './storage/content.ts'
import { taskRoutes } from './tasks.ts'

/** All routes of the model. The first that matches a request answers it. */
export const routes: readonly Route[] = [
  ...configRoutes,
  ...snapshotRoutes,
  ...statusRoutes,
  ...backupRoutes,
  ...createRoutes,
  ...cloneRoutes,
  ...moveRoutes,
  ...agentRoutes,
  ...destroyRoutes,
  ...contentRoutes,
  ...accessRoutes,
  ...poolRoutes,
  ...taskRoutes,
  ...diskRoutes,
  ...nodeRoutes,
  ...healthRoutes,
  ...networkRoutes,
  ...replicationRoutes,
  ...clusterRoutes,
]
