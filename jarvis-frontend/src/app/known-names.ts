import { useCluster } from '../features/cluster/store.ts'
import type { KnownNames } from '../features/tools/arguments.ts'

/** The names of the cluster's nodes, guests and storages, each with a note, for the fields that take one. */
export function useKnownNames(): KnownNames {
  const { state } = useCluster()
  const plain = (names: readonly string[] = []) => [...new Set(names)].map((name) => [name, ''] as const)
  return {
    node: plain(state?.nodes.map(({ name }) => name)),
    guest: state?.guests.map(({ vmid, name }) => [String(vmid), name] as const) ?? [],
    storage: plain(state?.storages.map(({ name }) => name)),
  }
}
