import type { Namespace } from 'socket.io'
import { createShown, type Shown } from '../homelab/changes.ts'
import type { Cluster } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import { asShown } from '../protocol/index.ts'

const atMostEveryMs = 1_000

/**
 * `/cluster`: a snapshot on connect, then only what changed, at most once a second, made once for all watchers. While
 * nobody is there, nobody watches the cluster here.
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
    // What was pushed last, so that the next update follows on from it.
    socket.emit('cluster:snapshot', { cluster: asShown(watching.shown.state()) })
    socket.on('disconnect', () => {
      if (namespace.sockets.size === 0) stop()
    })
  })

  return { close: stop }
}
