import { percent } from 'node-kit/words'
import type { Node } from 'protocol'
import { shareOf } from 'protocol/facts'
import { z } from 'zod'
import { diskOf, plainName } from '../../homelab/format.ts'
import { figure, rowsOf } from '../../homelab/pve/answers.ts'
import type { Check, CheckPorts, Measure } from '../check.ts'
import { nodeObject, seen } from '../measure.ts'
import { overOrUnseen } from './known.ts'

const clears = 0.05

/** Memory that a node's programs hold. Caches, including ZFS's, give way to programs. They are not counted if Proxmox reports them (VE 9). */
export const nodeMemory: Check = {
  id: 'node-memory',
  title: 'Memory of a node',
  reads: 'GET /cluster/resources; near the limit /nodes/{node}/status and /nodes/{node}/rrddata, arcsize',
  limit: ({ ramRatio: [look, failed] }) =>
    `Limit ${percent(look)} for 5 min, failed at ${percent(failed)}, clears at ${percent(look - clears)}.`,
  pace: 'state',
  from: ['nodes'],
  forMs: 5 * 60_000,
  asks: true,
  look: async (ports) => seen(await Promise.all(ports.state.nodes.map((node) => measured(node, ports)))),
}

async function measured(node: Node, ports: CheckPorts): Promise<Measure> {
  const [look, failed] = ports.limits.ramRatio
  const { name, ramTotalBytes = 0 } = node
  const share = node.status === 'online' ? shareOf(node.ramBytes, ramTotalBytes) : undefined
  const { arcBytes = 0, availableBytes = 0 } =
    share === undefined || share <= look - clears ? {} : await cachesOf(name, ports)
  // The kernel's estimate of the available memory does not include ZFS's cache.
  const held = share && Math.max(0, Math.min(share, 1 - availableBytes / ramTotalBytes) - arcBytes / ramTotalBytes)
  const words = share === undefined ? 'unknown' : percent(share)
  const cacheBytes = arcBytes || ((share ?? 0) - (held ?? 0)) * ramTotalBytes
  const cache =
    cacheBytes < ramTotalBytes / 100 ? '' : `, of it ${diskOf(cacheBytes)} ${arcBytes > 0 ? 'ZFS cache' : 'cache'}`
  return {
    object: nodeObject(name),
    level: overOrUnseen(held, { look, failed, clear: look - clears }),
    words: `${words}${cache}`,
    value: held,
    sentence: `${plainName(name)} uses ${words} of its memory${cache}.`,
    chart: { series: `node/${name}`, field: 'ramRatio', limit: look, clears: look - clears },
    inputs: { node: name },
  }
}

const Status = z.object({ memory: z.object({ available: figure }).optional().catch(undefined) })
const Row = z.object({ time: figure, arcsize: figure })

/** Reads the sizes of a node's caches. A member is absent if it is not known, as before Proxmox VE 9. @throws the signal's reason */
async function cachesOf(
  node: string,
  { api, signal }: CheckPorts,
): Promise<{ arcBytes?: number | undefined; availableBytes?: number | undefined }> {
  const [status, history] = await Promise.allSettled([
    api.get(['nodes', node, 'status'], {}, { signal }),
    api.get(['nodes', node, 'rrddata'], { timeframe: 'hour', cf: 'AVERAGE' }, { signal }),
  ])
  signal.throwIfAborted()
  const rows = history.status === 'fulfilled' ? rowsOf(Row, history.value).rows : []
  return {
    arcBytes: rows.findLast(({ arcsize }) => arcsize !== undefined)?.arcsize,
    availableBytes: status.status === 'fulfilled' ? Status.safeParse(status.value).data?.memory?.available : undefined,
  }
}
