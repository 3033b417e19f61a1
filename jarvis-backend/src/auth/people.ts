import { firstOwnerId, houseRoles, JarvisError, type Person, PersonName } from 'protocol'
import { newId } from '../lib/ids.ts'

/** `hash`: the hash of the password; undefined for the first owner, whose password is stored elsewhere, and for a person without a password. */
export interface PersonStore {
  /** @returns false if the name is taken */
  add(person: Person, hash: string | undefined): boolean
  /** Undefined for a removed person. */
  get(id: string): Person | undefined
  byName(name: string): Person | undefined
  /** All people, sorted by name. */
  list(): Person[]
  /** The names of all people, including removed ones. */
  names(): { id: string; name: string }[]
  /** `disabledAt` null: the person can sign in again. @returns false if the name is taken */
  change(id: string, patch: { name?: string; role?: string; disabledAt?: number | null }): boolean
  /** Removes a person, whose id is never used again. @returns false if there is no such person */
  remove(id: string, at: number): boolean
  seen(id: string, at: number): void
  hash(id: string): string | undefined
  setHash(id: string, hash: string): void
}

/** A change of the people for the journal. */
export type PersonChange = {
  change: 'added' | 'changed' | 'disabled' | 'enabled' | 'removed' | 'signed_out' | 'password_set'
  person: string
  name: string
  by: string
  role?: string
  was?: { name?: string; role?: string }
  /** The invitation by which the person was added. */
  invitation?: string
}

/** Names that occur in the journal and on cards and belong to no person, so no person may have them. */
const namesOfNobody: ReadonlySet<string> = new Set([
  'jarvis',
  'cli',
  'file',
  'start',
  'upgrade',
  'system',
  'model',
  'mcp',
])

/** The reason why a channel no longer reaches a person who signed out everywhere, or was signed out. */
export const signedOut = 'its person was signed out everywhere'

export type PersonPatch = { name?: string | undefined; role?: string | undefined; disabled?: boolean | undefined }

type Parts = {
  store: PersonStore
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: PersonChange): void
  /** The names of the roles of policy.yaml. */
  ownRoles(): readonly string[]
  /** Ends the sign-ins of a person, within the transaction. */
  endSignIns(person: string): void
  /**
   * Ends the ways by which a person is reached, decides or talks outside the dashboard, such as channels, within the transaction. `why`: `its person
   * …`.
   */
  endChannels(person: string, why: string): void
  /** Ends what a person made as an owner once the person is no longer one, within the transaction. */
  endOwning(person: string): void
  /** Ends or hands over everything that belongs to a removed person, within the transaction. */
  leave(person: string, by: string): void
  /** Has the open sockets, streams and requests of a person checked again, because the person's rights may be less now. Called after the commit. */
  changed(person: string): void
  now(): number
}

/** Keeps the people who may sign in. Every change is journalled in the transaction that makes it. */
export class People {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get(id: string): Person | undefined {
    return this.#parts.store.get(id)
  }

  /**
   * The person in whose name something is done that belongs to `id`. Things without a person, such as JARVIS's own jobs, belong to the first owner;
   * if the first owner was removed, to the oldest owner.
   */
  inNameOf(id: string | undefined): Person | undefined {
    const person = this.#parts.store.get(id ?? firstOwnerId)
    if (person !== undefined || (id !== undefined && id !== firstOwnerId)) return person
    return this.#parts.store
      .list()
      .filter(({ role, disabledAt }) => role === 'owner' && disabledAt === undefined)
      .sort((one, other) => one.createdAt - other.createdAt)[0]
  }

  byName(name: string): Person | undefined {
    return this.#parts.store.byName(name)
  }

  list(): Person[] {
    return this.#parts.store.list()
  }

  names(): { id: string; name: string }[] {
    return this.#parts.store.names()
  }

  hash(id: string): string | undefined {
    return this.#parts.store.hash(id)
  }

  seen(id: string, at: number): void {
    this.#parts.store.seen(id, at)
  }

  /** @throws JarvisError `not_found` */
  must(id: string): Person {
    const person = this.#parts.store.get(id)
    if (person === undefined) throw new JarvisError('not_found', 'There is no such person.')
    return person
  }

  /** @throws JarvisError `invalid_request` */
  requireName(name: string): void {
    const read = PersonName.safeParse(name)
    if (!read.success) throw new JarvisError('invalid_request', `name: ${read.error.issues[0]?.message}`)
    if (namesOfNobody.has(name.toLowerCase()))
      throw new JarvisError('invalid_request', `name: ${name} stands for JARVIS itself in the journal; choose another.`)
  }

