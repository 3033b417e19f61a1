import type { ClusterState } from 'protocol'
import { named } from 'redaction/visible'
import { type Effect, restsOnQuorum } from '../gate/index.ts'

/**
 * Returns why an approval of these effects would rest on an unknown state: the cluster has no quorum, or the effects start, stop or restart a guest
 * whose node does not answer. Returns undefined if the state is known. Also returns undefined if the node answers with a state that JARVIS has no
 * word for, because a person may want to stop just such a guest.
 */
export function whyPowerUnknown(
  effects: readonly Effect[],
  { guests, nodes, isQuorate }: Pick<ClusterState, 'guests' | 'nodes' | 'isQuorate'>,
): string | undefined {
  if (isQuorate === false && effects.some(restsOnQuorum))
    return 'The cluster has no quorum: Proxmox would refuse the change or do half of it'
  for (const { kind, on, target } of effects) {
    if (kind !== 'power' || on !== 'guest') continue
    const guest = guests.find(({ vmid }) => vmid === target.vmid)
    if (guest?.status !== 'unknown') continue
    if (nodes.some(({ name, status }) => name === guest.node && status === 'online')) continue
    return `Whether ${guest.vmid} runs is not known: ${named(guest.node)} does not answer`
  }
  return undefined
}
