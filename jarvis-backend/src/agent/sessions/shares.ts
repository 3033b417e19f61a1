import { firstOwnerId, JarvisError, type PersonRef, type SessionShare, type ShareMay } from 'protocol'

export type Share = Omit<SessionShare, 'name'>

/** The people with whom conversations are shared. A share covers a session with all its versions. */
export interface ShareStore {
  /** In the order they were made. */
  of(sessionId: string): Share[]
  mayOf(sessionId: string, person: string): ShareMay | undefined
  /** Stores a share. Replaces an earlier share with the same person. */
  set(sessionId: string, share: Share): void
  /** Removes a share. @returns false if the session was not shared with that person */
  end(sessionId: string, person: string): boolean
  /** Returns the shares with a person, and the shares of the person’s own conversations. `sessionId`: the first version of the conversation. */
  about(person: string): { sessionId: string; person: string }[]
}

export type SharesParts = {
  store: ShareStore
  session(id: string): { title: string; person?: string } | undefined
  people: { find(id: string): PersonRef | undefined; nameOf(id: string): string }
  durably<T>(work: () => T): T
  record(change: {
    sessionId: string
    change: 'shared' | 'unshared'
    person: string
    may?: ShareMay
    title?: string | undefined
    by: string
  }): void
  /** Tells the person of the share, after the transaction that stores it is committed. */
  tell(person: string, sessionId: string, words: string): void
  /** Reports that a person may now see more or fewer sessions. */
  changed(sessionId: string): void
  mayTalk(role: string): boolean
  now(): number
}

/** Shares conversations with people, and lists with whom they are shared. Each change is journalled in the transaction that makes it. */
export class Shares {
  readonly #parts: SharesParts

  constructor(parts: SharesParts) {
    this.#parts = parts
  }

  mayOf(sessionId: string, person: string): ShareMay | undefined {
    return this.#parts.store.mayOf(sessionId, person)
  }

  of(sessionId: string): SessionShare[] {
    const { store, people } = this.#parts
    return store.of(sessionId).map((share) => ({ ...share, name: people.nameOf(share.person) }))
  }

  /** Shares a session with a person. @throws JarvisError `unknown_session`, `not_found` (no such person), `invalid_request` */
  set(sessionId: string, { person, may }: { person: string; may: ShareMay }, by: string): void {
    const { store, people, durably, record, tell, changed, mayTalk, now } = this.#parts
    const { title, person: owner = firstOwnerId } = this.#known(sessionId)
    const found = people.find(person)
    if (found === undefined) throw new JarvisError('not_found', 'Nobody with that id can sign in.')
    if (person === owner)
      throw new JarvisError('invalid_request', `The conversation is ${found.name}'s own. Share it with somebody else.`)
    if (may === 'talk' && !mayTalk(found.role))
      throw new JarvisError('invalid_request', `${found.name} may only look, by role. Share it to look at.`)
    if (store.mayOf(sessionId, person) === may) return
    durably(() => {
      store.set(sessionId, { person, may, by, at: now() })
      record({ sessionId, change: 'shared', person, may, title, by })
    })
    const words = may === 'talk' ? 'to read and to write in' : 'to read'
    tell(person, sessionId, `${people.nameOf(by)} shared a conversation with you ${words}: ${title}`)
    changed(sessionId)
  }

  /** Ends the share of a session with a person. @throws JarvisError `unknown_session`, `not_found` (it was not shared with that person) */
  end(sessionId: string, person: string, by: string): void {
    const { store, durably, record, changed } = this.#parts
    const { title } = this.#known(sessionId)
    durably(() => {
      if (!store.end(sessionId, person))
        throw new JarvisError('not_found', 'The conversation is not shared with that person.')
      record({ sessionId, change: 'unshared', person, title, by })
    })
    changed(sessionId)
  }

  #known(id: string): { title: string; person?: string } {
    const session = this.#parts.session(id)
    if (session === undefined) throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return session
  }
}
