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
  const personal = new Set<(person: string, line: Activity) => void>()
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
    /** Tells one person's open dashboards a line that is kept for nobody. */
    tellPerson(person: string, line: Omit<Activity, 'id'>) {
      for (const listener of personal) listener(person, { id: nextId++, ...line })
    },
    /** Tells of each such line from now on. */
    listenPersonal: (listener: (person: string, line: Activity) => void) => void personal.add(listener),
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
    void socket.join(roomOf(identityOf(socket).person.id))
    if (isBounded(identityOf(socket).person.role)) return
    void socket.join('whole')
    for (const activity of feed.newest()) socket.emit('event', activity)
  })
  feed.listenPersonal((person, line) => namespace.to(roomOf(person)).emit('event', line))
  feed.listen((event, payload) => {
    // Encoding a payload costs CPU even when no socket is connected.
    if (namespace.sockets.size === 0) return
    // A member hears which lists to read again, and no line of what others do.
    if (event === 'changed') namespace.emit(event, payload)
    else namespace.to('whole').emit(event, payload)
  })
}

const roomOf = (person: string) => `person:${person}`
