import type { ClusterState, ClusterUpdate } from 'protocol'

/** Applies an update. Changed nodes, guests and tasks are replaced, by name, vmid or upid; unchanged ones stay the same objects. */
export function foldCluster(state: ClusterState, update: ClusterUpdate): ClusterState {
  const next: ClusterState = {
    ...state,
    at: update.at,
    nodes: merge(state.nodes, (node) => node.name, { changed: update.nodes }),
    guests: merge(state.guests, (guest) => guest.vmid, { changed: update.guests, removed: update.removedGuests }),
    storages: merge(state.storages, (storage) => `${storage.node ?? ''}/${storage.name}`, { changed: update.storages }),
    tasks: [...merge(state.tasks, (task) => task.upid, { changed: update.tasks })]
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

function merge<T, Id>(
  known: T[],
  id: (thing: T) => Id,
  { changed, removed = [] }: { changed: T[] | undefined; removed?: readonly Id[] | undefined },
): T[] {
  if (changed === undefined && removed.length === 0) return known
  const byId = new Map(known.map((thing) => [id(thing), thing]))
  for (const thing of changed ?? []) byId.set(id(thing), thing)
  for (const gone of removed) byId.delete(gone)
  return [...byId.values()]
}
