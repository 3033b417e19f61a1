import type { Cluster } from 'homelab-ports/ports'
import type { Target, ToolCall } from 'protocol'
import type { EffectsOf } from './judge.ts'
import type { LookHow, Previews } from './previews.ts'
import type { Units } from './seen-units.ts'

/**
 * Reads the cluster, and the service or object that a call would change, right before the change. The reason: the verdict may rest on a state that
 * is seconds or days old. Returns undefined if nothing needs to be read.
 * @throws JarvisError `cluster_unreachable` if the change is to a guest or a service, and its state cannot be read.
 */
export type LookAgain = (
  call: Pick<ToolCall, 'toolName' | 'toolInput'>,
  target: Target,
  how?: LookHow,
) => Promise<void> | undefined

export function createLookAgain({
  cluster: { readAfresh },
  units,
  effectsOf,
  previews,
}: {
  cluster: Pick<Cluster, 'readAfresh'>
  units: Pick<Units, 'look'>
  effectsOf: EffectsOf
  previews: Pick<Previews, 'look'>
}): LookAgain {
  const atCluster = ({ kind, vmid }: Target) => {
    const looked = kind === 'none' ? undefined : readAfresh?.(vmid)
    // A node needs no fresh read: a command or a magic packet may bring the cluster back, and a node does not move.
    return kind === 'node' ? looked?.catch(() => {}) : looked
  }
  return ({ toolName, toolInput }, target, { maxAgeMs = 0, whose } = {}) => {
    const atUnit = units.look(effectsOf(toolName, toolInput), maxAgeMs)
    const looks = [atCluster(target), atUnit].filter((look) => look !== undefined)
    // Runs after the reads of the cluster, because a tool prepares by the known state: a guest that moved is read on its new node.
    const atThing = () => previews.look(toolName, toolInput, { maxAgeMs, whose })
    return looks.length === 0 ? atThing() : Promise.all(looks).then(atThing)
  }
}
