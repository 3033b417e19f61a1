import type { NodeDetail } from 'homelab-ports/ports'
import { percent, spanOf } from 'node-kit/words'
import { z } from 'zod'
import { guestWords } from '../../homelab/counts.ts'
import { diskOf, memoryOf, oneLine, plainName, ratioOf } from '../../homelab/format.ts'
import { NodeDetailOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { NodeName, readTimeoutMs } from './inputs.ts'

export const getNodeStatus = homelabTool({
  name: 'get_node_status',
  title: 'Show one node',
  description:
    'Shows one node in detail: CPU and its model, load over 1, 5 and 15 minutes, memory, root disk, kernel and Proxmox versions, uptime, and how many of its guests run. Fails if the node is offline.',
  ...reading,
  needs: [rights.nodes],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ node: NodeName.describe('The node’s exact name.') }),
  example: { node: 'pve' },
  output: NodeDetailOutput,
  async run({ node }, context, { cluster }) {
    const detail = await cluster.nodeDetail(node, context)
    const { guests, unread } = cluster.state()
    const onNode = guests.filter((guest) => guest.node === node)
    return {
      text: [...linesOf(detail), unread?.includes('guests') ? 'Guests: unknown' : `Guests: ${guestWords(onNode)}`].join(
        '\n',
      ),
      summary: `CPU ${share(detail.cpuRatio)}, memory ${share(ratioIn(detail.ramBytes, detail.ramTotalBytes))}`,
      data: { ...detail },
    }
  },
})

const unknown = 'not known'
const share = (ratio: number | undefined) => (ratio === undefined ? unknown : percent(ratio))
const ratioIn = (part: number | undefined, whole: number | undefined) =>
  part === undefined || whole === undefined ? undefined : ratioOf(part, whole)

function linesOf(detail: NodeDetail): string[] {
  const { cpuCount, cpuModel, load, ramBytes, ramTotalBytes, rootBytes, rootTotalBytes, uptimeS } = detail
  const cores = cpuCount === undefined ? '' : ` of ${cpuCount}`
  const model = cpuModel === undefined ? '' : ` (${oneLine(cpuModel, 80)})`
  const memory =
    ramBytes === undefined || ramTotalBytes === undefined ? `memory ${unknown}` : memoryOf(ramBytes, ramTotalBytes)
  const root =
    rootBytes === undefined || rootTotalBytes === undefined
      ? unknown
      : `${diskOf(rootBytes)} of ${diskOf(rootTotalBytes)} (${percent(ratioOf(rootBytes, rootTotalBytes))})`
  return [
    `${plainName(detail.name)}: CPU ${share(detail.cpuRatio)}${cores}${model}, load ${load?.map((value) => value.toFixed(2)).join(' ') ?? unknown}`,
    `${memory}, root disk ${root}, up ${uptimeS === undefined ? unknown : spanOf(uptimeS)}`,
    `${oneLine(detail.version ?? `version ${unknown}`, 80)}, kernel ${oneLine(detail.kernel ?? unknown, 80)}`,
  ]
}
