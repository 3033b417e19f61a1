import { createHash, randomBytes } from 'node:crypto'
import { type Invitation, JarvisError, type LinkReply, type Person } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { People } from './people.ts'

/** Lifetime of an invitation, ms. */
export const invitationMs = 72 * 60 * 60_000
/** Lifetime of a link that sets a new password, ms. */
export const resetMs = 15 * 60_000
/** The maker of links from the command line, which only the owner of the data dir can use. Every other maker is a person. */
const commandLine = 'cli'

/** A link for one use that is sent to a person. `by`: who made it. Times in Unix ms. */
export type StoredLink = { id: string; by: string; createdAt: number; expiresAt: number } & (
  | { kind: 'join'; role: string; name?: string }
  | { kind: 'reset'; person: string }
)

export interface LinkStore {
  /** @param hash of the secret */
  add(link: StoredLink, hash: string): void
  byHash(hash: string): StoredLink | undefined
  /** All links, oldest first. */
  list(): StoredLink[]
  /** Ends a link that was used or withdrawn. @returns false if there was no such link */
  end(id: string): boolean
  /** Marks all links as announced. @returns the links that were not announced before */
  untold(): StoredLink[]
  /** Deletes expired links. */
  prune(at: number): void
}

/** A change of the links for the journal. The use of an invitation is in the entry of the added person. */
export type LinkChange =
  | { change: 'invited'; invitation: string; role: string; name?: string; expiresAt: number; by: string }
  | { change: 'invitation_withdrawn'; invitation: string; role: string; name?: string; by: string; why?: string }
  | { change: 'reset_made'; person: string; name: string; expiresAt: number; by: string }
  | { change: 'reset_used'; person: string; name: string; by: string }

type Parts = {
  store: LinkStore
  people: Pick<People, 'get' | 'must' | 'add' | 'requireName' | 'requireRole'>
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: LinkChange): void
  /** Called when the list of invitations has changed. */
  changed(): void
  now(): number
}

