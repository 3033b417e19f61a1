import type { ClusterState, ClusterUpdate } from 'protocol'

/** Applies an update. Changed nodes, guests and tasks are replaced, by name, vmid or upid; unchanged ones stay the same objects. */
export function foldCluster(state: ClusterState, update: ClusterUpdate): ClusterState {
  const next: ClusterState = {
    ...state,
    at: update.at,
    nodes: merge(state.nodes, update.nodes, (node) => node.name),
    guests: merge(state.guests, update.guests, (guest) => guest.vmid, update.removedGuests),
    storages: merge(state.storages, update.storages, (storage) => `${storage.node ?? ''}/${storage.name}`),
    tasks: [...merge(state.tasks, update.tasks, (task) => task.upid)]
      .sort((a, b) => b.startedAt - a.startedAt)
      .slice(0, 20),
    isQuorate: update.isQuorate === undefined ? state.isQuorate : update.isQuorate,
    missing: update.missing ?? state.missing,
    unread: update.unread ?? state.unread ?? [],
    hidden: update.hidden ?? state.hidden ?? [],
  }
  const { unreachableSince = state.unreachableSince } = update
  if (typeof unreachableSince === 'number') return { ...next, unreachableSince }
  const { unreachableSince: _, ...reached } = next
  return reached
}

function merge<T, Id>(known: T[], changed: T[] | undefined, id: (thing: T) => Id, removed: readonly Id[] = []): T[] {
  if (changed === undefined && removed.length === 0) return known
  const byId = new Map(known.map((thing) => [id(thing), thing]))
  for (const thing of changed ?? []) byId.set(id(thing), thing)
  for (const gone of removed) byId.delete(gone)
  return [...byId.values()]
}
