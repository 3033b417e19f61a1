import type { Alert, ClusterState, Guest } from 'protocol'
import { isBlind, shareOf, withoutTemplates } from 'protocol/facts'
import { attention, idList } from './attention.ts'
import { clusterWords, countGuests, quorumWords } from './counts.ts'
import { nodeLine, percentOr, plainName } from './format.ts'
import { leadLines } from './unknown.ts'

const mostNodes = 16
const mostGuestsByName = 60

/**
 * Describes the cluster in about 300 to 500 tokens, for the model with each message. The length is bounded for a cluster of any size. Names are
 * data: control characters, newlines and angle brackets are removed from them.
 * @param alerts the alerts that have not ended, gravest first
 */
export function clusterSummary(state: ClusterState, alerts: readonly Alert[]): string {
  const { nodes, guests, storages, unread = [] } = state
  const kind = state.isDemo ? ' (demo cluster)' : ''
  const lines = [
    ...leadLines(state),
    `Cluster ${plainName(state.name)}${kind}: ${quorumWords(state.isQuorate)}, ${clusterWords(state)}.`,
  ]
  for (const node of nodes.slice(0, mostNodes)) {
    lines.push(nodeLine(node, state.at))
    const here = guests.filter((guest) => guest.node === node.name)
    if (here.length > 0) lines.push(`  ${guests.length > mostGuestsByName ? counts(here) : names(here)}`)
  }
  if (nodes.length > mostNodes) lines.push(`${nodes.length - mostNodes} more nodes.`)
  const homeless = guests.filter(({ node }) => !nodes.some(({ name }) => name === node))
  if (homeless.length > 0) lines.push(`On no known node: ${idList(homeless)}.`)
  const shown = [...storages]
    .sort((a, b) => (shareOf(b.usedBytes, b.totalBytes) ?? 0) - (shareOf(a.usedBytes, a.totalBytes) ?? 0))
    .slice(0, 8)
  if (shown.length > 0) {
    const fills = shown.map(
      ({ name, usedBytes, totalBytes }) => `${plainName(name)} ${percentOr(shareOf(usedBytes, totalBytes))}`,
    )
    lines.push(`Storage: ${fills.join(', ')}${storages.length > shown.length ? ', …' : ''}.`)
  }
  if (unread.includes('storages') && !isBlind(state)) lines.push('Storage: unknown.')
  const unusual = attention(alerts, state.at)
  if (unusual.length > 0) lines.push('Needs attention:', ...unusual.slice(0, 16).map((line) => `- ${line}`))
  return lines.join('\n')
}

/** Lists guests by name, with the status of guests that do not run: `100 opnsense, 101 …; 141 pbs stopped`. */
function names(guests: readonly Guest[]): string {
  return guests
    .map(
      ({ vmid, name, type, status, isTemplate }) =>
        `${vmid} ${plainName(name)} ${type}${isTemplate ? ' template' : status === 'running' ? '' : ` ${status}`}`,
    )
    .join(', ')
}

/** Counts the running guests and lists the vmids of the others: `48 running; not running: 1005, 1010`. */
function counts(guests: readonly Guest[]): string {
  const { total, running, unknown } = countGuests(guests)
  const withState = (isSo: (status: Guest['status']) => boolean) =>
    withoutTemplates(guests).filter(({ status }) => isSo(status))
  const idle = withState((status) => status === 'stopped' || status === 'paused')
  return [
    running === null ? `all ${total} unknown` : `${running} of ${total} running`,
    ...(idle.length === 0 ? [] : [`not running: ${idList(idle)}`]),
    ...(unknown === 0 || running === null ? [] : [`unknown: ${idList(withState((status) => status === 'unknown'))}`]),
  ].join('; ')
}