/** Links that are sent to people: invitations, and links that set a new password. Only the hash of a link's secret is stored. */
export class Links {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @returns the secret, which is not stored. @throws JarvisError `invalid_request` */
  invite({ role, name }: { role: string; name?: string | undefined }, by: string): Invitation & { secret: string } {
    if (name !== undefined) this.#parts.people.requireName(name)
    this.#parts.people.requireRole(role)
    const createdAt = this.#parts.now()
    const link: StoredLink & { kind: 'join' } = {
      id: newId('inv'),
      kind: 'join',
      by,
      role,
      createdAt,
      expiresAt: createdAt + invitationMs,
      name,
    }
    const secret = this.#parts.durably(() => {
      const { id, expiresAt } = link
      this.#parts.record({
        change: 'invited',
        invitation: id,
        role,
        name,
        expiresAt,
        by,
      })
      return this.#add(link)
    })
    this.#parts.changed()
    return { ...shown(link), secret }
  }

  /** The invitations that can still be used. */
  invitations(): Invitation[] {
    return this.#parts.store
      .list()
      .flatMap((link) =>
        link.kind === 'join' && link.expiresAt > this.#parts.now() && this.#isMakersYet(link) ? [shown(link)] : [],
      )
  }

  /** @throws JarvisError `not_found` */
  withdraw(id: string, by: string): void {
    this.#parts.durably(() => {
      const link = this.#parts.store.list().find((one) => one.id === id)
      if (link?.kind !== 'join' || !this.#parts.store.end(id))
        throw new JarvisError('not_found', 'There is no such invitation. It may have been used.')
      this.#parts.record({ change: 'invitation_withdrawn', invitation: id, ...about(link), by })
    })
    this.#parts.changed()
  }

  /** Withdraws the links of a person who may no longer invite. Call it in the transaction that takes the right away. */
  void(by: string, why: string): void {
    for (const link of this.#parts.store.list()) {
      if (link.by !== by || !this.#parts.store.end(link.id) || link.kind !== 'join') continue
      this.#parts.record({ change: 'invitation_withdrawn', invitation: link.id, ...about(link), by: 'jarvis', why })
    }
  }

  /** Makes a link that sets a new password. @returns the secret. @throws JarvisError `not_found` */
  reset(person: string, by: string): { secret: string; expiresAt: number } {
    const createdAt = this.#parts.now()
    const expiresAt = createdAt + resetMs
    return this.#parts.durably(() => {
      const { name } = this.#parts.people.must(person)
      // End the person's earlier links: only the newest one is valid.
      for (const link of this.#parts.store.list())
        if (link.kind === 'reset' && link.person === person) this.#parts.store.end(link.id)
      const secret = this.#add({ id: newId('rst'), kind: 'reset', by, person, createdAt, expiresAt })
      this.#parts.record({ change: 'reset_made', person, name, expiresAt, by })
      return { secret, expiresAt }
    })
  }

  /** Returns the purpose of a link. @throws JarvisError `not_found` */
  look(secret: string): LinkReply {
    const link = this.#counting(secret)
    const { expiresAt } = link
    if (link.kind === 'reset') return { kind: 'reset', name: this.#parts.people.must(link.person).name, expiresAt }
    const inviter = this.#parts.people.get(link.by)?.name
    return { kind: 'join', ...about(link), by: inviter, expiresAt }
  }

  /** @throws JarvisError `not_found` */
  requireInvitation(secret: string): void {
    this.#counting(secret, 'join')
  }

  /** @returns the person whose password the link sets. @throws JarvisError `not_found` */
  requireReset(secret: string): string {
    return this.#counting(secret, 'reset').person
  }

  /** Uses an invitation, which adds a person. @throws JarvisError `not_found`, `conflict` (the name is taken) */
  join({ secret, name, hash }: { secret: string; name: string; hash: string }): Person {
    const person = this.#parts.durably(() => {
      const link = this.#counting(secret, 'join')
      this.#use(link)
      return this.#parts.people.add({ name, role: link.role, hash, invitation: link.id }, link.by)
    })
    this.#parts.changed()
    return person
  }

  /** Uses a link that sets a password, in the transaction that sets it. @throws JarvisError `not_found` */
  useReset(secret: string): void {
    this.#parts.durably(() => {
      const link = this.#counting(secret, 'reset')
      this.#use(link)
      this.#parts.record({
        change: 'reset_used',
        person: link.person,
        name: this.#parts.people.must(link.person).name,
        by: link.by,
      })
    })
  }

  /** Marks all links as announced, and returns the names of the people whose newly announced links set a password. */
  untoldResets(): string[] {
    return this.#parts.durably(() =>
      this.#parts.store
        .untold()
        .flatMap((link) => (link.kind === 'reset' ? (this.#parts.people.get(link.person)?.name ?? []) : [])),
    )
  }

  #add(link: StoredLink): string {
    const secret = randomBytes(16).toString('base64url')
    this.#parts.store.prune(this.#parts.now())
    this.#parts.store.add(link, hashOf(secret))
    return secret
  }

  /** True if the maker of the link still has the right to make one. */
  #isMakersYet({ by }: StoredLink): boolean {
    if (by === commandLine) return true
    const maker = this.#parts.people.get(by)
    return maker?.role === 'owner' && maker.disabledAt === undefined
  }

  #isRole(role: string): boolean {
    try {
      this.#parts.people.requireRole(role)
      return true
    } catch {
      return false
    }
  }

  /** Returns a link that is valid. @throws JarvisError `not_found`, the same for every link that is not valid */
  #counting<K extends StoredLink['kind']>(secret: string, kind?: K): Extract<StoredLink, { kind: K }> {
    const link = this.#parts.store.byHash(hashOf(secret))
    const counts =
      link !== undefined &&
      (kind === undefined || link.kind === kind) &&
      link.expiresAt > this.#parts.now() &&
      this.#isMakersYet(link) &&
      (link.kind === 'join' ? this.#isRole(link.role) : this.#parts.people.get(link.person)?.disabledAt === undefined)
    if (!counts || (link.kind === 'reset' && this.#parts.people.get(link.person) === undefined)) throw refused()
    return link as Extract<StoredLink, { kind: K }>
  }

  #use(link: StoredLink): void {
    if (!this.#parts.store.end(link.id)) throw refused()
  }
}

const shown = ({ id, by, createdAt, expiresAt, ...link }: StoredLink & { kind: 'join' }): Invitation => ({
  id,
  role: link.role,
  by,
  createdAt,
  expiresAt,
  name: link.name,
})
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
const about = ({ role, name }: StoredLink & { kind: 'join' }) => ({ role, name })
const refused = () =>
  new JarvisError(
    'not_found',
    'This link does not count: it was used, was withdrawn or is too old. Ask for another one.',
  )
