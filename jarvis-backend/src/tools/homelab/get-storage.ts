import type { Storage } from 'protocol'
import { shareOf } from 'protocol/facts'
import { z } from 'zod'
import { percentOr, plainName, storageLine } from '../../homelab/format.ts'
import { leadLines, leadSummary } from '../../homelab/unknown.ts'
import { StoragesOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { limitOf, nodeFilter, readTimeoutMs } from './inputs.ts'
import { listText, requireNode, usualLimit } from './listing.ts'

export const getStorage = homelabTool({
  name: 'get_storage',
  title: 'List storages',
  description:
    'Lists storages, fullest first, one line each: name, type, node or shared, used and total, what it holds, whether it can be reached.',
  ...reading,
  needs: [rights.storages],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({
    node: nodeFilter.describe('Only what this node can use, shared storage included. Absent: all nodes.'),
    status: z.enum(['active', 'inactive']).optional().describe('Only storages that can, or cannot, be reached.'),
    limit: limitOf(usualLimit),
  }),
  example: {},
  output: StoragesOutput,
  async run({ node, status, limit }, _context, { cluster }) {
    const state = cluster.state()
    requireNode(state, node)
    const fill = (storage: Storage) => shareOf(storage.usedBytes, storage.totalBytes)
    const found = state.storages
      .filter((storage) => node === undefined || storage.node === undefined || storage.node === node)
      .filter(({ isActive }) => status === undefined || isActive === (status === 'active'))
      .sort((a, b) => (fill(b) ?? -1) - (fill(a) ?? -1))
    const shown = found.slice(0, limit ?? usualLimit)
    const [fullest] = found
    const isUnread = state.unread?.includes('storages') === true
    const head = isUnread ? 'Storages are unknown.' : `${found.length} storages.`
    const lead = leadSummary(state)
    const summary = isUnread
      ? 'storages unknown'
      : fullest === undefined
        ? 'No storage'
        : `${plainName(fullest.name)} ${fill(fullest) === undefined ? 'use unknown' : `${percentOr(fill(fullest))} full`}`
    return {
      text: listText({
        head,
        lines: shown.map(storageLine),
        left: found.length - shown.length,
        lead: leadLines(state),
      }),
      summary: lead === undefined ? summary : `${lead}; ${summary}`,
      data: {
        storages: isUnread ? null : shown,
        total: isUnread ? null : found.length,
        missing: state.missing,
        ...(state.unreachableSince !== undefined && { unreachableSince: state.unreachableSince }),
      },
      isError: isUnread || state.unreachableSince !== undefined,
    }
  },
})
