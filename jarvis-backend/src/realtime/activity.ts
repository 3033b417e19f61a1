import type { Namespace } from 'socket.io'
import type { Activity, ActivityEvents } from '../protocol/index.ts'

const kept = 100

export type ActivityFeed = ReturnType<typeof createActivityFeed>

/** What happens at one site: the newest 100 lines, and which lists are worth reading again. */
export function createActivityFeed() {
  const newest: Activity[] = []
  let nextId = 1
  let tell: (<E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]) => void) | undefined
  return {
    newest: (): readonly Activity[] => newest,
    record(line: Omit<Activity, 'id'>) {
      const activity: Activity = { id: nextId++, ...line }
      newest.push(activity)
      if (newest.length > kept) newest.shift()
      tell?.('event', activity)
    },
    changed: (change: ActivityEvents['changed']) => tell?.('changed', change),
    /** From here on `listener` is told of each line and each change. There is one. */
    listen(listener: NonNullable<typeof tell>) {
      tell = listener
    },
  }
}

/** `/events`: the newest lines on connect, then every line and change. */
export function serveActivity(namespace: Namespace, feed: ActivityFeed) {
  namespace.on('connection', (socket) => {
    for (const activity of feed.newest()) socket.emit('event', activity)
  })
  feed.listen((event, payload) => {
    // Encoding a payload costs the same where nobody listens.
    if (namespace.sockets.size > 0) namespace.emit(event, payload)
  })
}
