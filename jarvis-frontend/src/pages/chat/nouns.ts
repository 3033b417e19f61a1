import type { ClusterState } from 'protocol'
import { visibleText } from '../../ui/visible.ts'

/** Nouns that the composer completes: the cluster's guests and nodes. */
export const nounsOf = (cluster: ClusterState | undefined) => [
  ...(cluster?.guests ?? []).map((guest) => ({
    kind: guest.type,
    value: String(guest.vmid),
    label: `${guest.vmid} ${visibleText(guest.name)}`,
    detail: `${guest.type === 'vm' ? 'VM' : 'CT'} on ${guest.node}, ${guest.status}`,
    // If a name has unusual characters, only the vmid is inserted into the message.
    insert: /^[\w.-]{1,40}$/.test(guest.name) ? `${guest.vmid} ${guest.name}` : `guest ${guest.vmid}`,
  })),
  ...(cluster?.nodes ?? []).map((node) => ({
    kind: 'node' as const,
    value: node.name,
    label: node.name,
    detail: `node, ${node.status}`,
    insert: node.name,
  })),
]
