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

/** Manages the recipients of channels. Removes them if the channel's account changes, its settings are removed, or their person loses access. */
export class Accounts {
  readonly #parts: AccountsParts

  constructor(parts: AccountsParts) {
    this.#parts = parts
  }

  /** The position from which a channel's listener continues; undefined if none is stored. */
  cursor(channel: string): string | undefined {
    return this.#parts.settings.get(cursorKey(channel)) || undefined
  }

  advance(channel: string, cursor: string): void {
    this.#parts.settings.set(cursorKey(channel), cursor)
  }

  /** Removes the recipients and pairings of a channel whose account has changed. Adds the one recipient of a channel that does not pair people. */
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

  /** Removes the recipients of a channel whose settings were removed. */
  closed({ id }: ChannelKind): void {
    this.#parts.database.durably(() => this.#forget(id, 'the channel was taken out'))
  }

  /** Removes everything that belongs to a recipient: its buttons, conversations and waiting messages. Runs in the caller's transaction. */
  end(recipient: Recipient, why: string): void {
    const { stores, conversation, left, clock } = this.#parts
    const { id } = recipient
    left(recipient)
    stores.nonces.removeOf(id)
    conversation.forget(id)
    stores.outbox.dropAll(id, clock.now(), why)
  }

  /** Removes one recipient. @returns false if there is no such recipient */
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
   * Removes the recipients that were paired with a person. Takes the right to decide from that person's unpaired recipients. Called if the person's
   * password was changed, or if the person was signed out everywhere or removed. A disabled person's recipients stay, but decide nothing. @returns
   * the removed recipients
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

  /** Adds the one recipient of a channel that does not pair people. */
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
