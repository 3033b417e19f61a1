import type { Alert, ClusterState } from 'protocol'
import { isBlind } from 'protocol/facts'
import { z } from 'zod'
import { attention } from '../../homelab/attention.ts'
import { clusterWords, countGuests, quorumWords } from '../../homelab/counts.ts'
import { nodeLine, plainName } from '../../homelab/format.ts'
import { leadLines, leadSummary } from '../../homelab/unknown.ts'
import { ClusterStatusOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { readTimeoutMs } from './inputs.ts'

/** The output for each state, cached because the text is requested more often than the state changes. */
const made = new WeakMap<ClusterState, { of: readonly Alert[]; output: ReturnType<typeof outputOf> }>()

export const getClusterStatus = homelabTool({
  name: 'get_cluster_status',
  title: 'Show how the cluster is',
  description:
    'Shows the whole cluster at a glance: quorum, each node with load, memory, temperature and uptime, how many guests run, and what needs attention (heat, full storages, stale backups, failed tasks). Start here when asked how things are.',
  ...reading,
  needs: [rights.quorum, rights.nodes, rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({}),
  example: {},
  output: ClusterStatusOutput,
  async run(_input, _context, { cluster, alerts }) {
    const state = cluster.state()
    const of = alerts()
    const known = made.get(state)
    if (known?.of === of) return known.output
    const output = outputOf(state, of)
    made.set(state, { of, output })
    return output
  },
})

function outputOf(state: ClusterState, alerts: readonly Alert[]) {
  const { missing, unread = [], isQuorate } = state
  const unusual = attention(alerts, state.at)
  const counts = countGuests(state.guests)
  const summary = clusterWords(state)
  const kind = state.isDemo ? ' (demo, nothing here is real)' : ''
  const areGuestsRead = !unread.includes('guests')
  return {
    text: [
      ...leadLines(state),
      `Cluster ${plainName(state.name)}${kind}: ${quorumWords(isQuorate)}, ${summary}.`,
      ...state.nodes.map((node) => nodeLine(node, state.at)),
      ...attentionLines(state, unusual),
    ].join('\n'),
    summary: [
      ...(leadSummary(state) === undefined ? [] : [leadSummary(state)]),
      ...(isBlind(state) ? [] : [summary]),
    ].join('; '),
    data: {
      nodes: unread.includes('nodes') ? null : state.nodes,
      isQuorate,
      running: areGuestsRead ? counts.running : null,
      guests: areGuestsRead ? counts.total : null,
      unknownGuests: areGuestsRead ? counts.unknown : null,
      attention: isBlind(state) ? null : unusual,
      missing,
      unreachableSince: state.unreachableSince,
    },
    // An error if the state of the cluster could not be reported in full. A node that is off is part of a normal answer.
    isError: state.unreachableSince !== undefined || isQuorate === null || unread.length > 0,
  }
}

/** The lines about problems. They say that nothing needs attention only if everything was read. */
function attentionLines(state: ClusterState, unusual: readonly string[]): string[] {
  if (isBlind(state)) return ['What needs attention is unknown.']
  const { missing, unread = [] } = state
  const open = unread.includes('tasks') ? ['Whether tasks failed is unknown.'] : []
  if (unusual.length > 0) return ['Needs attention:', ...unusual, ...open]
  if (missing.length === 0 && unread.length === 0) return ['Nothing needs attention.']
  return [...open, 'Nothing of what could be read needs attention; the rest is unknown.']
}
