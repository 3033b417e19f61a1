import type { Namespace } from 'socket.io'
import type { Activity, ActivityEvents } from '../protocol/index.ts'

const kept = 100

/** `/events`: the activity feed, newest 100 on connect, and which lists are worth reading again. */
export function serveActivity(namespace: Namespace) {
  const newest: Activity[] = []
  let nextId = 1
  namespace.on('connection', (socket) => {
    for (const activity of newest) socket.emit('event', activity)
  })
  return {
    record(line: Omit<Activity, 'id'>) {
      const activity: Activity = { id: nextId++, ...line }
      newest.push(activity)
      if (newest.length > kept) newest.shift()
      namespace.emit('event', activity)
    },
    changed(change: ActivityEvents['changed']) {
      // Encoding it costs the same where nobody listens.
      if (namespace.sockets.size > 0) namespace.emit('changed', change)
    },
  }
}
