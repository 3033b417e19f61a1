import type { Cluster } from '../homelab/ports.ts'
import type { Target } from '../protocol/index.ts'

/**
 * Reads the cluster, from the cluster, right before a change: what a call was judged on may be seconds or days old.
 * Undefined where nothing must be awaited.
 * @throws JarvisError `cluster_unreachable` where the change is to a guest or a service, and what is so cannot be read.
 */
export type LookAgain = (target: Target) => Promise<void> | undefined

export function createLookAgain({ readAfresh }: Pick<Cluster, 'readAfresh'>): LookAgain {
  if (readAfresh === undefined) return () => undefined
  return ({ kind, vmid }) => {
    if (kind === 'none') return undefined
    const looked = readAfresh(vmid)
    // A command or a magic packet may be what brings the cluster back, and a node does not move.
    return kind === 'node' ? looked.catch(() => {}) : looked
  }
}
