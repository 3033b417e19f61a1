import type { PveApi } from 'homelab-ports/ports'
import { percent, spanOf } from 'node-kit/words'
import { shareOf } from 'protocol/facts'
import { z } from 'zod'
import { diskOf, oneLine, plainName } from '../../homelab/format.ts'
import {
  type Disk,
  type Pool,
  readDisks,
  readPools,
  readSmart,
  readThinPools,
  type ThinPool,
} from '../../homelab/operations/disks.ts'
import { diskConcerns, poolConcerns, thinConcerns } from '../../homelab/operations/storage-concerns.ts'
import { clusterNow, type HomelabPorts, homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { missingText, notRead, requireNode } from '../homelab/listing.ts'
import { StorageHealthOutput } from '../outputs.ts'
import type { ToolContext } from '../tool.ts'

const mostLines = 80

export const getStorageHealth = homelabTool({
  ...quoting,
  name: 'get_storage_health',
  title: 'Check disks and pools',
  description:
    'Checks disks (SMART, wear), ZFS pools (state, errors, last scrub) and LVM-thin pools (data and metadata), worst first. With `disk` and `node`: that disk’s SMART values.',
  needs: [rights.nodes, rights.quorum],
  timeoutMs: 90_000,
  input: z.strictObject({
    node: NodeName.optional().describe('Absent: all nodes.'),
    disk: z
      .string()
      .regex(/^\/dev\/[a-zA-Z0-9/]{1,60}$/, 'must be a device, as in /dev/sda')
      .optional()
      .describe('A device, as in /dev/sda.'),
  }),
  example: {},
  output: StorageHealthOutput,
  async run({ node, disk }, context, ports) {
    const { api, cluster } = ports
    const state = cluster.state()
    requireNode(state, node)
    if (disk !== undefined) {
      if (node === undefined) return { text: 'disk: name its node too.', summary: 'no node given', isError: true }
      return oneDisk(api, { node, disk }, context)
    }
    const nodes = state.nodes.filter(({ name }) => node === undefined || name === node)
    return allOf(ports, nodes, context)
  },
})

async function oneDisk(api: PveApi, at: { node: string; disk: string }, { signal }: ToolContext) {
  const { health, lines } = await readSmart(api, at, signal)
  return {
    text: [`${oneLine(at.disk, 80)} on ${plainName(at.node)}: SMART says ${plainName(health)}.`]
      .concat(lines.slice(0, mostLines).map((line) => oneLine(line, 160)))
      .join('\n'),
    summary: `SMART says ${plainName(health)}`,
    data: { smart: { ...at, health, lines } },
  }
}

async function allOf(
  ports: Pick<HomelabPorts, 'api' | 'cluster'>,
  nodes: ReturnType<HomelabPorts['cluster']['state']>['nodes'],
  { signal }: ToolContext,
) {
  const { api } = ports
  const [disks, pools, thin] = await Promise.all([
    readDisks(api, nodes, signal),
    readPools(api, nodes, signal),
    readThinPools(api, nodes, signal),
  ])
  const now = clusterNow(ports)
  const missing = [...new Set([disks, pools, thin].flatMap((part) => part.missing))].concat(
    pools.items.flatMap(({ node, name, missing: why }) =>
      why === undefined ? [] : [`details of pool ${name} on ${node}: ${why.replace(/\.$/, '')}`],
    ),
  )
  const attention = [
    ...disks.items.flatMap(diskConcerns),
    ...pools.items.flatMap((pool) => poolConcerns(pool, now)),
    ...thin.items.flatMap(thinConcerns),
  ]
  const isUnread = [disks, pools, thin].every((part) => part.isUnread === true)
  const lines = [
    ...disks.items.map(diskLine),
    ...pools.items.map((pool) => poolLine(pool, now)),
    ...thin.items.map(thinLine),
  ]
  const head = isUnread
    ? 'The state of disks and pools is unknown.'
    : attention.length > 0
      ? 'Needs attention:'
      : missing.length > 0
        ? 'Nothing of what could be read needs attention; the rest is unknown.'
        : 'Nothing needs attention.'
  const left = lines.length - mostLines
  const count = attention.length
  const said = isUnread
    ? 'disks and pools unknown'
    : count === 0
      ? `${disks.items.length} disks, ${pools.items.length + thin.items.length} pools, nothing unusual`
      : `${attention[0]}${count > 1 ? ` and ${count - 1} more` : ''}`
  return {
    text: [...missingText(missing), head, ...attention, ...(lines.length > 0 ? ['All:'] : [])]
      .concat(lines.slice(0, mostLines))
      .concat(left > 0 ? [`${left} more: name a node.`] : [])
      .join('\n'),
    summary: [...notRead(missing), said].join('; '),
    data: {
      disks: disks.isUnread ? null : disks.items,
      pools: pools.isUnread ? null : pools.items,
      thinPools: thin.isUnread ? null : thin.items,
      attention: isUnread ? null : attention,
      missing,
    },
    isError: isUnread,
  }
}

const sizeOf = (bytes: number | undefined) => (bytes === undefined ? 'size unknown' : diskOf(bytes))
const fillOf = (used: number | undefined, size: number | undefined) => {
  const share = shareOf(used, size)
  return `${share === undefined ? 'use unknown' : percent(share)} of ${sizeOf(size)}`
}

function diskLine({ node, path, model, kind, sizeBytes, use, isHealthy, lifeLeftRatio }: Disk): string {
  const parts = [
    `${plainName(node)} ${oneLine(path, 40)} ${[model, kind].flatMap((word) => (word === undefined ? [] : [plainName(word)])).join(', ')}`.trimEnd(),
    sizeOf(sizeBytes),
    use === undefined ? 'unused' : plainName(use),
    isHealthy === null ? 'health not told' : isHealthy ? 'healthy' : 'FAILING',
    lifeLeftRatio === undefined ? undefined : `${percent(lifeLeftRatio)} of its life left`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

function poolLine({ node, name, health, sizeBytes, usedBytes, fragmentRatio, scan, scrubbedAt }: Pool, now: number) {
  const scrub =
    scrubbedAt === null
      ? `last scrub not told by ZFS, which says: ${oneLine(scan ?? 'nothing', 100)}`
      : `scrubbed ${spanOf((now - scrubbedAt) / 1000)} ago`
  const fragments = fragmentRatio === undefined ? [] : [`${percent(fragmentRatio)} fragmented`]
  return [
    `${plainName(node)} ZFS ${plainName(name)} ${plainName(health)}`,
    fillOf(usedBytes, sizeBytes),
    ...fragments,
    scrub,
  ].join(', ')
}

const thinLine = ({ node, name, sizeBytes, usedBytes, metadataBytes, metadataUsedBytes }: ThinPool) =>
  `${plainName(node)} LVM-thin ${plainName(name)}, data ${fillOf(usedBytes, sizeBytes)}, metadata ${fillOf(metadataUsedBytes, metadataBytes)}`
