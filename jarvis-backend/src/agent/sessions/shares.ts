import { firstOwnerId, JarvisError, type PersonRef, type SessionShare, type ShareMay } from 'protocol'

export type Share = Omit<SessionShare, 'name'>

/** With whom conversations are shared. A share covers a session with all its versions. */
export interface ShareStore {
  /** In the order they were made. */
  of(sessionId: string): Share[]
  mayOf(sessionId: string, person: string): ShareMay | undefined
  /** Replaces what the person might before. */
  set(sessionId: string, share: Share): void
  /** @returns false where it was not shared with that person */
  end(sessionId: string, person: string): boolean
  /** The shares with a person, and those of the conversations that are theirs; `sessionId` is that of the first version. */
  about(person: string): { sessionId: string; person: string }[]
}

/** Shares conversations with people, and says with whom. Each change is journalled in the transaction that makes it. */
export function createShares(parts: {
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
  /** The list of sessions is another now, and somebody may see less. */
  changed(sessionId: string): void
  mayTalk(role: string): boolean
  now(): number
}) {
  const { store, people } = parts
  const known = (id: string) => {
    const session = parts.session(id)
    if (session === undefined) throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return session
  }
  return {
    mayOf: store.mayOf,
    of: (sessionId: string): SessionShare[] =>
      store.of(sessionId).map((share) => ({ ...share, name: people.nameOf(share.person) })),
    /** @throws JarvisError `unknown_session`, `not_found` (no such person), `invalid_request` */
    set(sessionId: string, person: string, may: ShareMay, by: string): void {
      const { title, person: owner = firstOwnerId } = known(sessionId)
      const found = people.find(person)
      if (found === undefined) throw new JarvisError('not_found', 'Nobody with that id can sign in.')
      if (person === owner)
        throw new JarvisError(
          'invalid_request',
          `The conversation is ${found.name}'s own. Share it with somebody else.`,
        )
      if (may === 'talk' && !parts.mayTalk(found.role))
        throw new JarvisError('invalid_request', `${found.name} may only look, by role. Share it to look at.`)
      if (store.mayOf(sessionId, person) === may) return
      parts.durably(() => {
        store.set(sessionId, { person, may, by, at: parts.now() })
        parts.record({ sessionId, change: 'shared', person, may, title, by })
      })
      const words = may === 'talk' ? 'to read and to write in' : 'to read'
      parts.tell(person, sessionId, `${people.nameOf(by)} shared a conversation with you ${words}: ${title}`)
      parts.changed(sessionId)
    },
    /** @throws JarvisError `unknown_session`, `not_found` (it was not shared with that person) */
    end(sessionId: string, person: string, by: string): void {
      const { title } = known(sessionId)
      parts.durably(() => {
        if (!store.end(sessionId, person))
          throw new JarvisError('not_found', 'The conversation is not shared with that person.')
        parts.record({ sessionId, change: 'unshared', person, title, by })
      })
      parts.changed(sessionId)
    },
  }
}
export type Shares = ReturnType<typeof createShares>
