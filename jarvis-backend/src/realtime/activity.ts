import type { Activity, ActivityEvents, PersonRef } from 'protocol'
import type { Namespace, Socket } from 'socket.io'
import type { Shown } from '../auth/closed-words.ts'
import { isBounded } from '../auth/roles.ts'
import { identityOf } from './answer.ts'

const kept = 100

/** The session whose words a line holds. `facts`: the text of the line for people who may not read that session. */
export type Words = { sessionId: string; facts: string }

type Listener = <E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]) => void

/** Keeps a site's newest 100 activity lines and tells which lists should be read again. */
export class ActivityFeed {
  readonly #newest: Activity[] = []
  #nextId = 1
  readonly #listeners = new Set<Listener>()
  readonly #personal = new Set<(person: string, line: Activity) => void>()
  /** The replacement of each line that holds words of a session, for people who may not read them. */
  readonly #closed = new WeakMap<Activity, { sessionId: string; line: Activity }>()

  /** The newest lines, oldest first. */
  newest(): readonly Activity[] {
    return this.#newest
  }

  /** Adds a line and tells it to the listeners. @param words absent: the line holds no words of a session */
  record(line: Omit<Activity, 'id'>, words?: Words): void {
    const activity: Activity = { id: this.#nextId++, ...line }
    if (words !== undefined)
      this.#closed.set(activity, { sessionId: words.sessionId, line: { ...activity, text: words.facts } })
    this.#newest.push(activity)
    if (this.#newest.length > kept) this.#newest.shift()
    this.#tell('event', activity)
  }

  /** Returns a line as somebody is shown it. @param reads whether they may read words of a session */
  lineFor(activity: Activity, reads: (sessionId: string) => boolean): Activity {
    const words = this.#closed.get(activity)
    return words === undefined || reads(words.sessionId) ? activity : words.line
  }

  /** Tells one person's open dashboards a line that is kept for nobody. */
  tellPerson(person: string, line: Omit<Activity, 'id'>): void {
    for (const listener of this.#personal) listener(person, { id: this.#nextId++, ...line })
  }

  /** Calls `listener` for each line of `tellPerson` from now on. */
  listenPersonal(listener: (person: string, line: Activity) => void): void {
    this.#personal.add(listener)
  }

  /** Tells that a list should be read again. */
  changed(change: ActivityEvents['changed']): void {
    this.#tell('changed', change)
  }

  /** Calls `listener` for each line and each change from now on. @returns a function that ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #tell<E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]): void {
    for (const listener of this.#listeners) listener(event, payload)
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
