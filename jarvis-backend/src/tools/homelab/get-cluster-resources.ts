import { z } from 'zod'
import { guestLine, nodeLine, storageLine } from '../../homelab/format.ts'
import type { Cluster } from '../../homelab/ports.ts'
import { ResourcesOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { readTimeoutMs } from './inputs.ts'
import { missingText, usualLimit } from './listing.ts'

export const getClusterResources = (cluster: Cluster) =>
  defineTool({
    name: 'get_cluster_resources',
    title: 'List all there is in the cluster',
    description:
      'Lists nodes, guests and storages together, one line each, or only one type of them. Of many guests it shows the first 60 by id: get_vms and get_containers can filter.',
    tier: 'green',
    timeoutMs: readTimeoutMs,
    input: z.strictObject({
      type: z
        .enum(['vm', 'container', 'storage', 'node'])
        .optional()
        .describe(
          '`vm` is every guest, containers too, as Proxmox has it; `container` only those. Absent: everything.',
        ),
    }),
    output: ResourcesOutput,
    async run({ type }) {
      const state = cluster.state()
      const wants = (kind: 'vm' | 'storage' | 'node') => type === undefined || type === kind
      const nodes = wants('node') ? state.nodes : []
      const guests = state.guests
        .filter((guest) => wants('vm') || (type === 'container' && guest.type === 'ct'))
        .sort((a, b) => a.vmid - b.vmid)
      const storages = wants('storage') ? state.storages : []
      const shown = guests.slice(0, usualLimit)
      const left = guests.length - shown.length
      const hasGuests = wants('vm') || type === 'container'
      const counts = [
        ...(wants('node') ? [`${nodes.length} nodes`] : []),
        ...(hasGuests ? [`${guests.length} guests`] : []),
        ...(wants('storage') ? [`${storages.length} storages`] : []),
      ].join(', ')
      return {
        text: [
          `${counts}.`,
          ...nodes.map((node) => nodeLine(node, state.at)),
          ...shown.map((guest) => guestLine(guest, state.at)),
          ...(left > 0 ? [`${left} more guests: get_vms and get_containers list them by node or status.`] : []),
          ...storages.map(storageLine),
          ...missingText(state.missing),
        ].join('\n'),
        summary: counts,
        data: { nodes, guests: shown, totalGuests: guests.length, storages, missing: state.missing },
      }
    },
  })
