import type { Guest, Node, Storage } from 'protocol'
import { plainName } from '../../homelab/format.ts'
import type { Measure } from '../check.ts'
import { over } from '../measure.ts'

/** The node of a storage, to continue a sentence: ` on pve`; empty if the storage is shared. */
export const onNode = ({ node }: Pick<Storage, 'node'>): string => (node === undefined ? '' : ` on ${plainName(node)}`)

/** Same as `over`; an unknown value has the level `unseen`. */
export const overOrUnseen = (value: number | null | undefined, of: Parameters<typeof over>[1]): Measure['level'] =>
  value === null || value === undefined ? 'unseen' : over(value, of)

/**
 * The inputs of the runbook that updates a node: the node, and the other online node with the most free memory, where its VMs go meanwhile. Without
 * such a node the runbook is not offered.
 */
export function updateInputs(node: string, nodes: readonly Node[]): { node: string; target?: string } {
  const free = ({ ramTotalBytes, ramBytes }: Node) => (ramTotalBytes ?? 0) - (ramBytes ?? 0)
  const [target] = nodes
    .filter(({ name, status, ramBytes }) => name !== node && status === 'online' && typeof ramBytes === 'number')
    .toSorted((one, other) => free(other) - free(one))
  return target === undefined ? { node } : { node, target: target.name }
}

/** The inputs of the runbook that backs a guest up. `fallback`: the reachable storage for backups with the most free space. */
export function backupInputs(
  { vmid, node }: Guest,
  storages: readonly Storage[] = [],
): { vmid: number; fallback?: string } {
  const free = ({ totalBytes, usedBytes }: Storage) => (totalBytes ?? 0) - (usedBytes ?? 0)
  const [best] = storages
    .filter(({ isActive, content }) => isActive === true && content.includes('backup'))
    .filter((storage) => storage.node === undefined || storage.node === node)
    .toSorted((one, other) => free(other) - free(one))
  return best === undefined ? { vmid } : { vmid, fallback: best.name }
}
