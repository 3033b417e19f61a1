import type { Namespace } from 'socket.io'
import { isBounded } from '../auth/roles.ts'
import type { Activity, ActivityEvents } from '../protocol/index.ts'
import { identityOf } from './answer.ts'

const kept = 100

type Listener = <E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]) => void

export type ActivityFeed = ReturnType<typeof createActivityFeed>

/** Keeps a site's newest 100 activity lines and tells which lists should be read again. */
export function createActivityFeed() {
  const newest: Activity[] = []
  let nextId = 1
  const listeners = new Set<Listener>()
  const tell: Listener = (event, payload) => {
    for (const listener of listeners) listener(event, payload)
  }
  return {
    newest: (): readonly Activity[] => newest,
    record(line: Omit<Activity, 'id'>) {
      const activity: Activity = { id: nextId++, ...line }
      newest.push(activity)
      if (newest.length > kept) newest.shift()
      tell('event', activity)
    },
    changed: (change: ActivityEvents['changed']) => tell('changed', change),
    /** Tells of each line and each change from now on. @returns a function that ends it */
    listen(listener: Listener): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Serves `/events`: the newest lines on connect, then every line and change. */
export function serveActivity(namespace: Namespace, feed: ActivityFeed) {
  namespace.on('connection', (socket) => {
    if (isBounded(identityOf(socket).person.role)) return
    void socket.join('whole')
    for (const activity of feed.newest()) socket.emit('event', activity)
  })
  feed.listen((event, payload) => {
    // Encoding a payload costs CPU even when no socket is connected.
    if (namespace.sockets.size === 0) return
    // A member hears which lists to read again, and no line of what others do.
    if (event === 'changed') namespace.emit(event, payload)
    else namespace.to('whole').emit(event, payload)
  })
}
