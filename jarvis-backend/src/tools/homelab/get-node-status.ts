import { z } from 'zod'
import { diskOf, memoryOf, oneLine, percent, plainName, ratioOf, spanOf } from '../../homelab/format.ts'
import type { Cluster } from '../../homelab/ports.ts'
import { NodeDetailOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { NodeName, readTimeoutMs } from './inputs.ts'

export const getNodeStatus = (cluster: Cluster) =>
  defineTool({
    name: 'get_node_status',
    title: 'Show one node',
    description:
      'Shows one node in detail: CPU and its model, load over 1, 5 and 15 minutes, memory, root disk, kernel and Proxmox versions, uptime, and how many of its guests run. Fails if the node is offline.',
    tier: 'green',
    timeoutMs: readTimeoutMs,
    input: z.strictObject({ node: NodeName.describe('The node’s exact name.') }),
    output: NodeDetailOutput,
    async run({ node }, context) {
      const detail = await cluster.nodeDetail(node, context)
      const guests = cluster.state().guests.filter((guest) => guest.node === node)
      const running = guests.filter(({ status }) => status === 'running').length
      const memoryRatio = ratioOf(detail.ramBytes, detail.ramTotalBytes)
      return {
        text: [
          `${plainName(detail.name)}: CPU ${percent(detail.cpuRatio)} of ${detail.cpuCount} (${oneLine(detail.cpuModel, 80)}), load ${detail.load.map((load) => load.toFixed(2)).join(' ')}`,
          `${memoryOf(detail.ramBytes, detail.ramTotalBytes)}, root disk ${diskOf(detail.rootBytes)} of ${diskOf(detail.rootTotalBytes)} (${percent(ratioOf(detail.rootBytes, detail.rootTotalBytes))}), up ${spanOf(detail.uptimeS)}`,
          `${oneLine(detail.version, 80)}, kernel ${oneLine(detail.kernel, 80)}`,
          `${running} of ${guests.length} guests running`,
        ].join('\n'),
        summary: `CPU ${percent(detail.cpuRatio)}, memory ${percent(memoryRatio)}`,
        data: { ...detail },
      }
    },
  })
