import { InMemoryServerEventBus, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server'
import type { ClusterState } from 'protocol'
import { clusterUri, guestUri, journalUri, nodeUri } from './resources.ts'

export type Watched = {
  cluster: { state(): ClusterState; watch(listener: () => void, pace: 'idle'): () => void }
  /** Calls `listener` after the journal has grown. @returns a function that stops it. */
  watchJournal(listener: () => void): () => void
  watchTools?: ((listener: () => void) => () => void) | undefined
}

/** Publishes changes of the cluster, the journal and the tools; watches them only while there are subscribers. */
export function createChanges(
  { cluster, watchJournal, watchTools }: Watched,
  report: (error: unknown, message: string) => void,
): ServerEventBus {
  const bus = new InMemoryServerEventBus((error) => report(error, 'an MCP subscriber could not be told'))
  let stop: (() => void) | undefined

  function watch() {
    let before = standing(cluster.state())
    const stopCluster = cluster.watch(() => {
      const now = standing(cluster.state())
      for (const event of eventsBetween(before, now)) bus.publish(event)
      before = now
    }, 'idle')
    let isDue = false
    // Publish one event for all entries of a commit.
    const stopJournal = watchJournal(() => {
      if (isDue) return
      isDue = true
      queueMicrotask(() => {
        isDue = false
        bus.publish({ kind: 'resource_updated', uri: journalUri })
      })
    })
    const stopTools = watchTools?.(() => bus.publish({ kind: 'tools_list_changed' }))
    return () => {
      stopCluster()
      stopJournal()
      stopTools?.()
    }
  }

  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const end = bus.subscribe(listener)
      stop ??= watch()
      return () => {
        end()
        if (bus.listenerCount > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}

/** Each node and guest by URI, with a text that changes when the thing changes. */
const standing = ({ nodes, guests }: ClusterState): Map<string, string> =>
  new Map([
    ...nodes.map((node) => [nodeUri(node.name), JSON.stringify(node)] as const),
    ...guests.map((guest) => [guestUri(guest.vmid), JSON.stringify(guest)] as const),
  ])

function eventsBetween(before: Map<string, string>, now: Map<string, string>): ServerEvent[] {
  const updated = [...now].filter(([uri, text]) => before.has(uri) && before.get(uri) !== text).map(([uri]) => uri)
  const isOther = now.size !== before.size || [...now.keys()].some((uri) => !before.has(uri))
  return [
    ...(isOther ? [{ kind: 'resources_list_changed' } as const] : []),
    ...[clusterUri, ...updated].map((uri) => ({ kind: 'resource_updated', uri }) as const),
  ]
}
