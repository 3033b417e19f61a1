import type { Activity, ActivityEvents, PersonRef } from 'protocol'
import type { Namespace, Socket } from 'socket.io'
import type { Shown } from '../auth/closed-words.ts'
import { isBounded } from '../auth/roles.ts'
import { identityOf } from './answer.ts'

const kept = 100

/** The session whose words a line holds. `facts`: the text of the line for people who may not read that session. */
export type Words = { sessionId: string; facts: string }

type Listener = <E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]) => void

export type ActivityFeed = ReturnType<typeof createActivityFeed>

/** Keeps a site's newest 100 activity lines and tells which lists should be read again. */
export function createActivityFeed() {
  const newest: Activity[] = []
  let nextId = 1
  const listeners = new Set<Listener>()
  /** The replacement of each line that holds words of a session, for people who may not read them. */
  const closed = new WeakMap<Activity, { sessionId: string; line: Activity }>()
  const personal = new Set<(person: string, line: Activity) => void>()
  const tell: Listener = (event, payload) => {
    for (const listener of listeners) listener(event, payload)
  }
  return {
    newest: (): readonly Activity[] => newest,
    record(line: Omit<Activity, 'id'>, words?: Words) {
      const activity: Activity = { id: nextId++, ...line }
      if (words !== undefined)
        closed.set(activity, { sessionId: words.sessionId, line: { ...activity, text: words.facts } })
      newest.push(activity)
      if (newest.length > kept) newest.shift()
      tell('event', activity)
    },
    /** A line as somebody is shown it. @param reads whether they may read words of a session */
    lineFor(activity: Activity, reads: (sessionId: string) => boolean): Activity {
      const words = closed.get(activity)
      return words === undefined || reads(words.sessionId) ? activity : words.line
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
export function serveActivity(
  namespace: Namespace,
  feed: ActivityFeed,
  shown: (person: PersonRef) => Pick<Shown, 'reads'>,
) {
  const lineFor = (activity: Activity, socket: Socket) => feed.lineFor(activity, shown(identityOf(socket).person).reads)
  namespace.on('connection', (socket) => {
    void socket.join(roomOf(identityOf(socket).person.id))
    if (isBounded(identityOf(socket).person.role)) return
    void socket.join('whole')
    for (const activity of feed.newest()) socket.emit('event', lineFor(activity, socket))
  })
  feed.listenPersonal((person, line) => namespace.to(roomOf(person)).emit('event', line))
  feed.listen((event, payload) => {
    // Encoding a payload costs CPU even when no socket is connected.
    if (namespace.sockets.size === 0) return
    // A member hears which lists to read again, and no line of what others do.
    if (event === 'changed') namespace.emit(event, payload)
    else
      for (const socket of namespace.sockets.values())
        if (socket.rooms.has('whole')) socket.emit(event, lineFor(payload as Activity, socket))
  })
}

const roomOf = (person: string) => `person:${person}`
