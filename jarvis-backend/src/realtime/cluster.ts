import type { Cluster } from 'homelab-ports/ports'
import { asShown, type ClusterState, type ClusterUpdate } from 'protocol'
import type { Namespace } from 'socket.io'
import { createShown, type Shown } from '../homelab/changes.ts'
import type { Clock } from '../lib/clock.ts'
import { identityOf } from './answer.ts'

const atMostEveryMs = 1_000

/** Returns a function that reduces the cluster's state to the part that a person may see; undefined: the person may see all of it. */
type SightOf = (person: string) => ((state: ClusterState) => ClusterState) | undefined

/**
 * Serves `/cluster`: a snapshot on connect, then only changes, at most once a second. Changes are computed once for all sockets whose person may see
 * the whole cluster, and separately for each socket of a member. The cluster is watched only while a socket is connected.
 */
export function serveCluster(
  namespace: Namespace,
  parts: { cluster: Cluster; clock: Clock; sightOf: SightOf },
): { close(): void } {
  const { cluster, clock, sightOf } = parts
  let watching: { shown: Shown; stop(): void } | undefined

  function watch(state: () => ClusterState, tell: (update: ClusterUpdate) => void) {
    const shown = createShown(state())
    let lastPushAt = 0
    let cancel: (() => void) | undefined
    const soon = () => {
      cancel ??= clock.after(Math.max(0, lastPushAt + atMostEveryMs - clock.now()), push)
    }
    function push() {
      cancel = undefined
      lastPushAt = clock.now()
      const { update, isMore } = shown.next(state())
      if (update !== undefined) tell(update)
      if (isMore) soon()
    }
    const unwatch = cluster.watch(soon, 'live')
    return {
      shown,
      stop() {
        unwatch()
        cancel?.()
      },
    }
  }
  function stop() {
    watching?.stop()
    watching = undefined
  }

  namespace.on('connection', (socket) => {
    const person = identityOf(socket).person.id
    // Read the person's rights again for each state, so that a reduced role takes effect at once.
    const own = () => sightOf(person)?.(cluster.state()) ?? cluster.state()
    if (sightOf(person) !== undefined) {
      const ownWatch = watch(own, (update) => socket.emit('cluster:update', update))
      socket.emit('cluster:snapshot', { cluster: asShown(ownWatch.shown.state()) })
      socket.on('disconnect', ownWatch.stop)
      return
    }
    void socket.join('whole')
    watching ??= watch(cluster.state, (update) => namespace.to('whole').emit('cluster:update', update))
    // The state that was pushed last, so that the next update applies to it.
    socket.emit('cluster:snapshot', { cluster: asShown(watching.shown.state()) })
    socket.on('disconnect', () => {
      if ((namespace.adapter.rooms.get('whole')?.size ?? 0) === 0) stop()
    })
  })

  return { close: stop }
}
