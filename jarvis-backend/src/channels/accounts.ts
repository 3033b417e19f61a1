import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { ChannelKind } from './channel.ts'
import type { ChannelPeople, ChannelStores, ChannelsHouse, KeptSettings, Notes, Transactions } from './parts.ts'
import type { Recipient } from './ports.ts'
import type { Conversation } from './talk/conversation.ts'

export type AccountsParts = {
  stores: Pick<ChannelStores, 'recipients' | 'pairings' | 'nonces' | 'outbox'>
  conversation: Pick<Conversation, 'forget'>
  settings: KeptSettings
  database: Pick<Transactions, 'durably'>
  people: Pick<ChannelPeople, 'firstOwner'>
  left: ChannelsHouse['left']
  notes: Pick<Notes, 'record' | 'changed'>
  clock: Pick<Clock, 'now'>
}

const cursorKey = (channel: string) => `channel_cursor_${channel}`

/** Keeps the recipients of a channel as long as its account and its people last. */
export class Accounts {
  readonly #parts: AccountsParts

  constructor(parts: AccountsParts) {
    this.#parts = parts
  }

  /** The position at which a channel's listener continues. */
  cursor(channel: string): string | undefined {
    return this.#parts.settings.get(cursorKey(channel)) || undefined
  }

  advance(channel: string, cursor: string): void {
    this.#parts.settings.set(cursorKey(channel), cursor)
  }

  /** Voids the pairings of a channel that has another account now. A channel that pairs nobody gets its one recipient. */
  renew(kind: ChannelKind, account: string): void {
    const { stores, settings, database, notes } = this.#parts
    if (kind.capabilities.subscribes === true) return
    const before = stores.recipients.list(kind.id)
    if (before.length > 0 && before.every((one) => one.account === account)) return
    const key = `channel_account_${kind.id}`
    const known = settings.get(key)
    database.durably(() => {
      settings.set(key, account)
      if (known !== undefined && known !== account) {
        if (kind.capabilities.pairs && before.length > 0)
          notes.record({ change: 'pairings_void', channel: kind.id, count: before.length })
        settings.set(cursorKey(kind.id), '')
        this.#forget(kind.id, 'its settings were changed')
      }
      if (!kind.capabilities.pairs && stores.recipients.list(kind.id).length === 0) this.#addAddress(kind, account)
    })
  }

  /** Ends the recipients of a channel whose settings were removed. */
  closed({ id }: ChannelKind): void {
    this.#parts.database.durably(() => this.#forget(id, 'the channel was taken out'))
  }

  /** Ends everything that a recipient has, in the caller's transaction. */
  end(recipient: Recipient, why: string): void {
    const { stores, conversation, left, clock } = this.#parts
    const { id } = recipient
    left(recipient)
    stores.nonces.removeOf(id)
    conversation.forget(id)
    stores.outbox.dropAll(id, clock.now(), why)
  }

  /** Ends one recipient. @returns false if there is none */
  remove(id: string, why: string): boolean {
    const { stores, database, notes } = this.#parts
    const recipient = stores.recipients.get(id)
    if (recipient === undefined) return false
    database.durably(() => {
      this.end(recipient, why)
      stores.recipients.remove(id)
    })
    notes.changed()
    return true
  }

  /**
   * Ends what was paired with a person, and the right of the one address of a channel to decide for them, because their password is another one,
   * they were signed out everywhere or removed. A disabled person's pairings stay and decide nothing. @returns what was paired
   */
  forgetPerson(person: string, why = 'the password was changed'): Recipient[] {
    const { stores, database, notes } = this.#parts
    const { recipients } = stores
    const theirs = recipients.list().filter((one) => one.person === person)
    const paired = theirs.filter(({ user }) => user !== '')
    const deciding = theirs.filter(({ user, decides }) => user === '' && decides !== 'none')
    if (paired.length + deciding.length === 0) return []
    database.durably(() => {
      for (const one of paired) {
        this.end(one, why)
        recipients.remove(one.id)
      }
      for (const { id } of deciding) recipients.set(id, { decides: 'none' })
      const silenced = deciding.map(({ channel }) => channel)
      notes.record({ change: 'pairings_void', person, count: paired.length, because: why, silenced })
    })
    notes.changed()
    return paired
  }

  /** Adds the one recipient of a channel that pairs nobody. */
  #addAddress({ id, name, capabilities }: ChannelKind, account: string): void {
    const { stores, people, clock } = this.#parts
    stores.recipients.add({
      id: newId('rcp'),
      channel: id,
      account,
      person: people.firstOwner,
      user: '',
      chat: '',
      name,
      isGroup: false,
      decides: 'none',
      hidesNames: capabilities.hidesNames,
      talks: false,
      createdAt: clock.now(),
    })
  }

  #forget(channel: string, why: string): void {
    const { recipients, pairings } = this.#parts.stores
    for (const recipient of recipients.list(channel)) {
      this.end(recipient, why)
      recipients.remove(recipient.id)
    }
    pairings.removeOf(channel)
  }
}
