import type { ClusterState, Guest, Node } from 'protocol'
import { withoutTemplates } from 'protocol/facts'

/** Counts guests without templates. `running`: null if the state of every guest is unknown. */
export function countGuests(guests: readonly Guest[]) {
  const counted = withoutTemplates(guests)
  const unknown = counted.filter(({ status }) => status === 'unknown').length
  const running = counted.filter(({ status }) => status === 'running').length
  const isBlind = unknown > 0 && unknown === counted.length
  return {
    total: counted.length,
    running: isBlind ? null : running,
    unknown,
    templates: guests.length - counted.length,
  }
}

/** Counts guests in words: `10 of 14 running, 2 unknown`; `all 14 unknown`. */
export function guestWords(guests: readonly Guest[]): string {
  const { total, running, unknown, templates } = countGuests(guests)
  const more = templates === 0 ? '' : `, and ${templates} ${templates === 1 ? 'template' : 'templates'}`
  if (running === null) return `all ${total} unknown${more}`
  return `${running} of ${total} running${unknown === 0 ? '' : `, ${unknown} unknown`}${more}`
}

/** Counts nodes in words: `3 of 4 nodes online, 1 unknown`; `all 4 nodes unknown`. */
export function nodeWords(nodes: readonly Node[]): string {
  const online = nodes.filter(({ status }) => status === 'online').length
  const unknown = nodes.filter(({ status }) => status === 'unknown').length
  if (unknown > 0 && unknown === nodes.length) return `all ${nodes.length} nodes unknown`
  return `${online} of ${nodes.length} nodes online${unknown === 0 ? '' : `, ${unknown} unknown`}`
}

/** Counts nodes and guests in words: `3 of 4 nodes online, 10 of 14 running`. A list that could not be read counts as `unknown`. */
export function clusterWords({
  nodes,
  guests,
  unread = [],
}: Pick<ClusterState, 'nodes' | 'guests' | 'unread'>): string {
  return [
    unread.includes('nodes') ? 'nodes unknown' : nodeWords(nodes),
    unread.includes('guests') ? 'guests unknown' : guestWords(guests),
  ].join(', ')
}

export const quorumWords = (isQuorate: boolean | null): string =>
  isQuorate === null ? 'quorum unknown' : isQuorate ? 'quorate' : 'no quorum'
