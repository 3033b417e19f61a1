import type { Cluster } from 'homelab-ports/ports'
import { z } from 'zod'
import { get, type Route } from '../../src/http/route.ts'

const Uptimes = z.object({ items: z.array(z.object({ node: z.string(), uptimeS: z.number().optional() })) })

/** `/api/uptimes`: how long the nodes have run. */
export const uptimeRoutes = (cluster: Pick<Cluster, 'state'>): Route[] => [
  get('/uptimes', 'How long each node has run, s.', { role: 'viewer', token: 'read', reply: Uptimes }, () => ({
    items: cluster.state().nodes.map(({ name, uptimeS }) => ({ node: name, uptimeS })),
  })),
]
