import { firstOwnerId, houseRoles, JarvisError, type Person, PersonName } from 'protocol'
import { newId } from '../lib/ids.ts'

/** `hash`: of the password; undefined for the first owner, whose password is kept elsewhere, and for somebody without one. */
export interface PersonStore {
  /** @returns false when the name is taken */
  add(person: Person, hash: string | undefined): boolean
  /** Not of a person who was removed. */
  get(id: string): Person | undefined
  byName(name: string): Person | undefined
  /** By name. */
  list(): Person[]
  /** The names of all, also of those who were removed. */
  names(): { id: string; name: string }[]
  /** `disabledAt` null: can sign in again. @returns false when the name is taken */
  change(id: string, patch: { name?: string; role?: string; disabledAt?: number | null }): boolean
  /** Their id is never given again. @returns false for nobody */
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
  /** By which a person came. */
  invitation?: string
}

/** Names in the journal and on cards that belong to no person. */
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

/** Why a channel reaches somebody no more who signed out everywhere, or was. */
export const signedOut = 'its person was signed out everywhere'

export type PersonPatch = { name?: string | undefined; role?: string | undefined; disabled?: boolean | undefined }

/** Keeps the people who may sign in. Every change is journalled in the transaction that makes it. */
export function createPeople(parts: {
  store: PersonStore
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: PersonChange): void
  /** The names of the roles of policy.yaml. */
  ownRoles(): readonly string[]
  /** Ends the sign-ins of a person, within the transaction. */
  endSignIns(person: string): void
  /** Ends what reaches a person outside the dashboard and decides or talks for them, within the transaction. `why`: `its person …`. */
  endChannels(person: string, why: string): void
  /** Ends what a person made as an owner, who is none any more, within the transaction. */
  endOwning(person: string): void
  /** Ends or hands over what belongs to a person who is removed, within the transaction. */
  leave(person: string, by: string): void
  /** Has the open sockets, streams and requests of a person checked again, because they may count for less. Called after the commit. */
  changed(person: string): void
  now(): number
}) {
  const { store, durably, record, now } = parts

  function must(id: string): Person {
    const person = store.get(id)
    if (person === undefined) throw new JarvisError('not_found', 'There is no such person.')
    return person
  }
  function requireName(name: string): void {
    const read = PersonName.safeParse(name)
    if (!read.success) throw new JarvisError('invalid_request', `name: ${read.error.issues[0]?.message}`)
    if (namesOfNobody.has(name.toLowerCase()))
      throw new JarvisError('invalid_request', `name: ${name} stands for JARVIS itself in the journal; choose another.`)
  }
  function requireRole(role: string): void {
    const known = [...new Set([...houseRoles, ...parts.ownRoles()])]
    if (known.includes(role)) return
    throw new JarvisError(
      'invalid_request',
      `role: there is no role ${JSON.stringify(role)}; choose ${known.join(', ')}.`,
    )
  }
  /** @throws JarvisError `conflict` where nobody would be left who may manage people */
  function requireOwner(without: string): void {
    const left = store
      .list()
      .some(({ id, role, disabledAt }) => id !== without && role === 'owner' && disabledAt === undefined)
    if (!left)
      throw new JarvisError('conflict', 'This is the only owner who can sign in. Make somebody else an owner first.')
  }
  const nameTaken = (name: string) => new JarvisError('conflict', `There is somebody called ${name} already.`)

  return {
    get: store.get,
    /**
     * In whose name something is done that belongs to `id`. What belongs to nobody, as the house's own jobs do, is the first owner's, and the
     * oldest owner's once that one was removed.
     */
    inNameOf(id: string | undefined): Person | undefined {
      const person = store.get(id ?? firstOwnerId)
      if (person !== undefined || (id !== undefined && id !== firstOwnerId)) return person
      return store
        .list()
        .filter(({ role, disabledAt }) => role === 'owner' && disabledAt === undefined)
        .sort((one, other) => one.createdAt - other.createdAt)[0]
    },
    byName: store.byName,
    list: store.list,
    names: store.names,
    hash: store.hash,
    seen: store.seen,
    must,
    requireName,
    requireRole,
    /** @throws JarvisError `conflict` (the name is taken), `invalid_request` */
    add(
      { name, role, hash, invitation }: { name: string; role: string; hash: string | undefined; invitation?: string },
      by: string,
    ): Person {
      requireName(name)
      requireRole(role)
      const person: Person = { id: newId('per'), name, role, createdAt: now() }
      durably(() => {
        if (!store.add(person, hash)) throw nameTaken(name)
        record({ change: 'added', person: person.id, name, role, by, ...(invitation !== undefined && { invitation }) })
      })
      return person
    },
    /** @throws JarvisError `not_found`, `conflict` (the name is taken, or no owner would be left), `invalid_request` */
    change(id: string, { name, role, disabled }: PersonPatch, by: string): Person {
      if (name !== undefined) requireName(name)
      if (role !== undefined) requireRole(role)
      durably(() => {
        const was = must(id)
        if (disabled === true || (role !== undefined && role !== 'owner' && was.role === 'owner')) requireOwner(id)
        const facts = { ...(name !== undefined && { name }), ...(role !== undefined && { role }) }
        const isOff = was.disabledAt !== undefined
        const turns = disabled !== undefined && disabled !== isOff
        if (!store.change(id, { ...facts, ...(turns && { disabledAt: disabled ? now() : null }) })) {
          throw nameTaken(name ?? was.name)
        }
        const before = { ...(name !== undefined && { name: was.name }), ...(role !== undefined && { role: was.role }) }
        const line = { person: id, name: name ?? was.name, by }
        if (Object.keys(facts).length > 0)
          record({ change: 'changed', ...line, ...(role !== undefined && { role }), was: before })
        if (turns) record({ change: disabled ? 'disabled' : 'enabled', ...line })
        if (disabled) parts.endSignIns(id)
        if (disabled || (role !== undefined && role !== 'owner')) parts.endOwning(id)
      })
      parts.changed(id)
      return must(id)
    },
    /** @throws JarvisError `not_found`, `conflict` (no owner would be left) */
    remove(id: string, by: string): void {
      durably(() => {
        const { name } = must(id)
        requireOwner(id)
        record({ change: 'removed', person: id, name, by })
        store.remove(id, now())
        parts.endSignIns(id)
        parts.endOwning(id)
        parts.leave(id, by)
      })
      parts.changed(id)
    },
    /** Ends all sign-ins of a person, and what they paired with channels and web push. @throws JarvisError `not_found` */
    signOut(id: string, by: string): void {
      durably(() => {
        const { name } = must(id)
        parts.endSignIns(id)
        parts.endChannels(id, signedOut)
        record({ change: 'signed_out', person: id, name, by })
      })
      parts.changed(id)
    },
    /** The same, where another line of the journal says why. */
    endSignIns(id: string): void {
      durably(() => parts.endSignIns(id))
      parts.changed(id)
    },
    /** Replaces the hash of a password that has not changed meanwhile. */
    strengthen(id: string, weak: string, strong: string): void {
      durably(() => {
        if (store.hash(id) === weak) store.setHash(id, strong)
      })
    },
    /** Sets the password of somebody who is not the first owner, and ends all of their sign-ins. */
    setHash(id: string, hash: string, by: string): void {
      durably(() => {
        const { name } = must(id)
        store.setHash(id, hash)
        parts.endSignIns(id)
        record({ change: 'password_set', person: id, name, by })
      })
      parts.changed(id)
    },
  }
}
export type People = ReturnType<typeof createPeople>
