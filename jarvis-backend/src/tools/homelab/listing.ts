import type { Cluster } from 'homelab-ports/ports'
import { type ClusterState, type Guest, JarvisError } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { guestWords } from '../../homelab/counts.ts'
import { guestLine, oneLine } from '../../homelab/format.ts'
import { leadLines, leadSummary } from '../../homelab/unknown.ts'
import type { ToolContext, ToolOutput } from '../tool.ts'

export const usualLimit = 60

/** The cluster, limited to the part that the asker may see. */
export const seenState = (cluster: Cluster, sees: ToolContext['sees']): ClusterState =>
  sees === undefined ? cluster.state() : sees(cluster.state())

/** A list as text. `left`: the number of lines that were left out. `lead`: the lines from `leadLines`. */
type Listing = { head: string; lines: readonly string[]; left: number; lead: readonly string[] }

/** The text of a list: the lead lines, the heading, the lines, and the number of lines that were left out. */
export function listText({ head, lines, left, lead }: Listing): string {
  return [
    ...lead,
    head,
    ...lines,
    ...(left > 0 ? [`${left} more: narrow the list with status or node, or raise limit.`] : []),
  ].join('\n')
}

/** The first line of an incomplete list: the parts that could not be read. */
export const missingText = (missing: readonly string[]): string[] =>
  missing.length === 0 ? [] : [`Could not be read: ${missing.map((line) => oneLine(line)).join('; ')}.`]

/** The parts that could not be read, for a summary. */
export const notRead = ([first, ...others]: readonly string[]): string[] =>
  first === undefined
    ? []
    : [`not read: ${oneLine(first, 100)}${others.length === 0 ? '' : ` and ${others.length} more`}`]

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** @throws JarvisError `not_found`; `cluster_unreachable` while no node is known */
export function requireNode({ nodes, unread, missing }: ClusterState, name: string | undefined): void {
  if (name !== undefined && unread?.includes('nodes')) {
    throw new JarvisError('cluster_unreachable', `The nodes are unknown: ${missing.join('; ')}.`)
  }
  if (name === undefined || nodes.some((node) => node.name === name)) return
  const known = nodes.map((node) => node.name).join(', ')
  throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${known}.`)
}

export type GuestFilter = {
  node?: string | undefined
  status?: Guest['status'] | undefined
  limit?: number | undefined
}

/** Lists VMs or containers, one short line for each. @throws JarvisError `not_found` (no such node). */
export function listGuests(state: ClusterState, type: Guest['type'], filter: GuestFilter): ToolOutput {
  requireNode(state, filter.node)
  const found = state.guests
    .filter((guest) => guest.type === type)
    .filter(({ node }) => filter.node === undefined || node === filter.node)
    // A template never runs, so it is not counted as a stopped guest.
    .filter(({ status, isTemplate }) => filter.status === undefined || (status === filter.status && !isTemplate))
    .sort((a, b) => a.vmid - b.vmid)
  const shown = found.slice(0, filter.limit ?? usualLimit)
  const word = type === 'vm' ? 'virtual machines' : 'containers'
  // Problems of other nodes do not matter here. An unreachable cluster does.
  const others = filter.node === undefined ? [] : state.nodes.filter(({ name }) => name !== filter.node)
  const missing = state.missing.filter((line) => !others.some(({ name }) => line.startsWith(`${name} `)))
  const isUnread = state.unread?.includes('guests') === true
  const summary = isUnread ? `${word} unknown` : guestWords(found)
  const lead = leadSummary(state, missing)
  return {
    text: listText({
      head: isUnread ? `${capital(word)} are unknown.` : `${found.length} ${word}: ${guestWords(found)}.`,
      lines: shown.map((guest) => guestLine(guest, clusterTime(state.at, state))),
      left: found.length - shown.length,
      lead: leadLines(state, missing),
    }),
    summary: lead === undefined ? summary : `${lead}; ${summary}`,
    data: {
      guests: isUnread ? null : shown,
      total: isUnread ? null : found.length,
      missing,
      ...(state.unreachableSince !== undefined && { unreachableSince: state.unreachableSince }),
    },
    isError: isUnread || state.unreachableSince !== undefined,
  }
}
