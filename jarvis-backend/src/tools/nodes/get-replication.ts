import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { type ReplicationJob, readReplication } from '../../homelab/operations/replication.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName, readTimeoutMs } from '../homelab/inputs.ts'
import { missingText, notRead, requireNode } from '../homelab/listing.ts'
import { ReplicationOutput } from '../outputs.ts'
import { replicates } from './groups.ts'

export const getReplication = homelabTool({
  ...quoting,
  name: 'get_replication',
  title: 'Show replication',
  description: 'Lists replication jobs: guest, target, last success, failures and their error.',
  group: replicates,
  needs: [rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ node: NodeName.optional().describe('Only guests on it. Absent: all.') }),
  example: {},
  output: ReplicationOutput,
  async run({ node }, { signal }, { api, cluster }) {
    const state = cluster.state()
    requireNode(state, node)
    const nodes = state.nodes.filter(({ name }) => node === undefined || name === node)
    const { items, missing, isUnread = false } = await readReplication(api, nodes, signal)
    const failing = items.filter(({ failCount }) => failCount > 0)
    const now = clusterTime(api.now(), state)
    const sorted = items.toSorted((a, b) => b.failCount - a.failCount || a.vmid - b.vmid)
    return {
      text: [
        ...missingText(missing),
        isUnread ? 'Replication is unknown.' : `${items.length} replication jobs.`,
        ...sorted.map((job) => lineOf(job, now)),
      ].join('\n'),
      summary: [
        ...notRead(missing),
        isUnread ? 'replication unknown' : `${items.length} jobs, ${failing.length} failing`,
      ].join('; '),
      data: { jobs: isUnread ? null : sorted, missing },
      isError: isUnread,
    }
  },
})

function lineOf(
  { id, vmid, node, target, syncedAt, failCount, error, isDisabled, isRunning }: ReplicationJob,
  now: number,
) {
  const parts = [
    `${id}: guest ${vmid} from ${plainName(node)} to ${plainName(target ?? 'unknown')}`,
    syncedAt === null ? 'no success known' : `last success ${ageOf(syncedAt, now)}`,
    isRunning ? 'running now' : undefined,
    isDisabled ? 'disabled' : undefined,
    failCount > 0 ? `failed ${failCount} times: ${oneLine(error ?? 'no reason given', 200)}` : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}
