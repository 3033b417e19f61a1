import { guestLine, oneLine } from '../../homelab/format.ts'
import type { Cluster } from '../../homelab/ports.ts'
import { type ClusterState, type Guest, JarvisError } from '../../protocol/index.ts'
import type { ToolOutput } from '../tool.ts'

export const usualLimit = 60

/** The lines, what was left out, and what could not be read. */
export function listText(head: string, lines: readonly string[], left: number, missing: readonly string[]): string {
  return [
    head,
    ...lines,
    ...(left > 0 ? [`${left} more: narrow the list with status or node, or raise limit.`] : []),
    ...missingText(missing),
  ].join('\n')
}

export const missingText = (missing: readonly string[]): string[] =>
  missing.length === 0 ? [] : [`Could not be read: ${missing.map((line) => oneLine(line)).join('; ')}.`]

/** @throws JarvisError `not_found` */
export function requireNode({ nodes }: ClusterState, name: string | undefined): void {
  if (name === undefined || nodes.some((node) => node.name === name)) return
  const known = nodes.map((node) => node.name).join(', ')
  throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${known}.`)
}

export type GuestFilter = {
  node?: string | undefined
  status?: Guest['status'] | undefined
  limit?: number | undefined
}

/** VMs or containers as one short line each. @throws JarvisError `not_found` (no such node). */
export function listGuests(cluster: Cluster, type: Guest['type'], filter: GuestFilter): ToolOutput {
  const state = cluster.state()
  requireNode(state, filter.node)
  const found = state.guests
    .filter((guest) => guest.type === type)
    .filter(({ node }) => filter.node === undefined || node === filter.node)
    .filter(({ status }) => filter.status === undefined || status === filter.status)
    .sort((a, b) => a.vmid - b.vmid)
  const shown = found.slice(0, filter.limit ?? usualLimit)
  const running = found.filter(({ status }) => status === 'running').length
  const word = type === 'vm' ? 'virtual machines' : 'containers'
  // What is missing of other nodes says nothing here; that the cluster itself cannot be read does.
  const others = filter.node === undefined ? [] : state.nodes.filter(({ name }) => name !== filter.node)
  const missing = state.missing.filter((line) => !others.some(({ name }) => line.startsWith(`${name} `)))
  const summary = `${running} of ${found.length} running`
  return {
    text: listText(
      `${found.length} ${word}, ${running} running.`,
      shown.map((guest) => guestLine(guest, state.at)),
      found.length - shown.length,
      missing,
    ),
    summary: missing.length === 0 ? summary : `${summary}, ${oneLine(missing.join(', '))}`,
    data: { guests: shown, total: found.length, missing },
  }
}
