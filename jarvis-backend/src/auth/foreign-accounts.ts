import { type ForeignAccount, JarvisError, type Person } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { ForeignIdentity } from './oidc-provider.ts'
import type { People } from './people.ts'

/** How a sign-in from elsewhere is called where methods are told. */
export const foreignMethod = 'oidc'
/** Accounts that wait for an owner at one time, and how long, ms: whoever may make accounts at the service can make any number. */
const mostWaiting = 50
const waitingMs = 7 * 24 * 60 * 60_000
const mostOfOne = 10

export interface ForeignAccountStore {
  /** Adds an account, or replaces the one with the same issuer and subject. */
  put(account: ForeignAccount): void
  find(issuer: string, subject: string): ForeignAccount | undefined
  /** Oldest first. */
  list(): ForeignAccount[]
  /** @returns false where it was gone */
  remove(id: string): boolean
  seen(id: string, at: number): void
}

/** A change of the accounts for the journal. `person`: whose it is or was. */
export type ForeignAccountChange = {
  change: 'account_waits' | 'account_linked' | 'account_unlinked' | 'account_refused'
  account: string
  issuer: string
  subject: string
  person?: string
  by: string
}

/**
 * Keeps which account of another service is whose. The key is (issuer, subject): a name or an address may be somebody else's tomorrow. Signing in makes
 * nobody: an unknown account waits until an owner admits it as a new person, and whoever is a person already links it from inside.
 */
export function createForeignAccounts(parts: {
  store: ForeignAccountStore
  people: Pick<People, 'get' | 'add'>
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: ForeignAccountChange): void
  /** Ends the sign-ins of a person that came from elsewhere, within the transaction. */
  endSignIns(person: string): void
  /** The list is another one; called after the commit. @param person whose account it is or was */
  changed(person: string | undefined): void
  now(): number
}) {
  const { store, people, durably, record, changed, now } = parts

  const note = (change: ForeignAccountChange['change'], { id, issuer, subject, person }: ForeignAccount, by: string) =>
    record({ change, account: id, issuer, subject, ...(person !== undefined && { person }), by })
  /** An account of nobody, or of somebody who was removed, waits. */
  const isWaiting = ({ person, lastSeenAt }: ForeignAccount) =>
    (person === undefined || people.get(person) === undefined) && lastSeenAt + waitingMs > now()
  const waiting = () => store.list().filter(isWaiting)

  function wait(identity: ForeignIdentity, known: ForeignAccount | undefined): void {
    const at = now()
    for (const { id, person, lastSeenAt } of store.list()) {
      if (person === undefined && lastSeenAt + waitingMs <= at) store.remove(id)
    }
    const isNew = known === undefined || !isWaiting(known)
    if (isNew && waiting().length >= mostWaiting) {
      throw new JarvisError('forbidden', 'Too many wait to be let in. Ask an owner.')
    }
    const account = { ...identity, id: known?.id ?? newId('acc'), createdAt: known?.createdAt ?? at, lastSeenAt: at }
    store.put(account)
    if (isNew) note('account_waits', account, 'jarvis')
  }
  function must(id: string): ForeignAccount {
    const account = store.list().find((one) => one.id === id)
    if (account === undefined) throw new JarvisError('not_found', 'There is no such account.')
    return account
  }

  return {
    /** @returns the person whose account it is. @throws JarvisError `forbidden`: nobody's, which then waits, or of a disabled person */
    enter(identity: ForeignIdentity): Person {
      const known = store.find(identity.issuer, identity.subject)
      const person = known?.person === undefined ? undefined : people.get(known.person)
      if (known === undefined || person === undefined) {
        durably(() => wait(identity, known))
        changed(undefined)
        throw new JarvisError(
          'forbidden',
          'This account is nobody’s here yet. Owners see it under People; once one of them has let you in, sign in again. If you have a password here, sign in with it and link the account in Settings.',
        )
      }
      if (person.disabledAt !== undefined)
        throw new JarvisError('forbidden', 'This person cannot sign in at present. Ask an owner.')
      store.seen(known.id, now())
      return person
    },
    /** Makes an account a person's, who asked for it from inside. @throws JarvisError `conflict` (it is somebody else's, or they have too many) */
    link(identity: ForeignIdentity, person: string): ForeignAccount {
      const account = durably(() => {
        const known = store.find(identity.issuer, identity.subject)
        if (known?.person !== undefined && known.person !== person && people.get(known.person) !== undefined) {
          throw new JarvisError('conflict', 'This account is somebody else’s here. Nothing was changed.')
        }
        if (known?.person !== person && store.list().filter((one) => one.person === person).length >= mostOfOne) {
          throw new JarvisError('conflict', `You have ${mostOfOne} accounts linked. Unlink one of them first.`)
        }
        const at = now()
        const account = { ...identity, person, id: known?.id ?? newId('acc'), createdAt: at, lastSeenAt: at }
        store.put(account)
        note('account_linked', account, person)
        return account
      })
      changed(person)
      return account
    },
    /** A person's. */
    of: (person: string): ForeignAccount[] => store.list().filter((account) => account.person === person),
    /** All: those of people who are here, and those that wait. */
    list: (): ForeignAccount[] =>
      store.list().flatMap((account) => {
        if (!isWaiting(account)) return people.get(account.person ?? '') === undefined ? [] : [account]
        const { person: _, ...facts } = account
        return [facts]
      }),
    /** Lets a waiting account in as a new person, without a password. @throws JarvisError `not_found`, `conflict`, `invalid_request` */
    admit(id: string, { name, role }: { name: string; role: string }, by: string): Person {
      const person = durably(() => {
        const account = must(id)
        if (!isWaiting(account)) throw new JarvisError('conflict', 'This account does not wait any more.')
        const person = people.add({ name, role, hash: undefined }, by)
        store.put({ ...account, person: person.id })
        note('account_linked', { ...account, person: person.id }, by)
        return person
      })
      changed(person.id)
      return person
    },
    /** Unlinks an account or refuses a waiting one. @param person whose it must be; absent: anybody's. @throws JarvisError `not_found` */
    remove(id: string, by: string, person?: string): void {
      const account = durably(() => {
        const account = must(id)
        if (person !== undefined && account.person !== person)
          throw new JarvisError('not_found', 'There is no such account.')
        store.remove(id)
        note(account.person === undefined ? 'account_refused' : 'account_unlinked', account, by)
        if (account.person !== undefined) parts.endSignIns(account.person)
        return account
      })
      changed(account.person)
    },
  }
}
export type ForeignAccounts = ReturnType<typeof createForeignAccounts>
