import type { ClusterState, Guest, Limits } from '../protocol/index.ts'
import { attention, idList } from './attention.ts'
import { nodeLine, oneLine, percent, plainName, ratioOf } from './format.ts'

const mostNodes = 16
const mostGuestsByName = 60
const mostMissing = 10

/**
 * The cluster in some 300 to 500 tokens, given to the model with each message; bounded however large the cluster is.
 * Names stand in it without controls, newlines and angle brackets, and stay data.
 */
export function clusterSummary(state: ClusterState, limits?: Limits): string {
  const { nodes, guests, storages, missing } = state
  const running = guests.filter(({ status }) => status === 'running').length
  const online = nodes.filter(({ status }) => status === 'online').length
  const kind = state.isDemo ? ' (demo cluster)' : ''
  const lines = [
    `Cluster ${plainName(state.name)}${kind}: ${online} of ${nodes.length} nodes online, ${running} of ${guests.length} guests running.`,
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
    .sort((a, b) => ratioOf(b.usedBytes, b.totalBytes) - ratioOf(a.usedBytes, a.totalBytes))
    .slice(0, 8)
  if (shown.length > 0) {
    const fills = shown.map(
      ({ name, usedBytes, totalBytes }) => `${plainName(name)} ${percent(ratioOf(usedBytes, totalBytes))}`,
    )
    lines.push(`Storage: ${fills.join(', ')}${storages.length > shown.length ? ', …' : ''}.`)
  }
  const unusual = attention(state, limits)
  if (unusual.length > 0) lines.push('Needs attention:', ...unusual.slice(0, 16).map((line) => `- ${line}`))
  if (missing.length > 0) {
    lines.push(
      `Could not be read: ${missing
        .slice(0, mostMissing)
        .map((line) => oneLine(line.replace(/[<>]/g, ''), 80))
        .join('; ')}.`,
    )
  }
  return lines.join('\n')
}

/** All that run, then the others with what they are: `100 opnsense, 101 …; 141 pbs stopped`. */
function names(guests: readonly Guest[]): string {
  return guests
    .map(
      ({ vmid, name, type, status }) => `${vmid} ${plainName(name)} ${type}${status === 'running' ? '' : ` ${status}`}`,
    )
    .join(', ')
}

/** `48 running; not running: 1005, 1010` */
function counts(guests: readonly Guest[]): string {
  const idle = guests.filter(({ status }) => status !== 'running')
  const rest = idle.length === 0 ? '' : `; not running: ${idList(idle)}`
  return `${guests.length - idle.length} of ${guests.length} running${rest}`
}
