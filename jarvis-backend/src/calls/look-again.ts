import type { Target, ToolCall, ToolInput } from 'protocol'
import type { Effect } from '../gate/index.ts'
import type { Cluster } from '../homelab/ports.ts'
import type { Asking, Previews } from './previews.ts'
import type { Units } from './seen-units.ts'

/**
 * Reads the cluster, and the service or thing that a call would change, right before a change: what a call was judged on may be
 * seconds or days old. Undefined where nothing must be awaited.
 * @throws JarvisError `cluster_unreachable` where the change is to a guest or a service, and what is so cannot be read.
 */
export type LookAgain = (
  call: Pick<ToolCall, 'toolName' | 'toolInput'>,
  target: Target,
  /** What a node said of a service serves where it is no older: the verdict just made rests on it. */
  maxAgeMs?: number,
  /** In whose name it is asked for; absent: main. */
  whose?: Asking,
) => Promise<void> | undefined

/** @param effectsOf what a call does; empty where that cannot be told */
export function createLookAgain(
  { readAfresh }: Pick<Cluster, 'readAfresh'>,
  units: Units,
  effectsOf: (toolName: string, input: ToolInput) => readonly Effect[],
  preview: Previews['look'],
): LookAgain {
  const atCluster = ({ kind, vmid }: Target) => {
    const looked = kind === 'none' ? undefined : readAfresh?.(vmid)
    // A command or a magic packet may be what brings the cluster back, and a node does not move.
    return kind === 'node' ? looked?.catch(() => {}) : looked
  }
  return ({ toolName, toolInput }, target, maxAgeMs = 0, whose) => {
    const atUnit = units.look(effectsOf(toolName, toolInput), maxAgeMs)
    const looks = [atCluster(target), atUnit].filter((look) => look !== undefined)
    // A tool prepares by the state: a guest that moved is read at its new node.
    const atThing = () => preview(toolName, toolInput, maxAgeMs, whose)
    return looks.length === 0 ? atThing() : Promise.all(looks).then(atThing)
  }
}
