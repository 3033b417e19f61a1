import { type ForeignAccount, JarvisError, type Person } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { ForeignIdentity } from './oidc-provider.ts'
import type { People } from './people.ts'

/** The name of this sign-in method in lists of methods. */
export const foreignMethod = 'oidc'
/**
 * Maximum number of accounts that wait for an owner at one time, and how long one waits, ms. They are limited because a person who may make
 * accounts at the service can make any number.
 */
const mostWaiting = 50
const waitingMs = 7 * 24 * 60 * 60_000
const mostOfOne = 10

export interface ForeignAccountStore {
  /** Adds an account, or replaces the one with the same issuer and subject. */
  put(account: ForeignAccount): void
  find(issuer: string, subject: string): ForeignAccount | undefined
  /** All accounts, oldest first. */
  list(): ForeignAccount[]
  /** @returns false if there was no such account */
  remove(id: string): boolean
  seen(id: string, at: number): void
}

/** A change of the accounts for the journal. `person`: to whom the account belongs or belonged. */
export type ForeignAccountChange = {
  change: 'account_waits' | 'account_linked' | 'account_unlinked' | 'account_refused'
  account: string
  issuer: string
  subject: string
  person?: string
  by: string
}

type Parts = {
  store: ForeignAccountStore
  people: Pick<People, 'get' | 'add'>
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: ForeignAccountChange): void
  /** Ends the person's sign-ins that were made with another service, within the transaction. */
  endSignIns(person: string): void
  /** Called after the commit when the list of accounts has changed. @param person the person whose account it is or was */
  changed(person: string | undefined): void
  now(): number
}

/**
 * Records to which person an account of another service belongs. The key is (issuer, subject), because a name or an e-mail address may belong to
 * somebody else later. A sign-in creates no person: an unknown account waits until an owner admits it as a new person. A person who exists already
 * links an account while signed in.
 */
export class ForeignAccounts {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * @returns the person to whom the account belongs. @throws JarvisError `forbidden`: the account belongs to nobody and now waits, or its person is
   * disabled
   */
  enter(identity: ForeignIdentity): Person {
    const known = this.#parts.store.find(identity.issuer, identity.subject)
    const person = known?.person === undefined ? undefined : this.#parts.people.get(known.person)
    if (known === undefined || person === undefined) {
      this.#parts.durably(() => this.#wait(identity, known))
      this.#parts.changed(undefined)
      throw new JarvisError(
        'forbidden',
        'This account is nobody’s here yet. Owners see it under People; once one of them has let you in, sign in again. If you have a password here, sign in with it and link the account in Settings.',
      )
    }
    if (person.disabledAt !== undefined)
      throw new JarvisError('forbidden', 'This person cannot sign in at present. Ask an owner.')
    this.#parts.store.seen(known.id, this.#parts.now())
    return person
  }

  /**
   * Links an account to a signed-in person who asked for it. @throws JarvisError `conflict` (it belongs to somebody else, or the person has too
   * many)
   */
  link(identity: ForeignIdentity, person: string): ForeignAccount {
    const account = this.#parts.durably(() => {
      const known = this.#parts.store.find(identity.issuer, identity.subject)
      if (
        known?.person !== undefined &&
        known.person !== person &&
        this.#parts.people.get(known.person) !== undefined
      ) {
        throw new JarvisError('conflict', 'This account is somebody else’s here. Nothing was changed.')
      }
      if (
        known?.person !== person &&
        this.#parts.store.list().filter((one) => one.person === person).length >= mostOfOne
      ) {
        throw new JarvisError('conflict', `You have ${mostOfOne} accounts linked. Unlink one of them first.`)
      }
      const at = this.#parts.now()
      const account = { ...identity, person, id: known?.id ?? newId('acc'), createdAt: at, lastSeenAt: at }
      this.#parts.store.put(account)
      this.#note('account_linked', account, person)
      return account
    })
    this.#parts.changed(person)
    return account
  }

  /** The accounts of a person. */
  of(person: string): ForeignAccount[] {
    return this.#parts.store.list().filter((account) => account.person === person)
  }

  /** All accounts of existing people, and all waiting accounts. */
  list(): ForeignAccount[] {
    return this.#parts.store.list().flatMap((account) => {
      if (!this.#isWaiting(account)) return this.#parts.people.get(account.person ?? '') === undefined ? [] : [account]
      const { person: _, ...facts } = account
      return [facts]
    })
  }

  /** Admits a waiting account as a new person without a password. @throws JarvisError `not_found`, `conflict`, `invalid_request` */
  admit(id: string, { name, role }: { name: string; role: string }, by: string): Person {
    const person = this.#parts.durably(() => {
      const account = this.#must(id)
      if (!this.#isWaiting(account)) throw new JarvisError('conflict', 'This account does not wait any more.')
      const person = this.#parts.people.add({ name, role, hash: undefined }, by)
      this.#parts.store.put({ ...account, person: person.id })
      this.#note('account_linked', { ...account, person: person.id }, by)
      return person
    })
    this.#parts.changed(person.id)
    return person
  }

  /**
   * Unlinks an account, or refuses a waiting one.
   * @param person the person whose account it must be; absent: any person.
   * @throws JarvisError `not_found`
   */
  remove(id: string, by: string, person?: string): void {
    const account = this.#parts.durably(() => {
      const account = this.#must(id)
      if (person !== undefined && account.person !== person)
        throw new JarvisError('not_found', 'There is no such account.')
      this.#parts.store.remove(id)
      this.#note(account.person === undefined ? 'account_refused' : 'account_unlinked', account, by)
      if (account.person !== undefined) this.#parts.endSignIns(account.person)
      return account
    })
    this.#parts.changed(account.person)
  }

  #note(change: ForeignAccountChange['change'], { id, issuer, subject, person }: ForeignAccount, by: string) {
    this.#parts.record({ change, account: id, issuer, subject, person, by })
  }

  /** True if the account waits: it belongs to nobody or to a removed person, and its time is not over. */
  #isWaiting({ person, lastSeenAt }: ForeignAccount): boolean {
    return (
      (person === undefined || this.#parts.people.get(person) === undefined) &&
      lastSeenAt + waitingMs > this.#parts.now()
    )
  }

  #wait(identity: ForeignIdentity, known: ForeignAccount | undefined): void {
    const at = this.#parts.now()
    for (const { id, person, lastSeenAt } of this.#parts.store.list()) {
      if (person === undefined && lastSeenAt + waitingMs <= at) this.#parts.store.remove(id)
    }
    const isNew = known === undefined || !this.#isWaiting(known)
    if (isNew && this.#parts.store.list().filter((one) => this.#isWaiting(one)).length >= mostWaiting) {
      throw new JarvisError('forbidden', 'Too many wait to be let in. Ask an owner.')
    }
    const account = { ...identity, id: known?.id ?? newId('acc'), createdAt: known?.createdAt ?? at, lastSeenAt: at }
    this.#parts.store.put(account)
    if (isNew) this.#note('account_waits', account, 'jarvis')
  }

  #must(id: string): ForeignAccount {
    const account = this.#parts.store.list().find((one) => one.id === id)
    if (account === undefined) throw new JarvisError('not_found', 'There is no such account.')
    return account
  }
}