  /** @throws JarvisError `invalid_request` */
  requireRole(role: string): void {
    const known = [...new Set([...houseRoles, ...this.#parts.ownRoles()])]
    if (known.includes(role)) return
    throw new JarvisError(
      'invalid_request',
      `role: there is no role ${JSON.stringify(role)}; choose ${known.join(', ')}.`,
    )
  }

  /** @throws JarvisError `conflict` (the name is taken), `invalid_request` */
  add(
    { name, role, hash, invitation }: { name: string; role: string; hash: string | undefined; invitation?: string },
    by: string,
  ): Person {
    this.requireName(name)
    this.requireRole(role)
    const person: Person = { id: newId('per'), name, role, createdAt: this.#parts.now() }
    this.#parts.durably(() => {
      if (!this.#parts.store.add(person, hash)) throw nameTaken(name)
      this.#parts.record({
        change: 'added',
        person: person.id,
        name,
        role,
        by,
        invitation,
      })
    })
    return person
  }

  /** @throws JarvisError `not_found`, `conflict` (the name is taken, or no owner would be left), `invalid_request` */
  change(id: string, { name, role, disabled }: PersonPatch, by: string): Person {
    if (name !== undefined) this.requireName(name)
    if (role !== undefined) this.requireRole(role)
    this.#parts.durably(() => {
      const was = this.must(id)
      if (disabled === true || (role !== undefined && role !== 'owner' && was.role === 'owner')) this.#requireOwner(id)
      const facts = { ...(name !== undefined && { name }), ...(role !== undefined && { role }) }
      const isOff = was.disabledAt !== undefined
      const turns = disabled !== undefined && disabled !== isOff
      if (
        !this.#parts.store.change(id, { ...facts, ...(turns && { disabledAt: disabled ? this.#parts.now() : null }) })
      ) {
        throw nameTaken(name ?? was.name)
      }
      const before = { ...(name !== undefined && { name: was.name }), ...(role !== undefined && { role: was.role }) }
      const line = { person: id, name: name ?? was.name, by }
      if (Object.keys(facts).length > 0) this.#parts.record({ change: 'changed', ...line, role, was: before })
      if (turns) this.#parts.record({ change: disabled ? 'disabled' : 'enabled', ...line })
      if (disabled) this.#parts.endSignIns(id)
      if (disabled || (role !== undefined && role !== 'owner')) this.#parts.endOwning(id)
    })
    this.#parts.changed(id)
    return this.must(id)
  }

  /** @throws JarvisError `not_found`, `conflict` (no owner would be left) */
  remove(id: string, by: string): void {
    this.#parts.durably(() => {
      const { name } = this.must(id)
      this.#requireOwner(id)
      this.#parts.record({ change: 'removed', person: id, name, by })
      this.#parts.store.remove(id, this.#parts.now())
      this.#parts.endSignIns(id)
      this.#parts.endOwning(id)
      this.#parts.leave(id, by)
    })
    this.#parts.changed(id)
  }

  /** Ends all sign-ins of a person, and what they paired with channels and web push. @throws JarvisError `not_found` */
  signOut(id: string, by: string): void {
    this.#parts.durably(() => {
      const { name } = this.must(id)
      this.#parts.endSignIns(id)
      this.#parts.endChannels(id, signedOut)
      this.#parts.record({ change: 'signed_out', person: id, name, by })
    })
    this.#parts.changed(id)
  }

  /** Ends all sign-ins of a person. The caller journals the reason in another line. */
  endSignIns(id: string): void {
    this.#parts.durably(() => this.#parts.endSignIns(id))
    this.#parts.changed(id)
  }

  /** Replaces the hash of a password with a stronger one, unless the password has changed meanwhile. */
  strengthen(id: string, weak: string, strong: string): void {
    this.#parts.durably(() => {
      if (this.#parts.store.hash(id) === weak) this.#parts.store.setHash(id, strong)
    })
  }

  /** Sets the password of a person other than the first owner, and ends all sign-ins of this person. */
  setHash(id: string, hash: string, by: string): void {
    this.#parts.durably(() => {
      const { name } = this.must(id)
      this.#parts.store.setHash(id, hash)
      this.#parts.endSignIns(id)
      this.#parts.record({ change: 'password_set', person: id, name, by })
    })
    this.#parts.changed(id)
  }

  /** @throws JarvisError `conflict` if no owner would be left to manage people */
  #requireOwner(without: string): void {
    const left = this.#parts.store
      .list()
      .some(({ id, role, disabledAt }) => id !== without && role === 'owner' && disabledAt === undefined)
    if (!left)
      throw new JarvisError('conflict', 'This is the only owner who can sign in. Make somebody else an owner first.')
  }
}

const nameTaken = (name: string) => new JarvisError('conflict', `There is somebody called ${name} already.`)
