import type { Cluster } from 'homelab-ports/ports'
import { z } from 'zod'
import { type Route, route } from '../../src/http/route.ts'

const Uptimes = z.object({ items: z.array(z.object({ node: z.string(), uptimeS: z.number().optional() })) })

/** `/api/uptimes`: how long the nodes have run. */
export const uptimeRoutes = (cluster: Pick<Cluster, 'state'>): Route[] => [
  route('/uptimes').get('How long each node has run, s.', { role: 'viewer', token: 'read', reply: Uptimes }, () => ({
    items: cluster.state().nodes.map(({ name, uptimeS }) => ({ node: name, uptimeS })),
  })),
]
