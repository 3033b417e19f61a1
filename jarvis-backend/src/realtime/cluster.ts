import type { Namespace } from 'socket.io'
import { createShown, type Shown } from '../homelab/changes.ts'
import type { Cluster } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import { asShown } from '../protocol/index.ts'

const atMostEveryMs = 1_000

/**
 * Serves `/cluster`: a snapshot on connect, then only changes, at most once a second and computed once for all sockets. The cluster is watched only
 * while a socket is connected.
 */
export function serveCluster(namespace: Namespace, parts: { cluster: Cluster; clock: Clock }): { close(): void } {
  const { cluster, clock } = parts
  let watching: { shown: Shown; stop(): void } | undefined

  function watch() {
    const shown = createShown(cluster.state())
    let lastPushAt = 0
    let cancel: (() => void) | undefined
    const soon = () => {
      cancel ??= clock.after(Math.max(0, lastPushAt + atMostEveryMs - clock.now()), push)
    }
    function push() {
      cancel = undefined
      lastPushAt = clock.now()
      const { update, isMore } = shown.next(cluster.state())
      if (update !== undefined) namespace.emit('cluster:update', update)
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
    watching ??= watch()
    // The state that was pushed last, so that the next update applies to it.
    socket.emit('cluster:snapshot', { cluster: asShown(watching.shown.state()) })
    socket.on('disconnect', () => {
      if (namespace.sockets.size === 0) stop()
    })
  })

  return { close: stop }
}
