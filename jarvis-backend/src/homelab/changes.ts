import type { ClusterState, ClusterUpdate, Guest, Node, Storage, Task } from 'protocol'
import { shareOf } from 'protocol/facts'

/** Fields that change all the time. A change of any other field counts as a change of state. */
const figures: ReadonlySet<string> = new Set([
  ...['uptimeS', 'cpuRatio', 'ramBytes', 'diskBytes', 'netInBps', 'netOutBps', 'diskBps'],
  ...['load1', 'temperatureC', 'lastSeenAt', 'usedBytes'],
])
/** Maximum size of an update, bytes, so that updates sent together stay under 20 kB. */
const mostBytes = 16_000
/** A change of figures with at least this weight causes an update. A smaller one is sent along with other changes. */
const worthPush = 0.5
/** Age, ms, at which an unsent change weighs 0.5 (`worthPush`) by its age alone, so that even a small change is sent in the end. */
const staleMs = 60_000

export type Shown = {
  /** The state as the updates so far have told it to the watchers. */
  state(): ClusterState
  /**
   * Takes a new state.
   * @returns the next update: changes of state before changes of figures, the largest first; undefined if nothing changed. `isMore`: the update had
   * no room for a change that is worth another update
   */
  next(state: ClusterState): { update: ClusterUpdate | undefined; isMore: boolean }
}

/** Weight of a change of state: larger than the weight of any change of figures. */
const stateWeight = 1_000
type Change = { bytes: number; weight: number; tell(update: ClusterUpdate): void }

/** Tracks what watchers have been told and computes their updates. */
export function createShown(first: ClusterState): Shown {
  let whole = first
  const nodes = follow('nodes', first, { idOf: ({ name }) => name, moveOf: nodeMove })
  const guests = follow('guests', first, { idOf: ({ vmid }) => vmid, moveOf: guestMove })
  const storages = follow('storages', first, { idOf: ({ name, node }) => `${node ?? ''}/${name}`, moveOf: storageMove })
  const tasks = follow('tasks', first, { idOf: ({ upid }) => upid, moveOf: () => 0 })

  return {
    state: () => ({ ...whole, nodes: nodes.shown(), guests: guests.shown(), storages: storages.shown() }),
    next(state) {
      const update: ClusterUpdate = { at: state.at }
      const removed = guests.forget(state)
      if (removed.length > 0) update.removedGuests = removed as number[]
      nodes.forget(state)
      storages.forget(state)
      tasks.forget(state)
      if (whole.isQuorate !== state.isQuorate) update.isQuorate = state.isQuorate
      if (JSON.stringify(whole.missing) !== JSON.stringify(state.missing)) update.missing = state.missing
      if (JSON.stringify(whole.unread ?? []) !== JSON.stringify(state.unread ?? [])) update.unread = state.unread ?? []
      if (JSON.stringify(whole.hidden ?? []) !== JSON.stringify(state.hidden ?? [])) update.hidden = state.hidden ?? []
      if (whole.clockOffMs !== state.clockOffMs) update.clockOffMs = state.clockOffMs ?? null
      if (whole.unreachableSince !== state.unreachableSince) update.unreachableSince = state.unreachableSince ?? null
      whole = state

      const changes = [
        ...tasks.changes(state),
        ...nodes.changes(state),
        ...storages.changes(state),
        ...guests.changes(state),
      ].sort((a, b) => b.weight - a.weight)
      let room = mostBytes - JSON.stringify(update).length
      let isMore = false
      for (const { bytes, weight, tell } of changes) {
        if (bytes > room) {
          isMore = weight >= worthPush
          break
        }
        room -= bytes
        tell(update)
      }
      return { update: Object.keys(update).length > 1 ? update : undefined, isMore }
    },
  }
}

type Kinds = { nodes: Node; guests: Guest; storages: Storage; tasks: Task }

type Measure<T> = {
  idOf: (item: T) => string | number
  /** Returns how far an item's figures have changed; 1 is worth an update. */
  moveOf: (told: T, now: T) => number
}

/** Tracks the items of one kind. */
function follow<K extends keyof Kinds>(kind: K, first: ClusterState, { idOf, moveOf }: Measure<Kinds[K]>) {
  const itemsOf = (state: ClusterState) => state[kind] as Kinds[K][]
  const told = new Map(itemsOf(first).map((item) => [idOf(item), { item, at: first.at }]))
  return {
    shown: () => [...told.values()].map(({ item }) => item),
    /** Forgets the items that the new state no longer has. @returns their ids */
    forget(state: ClusterState): (string | number)[] {
      const ids = new Set(itemsOf(state).map(idOf))
      const gone = [...told.keys()].filter((id) => !ids.has(id))
      for (const id of gone) told.delete(id)
      return gone
    },
    changes: (state: ClusterState): Change[] =>
      itemsOf(state).flatMap((item) => {
        const id = idOf(item)
        const before = told.get(id)
        const weight = before === undefined ? stateWeight : weightOf(before, { item, at: state.at }, moveOf)
        if (weight === 0) return []
        const tell = (update: ClusterUpdate) => {
          told.set(id, { item, at: state.at })
          const list: Kinds[K][] = (update[kind] as Kinds[K][] | undefined) ?? []
          list.push(item)
          Object.assign(update, { [kind]: list })
        }
        return [{ bytes: Buffer.byteLength(JSON.stringify(item)) + 1, weight, tell }]
      }),
  }
}

/** Returns the weight of an item's change: `stateWeight` if its state changed, 0 if nothing changed. */
function weightOf<T extends object>(
  before: { item: T; at: number },
  { item, at }: { item: T; at: number },
  moveOf: Measure<T>['moveOf'],
): number {
  if (before.item === item) return 0
  const [old, now] = [before.item as Record<string, unknown>, item as Record<string, unknown>]
  let hasMoved = false
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (isEqual(old[key], now[key])) continue
    if (!figures.has(key)) return stateWeight
    hasMoved = true
  }
  if (!hasMoved) return 0
  const ageMs = Math.max(0, at - before.at)
  return moveOf(before.item, item) + ageMs / (ageMs + staleMs)
}

const isEqual = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

const between = (told: number | null | undefined, now: number | null | undefined) => Math.abs((told ?? 0) - (now ?? 0))

const storageMove = (told: Storage, now: Storage): number =>
  between(told.usedBytes, now.usedBytes) / Math.max(1, now.totalBytes ?? 1) / 0.01

const nodeMove = (told: Node, now: Node): number =>
  Math.max(
    Math.abs((told.cpuRatio ?? 0) - (now.cpuRatio ?? 0)) / 0.02,
    Math.abs((told.ramBytes ?? 0) - (now.ramBytes ?? 0)) / Math.max(1, now.ramTotalBytes ?? 1) / 0.02,
    Math.abs((told.temperatureC ?? 0) - (now.temperatureC ?? 0)) / 2,
    // A lower uptime means a restart.
    (now.uptimeS ?? 0) < (told.uptimeS ?? 0) ? 100 : 0,
  )

const guestMove = (told: Guest, now: Guest): number =>
  Math.max(
    between(told.cpuRatio, now.cpuRatio) / 0.05,
    between(shareOf(told.ramBytes, told.ramTotalBytes), shareOf(now.ramBytes, now.ramTotalBytes)) / 0.05,
    Math.abs((told.netInBps ?? 0) - (now.netInBps ?? 0)) / 5e6,
    Math.abs((told.netOutBps ?? 0) - (now.netOutBps ?? 0)) / 5e6,
    (now.uptimeS ?? 0) < (told.uptimeS ?? 0) ? 100 : 0,
  )
