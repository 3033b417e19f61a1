import type { ClusterPart } from 'protocol'
import { clusterTime, withoutTemplates } from 'protocol/facts'
import { z } from 'zod'
import { guestLine, nodeLine, storageLine } from '../../homelab/format.ts'
import { leadLines, leadSummary } from '../../homelab/unknown.ts'
import { ResourcesOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { readTimeoutMs } from './inputs.ts'
import { seenState, usualLimit } from './listing.ts'

export const getClusterResources = homelabTool({
  name: 'get_cluster_resources',
  title: 'List all there is in the cluster',
  description:
    'Lists nodes, guests and storages together, one line each, or only one type of them. Of many guests it shows the first 60 by id: get_vms and get_containers can filter.',
  ...reading,
  shows: 'seen',
  needs: [rights.nodes, rights.guests, rights.storages],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({
    type: z
      .enum(['vm', 'container', 'storage', 'node'])
      .optional()
      .describe('`vm` is every guest, containers too, as Proxmox has it; `container` only those. Absent: everything.'),
  }),
  example: {},
  output: ResourcesOutput,
  async run({ type }, { sees }, { cluster }) {
    const state = seenState(cluster, sees)
    const wants = (kind: 'vm' | 'storage' | 'node') => type === undefined || type === kind
    const nodes = wants('node') ? state.nodes : []
    const guests = state.guests
      .filter((guest) => wants('vm') || (type === 'container' && guest.type === 'ct'))
      .sort((a, b) => a.vmid - b.vmid)
    const storages = wants('storage') ? state.storages : []
    const shown = guests.slice(0, usualLimit)
    const left = guests.length - shown.length
    const hasGuests = wants('vm') || type === 'container'
    const isUnread = (part: ClusterPart) => state.unread?.includes(part) === true
    const count = (part: ClusterPart, items: readonly unknown[]) =>
      isUnread(part) ? `${part} unknown` : `${items.length} ${part}`
    const templates = guests.length - withoutTemplates(guests).length
    const asked: ClusterPart[] = [
      ...(wants('node') ? (['nodes'] as const) : []),
      ...(hasGuests ? (['guests'] as const) : []),
      ...(wants('storage') ? (['storages'] as const) : []),
    ]
    const items = { nodes, guests: withoutTemplates(guests), storages, tasks: [] }
    const counts = [
      ...asked.map((part) => count(part, items[part])),
      ...(templates > 0 ? [`${templates} ${templates === 1 ? 'template' : 'templates'}`] : []),
    ].join(', ')
    const lead = leadSummary(state)
    return {
      text: [
        ...leadLines(state),
        `${counts}.`,
        ...nodes.map((node) => nodeLine(node, state.at)),
        ...shown.map((guest) => guestLine(guest, clusterTime(state.at, state))),
        ...(left > 0 ? [`${left} more guests: get_vms and get_containers list them by node or status.`] : []),
        ...storages.map(storageLine),
      ].join('\n'),
      summary: lead === undefined ? counts : `${lead}; ${counts}`,
      data: {
        nodes: isUnread('nodes') ? null : nodes,
        guests: isUnread('guests') ? null : shown,
        totalGuests: isUnread('guests') ? null : guests.length,
        storages: isUnread('storages') ? null : storages,
        missing: state.missing,
        ...(state.unreachableSince !== undefined && { unreachableSince: state.unreachableSince }),
      },
      isError: state.unreachableSince !== undefined || asked.some(isUnread),
    }
  },
})
