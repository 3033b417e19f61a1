import type { Activity, ActivityEvents, PersonRef } from 'protocol'
import type { Namespace, Socket } from 'socket.io'
import type { Shown } from '../auth/closed-words.ts'
import { isBounded } from '../auth/roles.ts'
import { identityOf } from './answer.ts'

const kept = 100

/** The session from which a line quotes text. `facts`: the line's text for people who may not read that session. */
export type Words = { sessionId: string; facts: string }

type Listener = <E extends 'event' | 'changed'>(event: E, payload: ActivityEvents[E]) => void

/** Keeps a site's newest 100 activity lines, and reports which lists should be read again. */
export class ActivityFeed {
  readonly #newest: Activity[] = []
  #nextId = 1
  readonly #listeners = new Set<Listener>()
  readonly #personal = new Set<(person: string, line: Activity) => void>()
  /** The replacement for each line that quotes a session, for people who may not read that session. */
  readonly #closed = new WeakMap<Activity, { sessionId: string; line: Activity }>()
  readonly #begunAt = performance.now()
  readonly #changedAt = new Map<ActivityEvents['changed']['what'], number>()

  /** The newest lines, oldest first. */
  newest(): readonly Activity[] {
    return this.#newest
  }

  /** Adds a line and sends it to the listeners. @param words absent: the line quotes no session */
  record(line: Omit<Activity, 'id'>, words?: Words): void {
    const activity: Activity = { id: this.#nextId++, ...line }
    if (words !== undefined)
      this.#closed.set(activity, { sessionId: words.sessionId, line: { ...activity, text: words.facts } })
    this.#newest.push(activity)
    if (this.#newest.length > kept) this.#newest.shift()
    this.#tell('event', activity)
  }

  /** Returns a line in the form that a person may see. @param reads returns true if the person may read a session */
  lineFor(activity: Activity, reads: (sessionId: string) => boolean): Activity {
    const words = this.#closed.get(activity)
    return words === undefined || reads(words.sessionId) ? activity : words.line
  }

  /** Sends a line to the open dashboards of one person. The line is not stored. */
  tellPerson(person: string, line: Omit<Activity, 'id'>): void {
    for (const listener of this.#personal) listener(person, { id: this.#nextId++, ...line })
  }

  /** Calls `listener` for each line of `tellPerson` from now on. */
  listenPersonal(listener: (person: string, line: Activity) => void): void {
    this.#personal.add(listener)
  }

  /** How long ago each list last changed, by a clock that nobody sets. */
  ages(): ActivityEvents['ages'] {
    const since = (at: number) => Math.floor(performance.now() - at)
    return {
      upMs: since(this.#begunAt),
      lists: Object.fromEntries([...this.#changedAt].map(([what, at]) => [what, since(at)])),
    }
  }

  /** Reports to the listeners that a list should be read again. */
  changed(change: ActivityEvents['changed']): void {
    this.#changedAt.set(change.what, performance.now())
    this.#tell('changed', change)
  }

  /** Calls `listener` for each line and each change from now on. @returns a function that ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #tell<E extends 'event' | 'changed'>(event: E, payload: ActivityEvents[E]): void {
    for (const listener of this.#listeners) listener(event, payload)
  }
}

/**
 * Serves the namespace `/events`. Each dashboard gets the ages of the lists and the newest activity lines on connect, then each new line, and an
 * event when a list has changed. A member gets only lines addressed to that person, and these events.
 */
export function serveActivity(
  namespace: Namespace,
  feed: ActivityFeed,
  shown: (person: PersonRef) => Pick<Shown, 'reads'>,
) {
  const lineFor = (activity: Activity, socket: Socket) => feed.lineFor(activity, shown(identityOf(socket).person).reads)
  namespace.on('connection', (socket) => {
    void socket.join(roomOf(identityOf(socket).person.id))
    socket.emit('ages', feed.ages())
    if (isBounded(identityOf(socket).person.role)) return
    void socket.join('whole')
    for (const activity of feed.newest()) socket.emit('event', lineFor(activity, socket))
  })
  feed.listenPersonal((person, line) => namespace.to(roomOf(person)).emit('event', line))
  feed.listen((event, payload) => {
    // Encoding a payload costs CPU even when no socket is connected.
    if (namespace.sockets.size === 0) return
    // A member receives the event that a list has changed, and no lines about other people's work.
    if (event === 'changed') namespace.emit(event, payload)
    else
      for (const socket of namespace.sockets.values())
        if (socket.rooms.has('whole')) socket.emit(event, lineFor(payload as Activity, socket))
  })
}

const roomOf = (person: string) => `person:${person}`
