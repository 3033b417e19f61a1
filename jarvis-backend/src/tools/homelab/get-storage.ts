import { z } from 'zod'
import { percent, plainName, ratioOf, storageLine } from '../../homelab/format.ts'
import type { Cluster } from '../../homelab/ports.ts'
import { StoragesOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { limitOf, nodeFilter, readTimeoutMs } from './inputs.ts'
import { listText, requireNode, usualLimit } from './listing.ts'

export const getStorage = (cluster: Cluster) =>
  defineTool({
    name: 'get_storage',
    title: 'List storages',
    description:
      'Lists storages, fullest first, one line each: name, type, node or shared, used and total, what it holds, whether it can be reached. Shared storage is listed once.',
    tier: 'green',
    timeoutMs: readTimeoutMs,
    input: z.strictObject({
      node: nodeFilter.describe('Only what this node can use, shared storage included. Absent: all nodes.'),
      status: z.enum(['active', 'inactive']).optional().describe('Only storages that can, or cannot, be reached.'),
      limit: limitOf(usualLimit),
    }),
    output: StoragesOutput,
    async run({ node, status, limit }) {
      const state = cluster.state()
      requireNode(state, node)
      const fill = (storage: { usedBytes: number; totalBytes: number }) =>
        ratioOf(storage.usedBytes, storage.totalBytes)
      const found = state.storages
        .filter((storage) => node === undefined || storage.node === undefined || storage.node === node)
        .filter(({ isActive }) => status === undefined || isActive === (status === 'active'))
        .sort((a, b) => fill(b) - fill(a))
      const shown = found.slice(0, limit ?? usualLimit)
      const [fullest] = found
      return {
        text: listText(`${found.length} storages.`, shown.map(storageLine), found.length - shown.length, state.missing),
        summary: fullest === undefined ? 'No storage' : `${plainName(fullest.name)} ${percent(fill(fullest))} full`,
        data: { storages: shown, total: found.length, missing: state.missing },
      }
    },
  })
