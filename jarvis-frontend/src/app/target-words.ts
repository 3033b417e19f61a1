import type { Card, ClusterState } from 'protocol'
import { capital, longSpan, percent, span } from '../lib/format.ts'

type Shown = Pick<ClusterState, 'at' | 'guests' | 'nodes'>

/** The present state of a card's guest, and how it differs from the state when the card was made; empty if the target is not a guest. */
export function targetWords(target: Card['target'], state: Shown): { now?: string; change?: string } {
  if (target.kind !== 'guest' || target.vmid === undefined) return {}
  const guest = state.guests.find((known) => known.vmid === target.vmid)
  if (guest === undefined) return { now: 'Not known to the cluster', change: `${target.vmid} is not there any more.` }
  const isUp = guest.status === 'running'
  const answers = state.nodes.some(({ name, status }) => name === guest.node && status === 'online')
  const words = [
    isUp && (guest.uptimeS ?? 0) > 0
      ? `running for ${longSpan((guest.uptimeS ?? 0) * 1_000)}`
      : guest.isTemplate
        ? 'a template'
        : guest.status === 'unknown'
          ? `not known: ${guest.node} ${answers ? 'does not say whether it runs' : 'does not answer'}`
          : guest.status,
    isUp && guest.cpuRatio !== null ? `CPU ${percent(guest.cpuRatio)}` : '',
    guest.lock === undefined ? '' : `locked (${guest.lock})`,
    guest.isHa ? `managed by HA${guest.haState === undefined ? '' : ` (${guest.haState})`}` : '',
    guest.backupAt === undefined
      ? 'no backup known'
      : guest.backupAt === null
        ? 'backups unknown'
        : `last backup ${span(state.at - guest.backupAt)} old`,
  ]
  const now = capital(words.filter((word) => word !== '').join(', '))
  const change =
    target.node !== undefined && guest.node !== target.node
      ? `${target.vmid} is on ${guest.node} now. It was on ${target.node} when this was asked.`
      : target.status !== undefined && guest.status !== target.status && guest.status !== 'unknown'
        ? `${target.vmid} is ${guest.status} now. It was ${target.status} when this was asked.`
        : guest.lock !== undefined && guest.lock !== target.lock
          ? `${target.vmid} is locked now: ${guest.lock}.`
          : guest.haState !== undefined && guest.haState !== target.haState
            ? `HA says ${guest.haState} of ${target.vmid} now. It said ${target.haState ?? 'nothing'} when this was asked.`
            : undefined
  return { now, change }
}
