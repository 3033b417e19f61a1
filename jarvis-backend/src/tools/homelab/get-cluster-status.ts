import { z } from 'zod'
import { attention } from '../../homelab/attention.ts'
import { nodeLine, plainName } from '../../homelab/format.ts'
import type { Cluster } from '../../homelab/ports.ts'
import type { ClusterState, Limits } from '../../protocol/index.ts'
import { ClusterStatusOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { readTimeoutMs } from './inputs.ts'
import { missingText } from './listing.ts'

export const getClusterStatus = (cluster: Cluster, limits: () => Limits) => {
  // Asked for more often than the cluster is looked at.
  let last: { of: ClusterState; under: Limits; output: ReturnType<typeof outputOf> } | undefined
  return defineTool({
    name: 'get_cluster_status',
    title: 'Show how the cluster is',
    description:
      'Shows the whole cluster at a glance: quorum, each node with load, memory, temperature and uptime, how many guests run, and what needs attention (heat, full storages, stale backups, failed tasks). Start here when asked how things are.',
    tier: 'green',
    timeoutMs: readTimeoutMs,
    input: z.strictObject({}),
    output: ClusterStatusOutput,
    async run() {
      const state = cluster.state()
      const under = limits()
      if (last?.of !== state || last.under !== under) last = { of: state, under, output: outputOf(state, under) }
      return last.output
    },
  })
}

function outputOf(state: ClusterState, limits: Limits) {
  const online = state.nodes.filter(({ status }) => status === 'online').length
  const running = state.guests.filter(({ status }) => status === 'running').length
  const unusual = attention(state, limits)
  const summary = `${online} of ${state.nodes.length} nodes online, ${running} of ${state.guests.length} running`
  return {
    text: [
      `Cluster ${plainName(state.name)}${state.isDemo ? ' (demo, nothing here is real)' : ''}: ${state.isQuorate ? 'quorate' : 'no quorum'}, ${summary}.`,
      ...state.nodes.map((node) => nodeLine(node, state.at)),
      ...(unusual.length === 0 ? ['Nothing needs attention.'] : ['Needs attention:', ...unusual]),
      ...missingText(state.missing),
    ].join('\n'),
    summary,
    data: {
      nodes: state.nodes,
      isQuorate: state.isQuorate,
      running,
      guests: state.guests.length,
      attention: unusual,
      missing: state.missing,
    },
  }
}
