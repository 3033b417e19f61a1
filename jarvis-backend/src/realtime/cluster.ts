import type { Namespace } from 'socket.io'
import { activityBetween, changesBetween } from '../homelab/changes.ts'
import type { Cluster } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import type { Activity } from '../protocol/index.ts'

const atMostEveryMs = 1_000

/** `/cluster`: a snapshot on connect, then only what changed, at most once a second, made once for all watchers. */
export function serveCluster(
  namespace: Namespace,
  parts: { cluster: Cluster; clock: Clock; record(activity: Omit<Activity, 'id'>): void },
): { close(): void } {
  const { cluster, clock } = parts
  let shown = cluster.state()
  let lastPushAt = 0
  let cancel: (() => void) | undefined

  function push() {
    cancel = undefined
    lastPushAt = clock.now()
    const state = cluster.state()
    const update = changesBetween(shown, state)
    for (const activity of activityBetween(shown, state)) parts.record(activity)
    shown = state
    if (update !== undefined) namespace.emit('cluster:update', update)
  }
  const unwatch = cluster.watch(() => {
    cancel ??= clock.after(Math.max(0, lastPushAt + atMostEveryMs - clock.now()), push)
  })
  // What was pushed last, so that the next update follows on from it.
  namespace.on('connection', (socket) => socket.emit('cluster:snapshot', { cluster: shown }))

  return {
    close() {
      unwatch()
      cancel?.()
    },
  }
}
