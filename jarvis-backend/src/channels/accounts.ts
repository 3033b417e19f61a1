import { newId } from '../lib/ids.ts'
import type { ChannelKind } from './channel.ts'
import type { NonceStore, OutboxStore, PairingStore, Recipient, RecipientStore } from './ports.ts'
import type { Conversation } from './talk/conversation.ts'

/** Keeps whom a channel reaches as long as its account and its people last. */
export function createAccounts(parts: {
  recipients: RecipientStore
  pairings: Pick<PairingStore, 'removeOf'>
  nonces: Pick<NonceStore, 'removeOf'>
  store: Pick<OutboxStore, 'dropAll'>
  conversation: Pick<Conversation, 'forget'>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  durably<T>(work: () => T): T
  /** Whom a channel reaches that pairs nobody. */
  firstOwner: string
  /** Told, in the transaction, of somebody who is reached no more. */
  left(recipient: Recipient): void
  record(body: Record<string, unknown>): void
  changed(): void
  now(): number
}) {
  const { recipients, settings, now } = parts
  const cursorKey = (channel: string) => `channel_cursor_${channel}`

  /** Ends everything that a recipient has, in the caller's transaction. */
  function end(recipient: Recipient, why: string) {
    const { id } = recipient
    parts.left(recipient)
    parts.nonces.removeOf(id)
    parts.conversation.forget(id)
    parts.store.dropAll(id, now(), why)
  }
  function forget(channel: string, why: string) {
    for (const recipient of recipients.list(channel)) {
      end(recipient, why)
      recipients.remove(recipient.id)
    }
    parts.pairings.removeOf(channel)
  }

  return {
    end,
    /** Where a channel goes on to listen. */
    cursor: (channel: string): string | undefined => settings.get(cursorKey(channel)) || undefined,
    advance: (channel: string, cursor: string) => settings.set(cursorKey(channel), cursor),
    /** With another account, what was paired is void. A channel that pairs nobody has one recipient. */
    renew(kind: ChannelKind, account: string) {
      if (kind.capabilities.subscribes === true) return
      const before = recipients.list(kind.id)
      if (before.length > 0 && before.every((one) => one.account === account)) return
      const key = `channel_account_${kind.id}`
      const known = settings.get(key)
      parts.durably(() => {
        settings.set(key, account)
        if (known !== undefined && known !== account) {
          if (kind.capabilities.pairs && before.length > 0)
            parts.record({ change: 'pairings_void', channel: kind.id, count: before.length })
          settings.set(cursorKey(kind.id), '')
          forget(kind.id, 'its settings were changed')
        }
        if (kind.capabilities.pairs || recipients.list(kind.id).length > 0) return
        recipients.add({
          id: newId('rcp'),
          channel: kind.id,
          account,
          person: parts.firstOwner,
          user: '',
          chat: '',
          name: kind.name,
          isGroup: false,
          decides: 'none',
          hidesNames: kind.capabilities.hidesNames,
          talks: false,
          createdAt: now(),
        })
      })
    },
    /** A channel is set up no more. */
    closed: ({ id }: ChannelKind) => parts.durably(() => forget(id, 'the channel was taken out')),
    /** Ends one recipient. @returns false where there is none */
    remove(id: string, why: string): boolean {
      const recipient = recipients.get(id)
      if (recipient === undefined) return false
      parts.durably(() => {
        end(recipient, why)
        recipients.remove(id)
      })
      parts.changed()
      return true
    },
    /**
     * Ends what was paired with a person, and what the one address of a channel decides for them, because their password is another one, they were
     * signed out everywhere or removed. A disabled person's pairings stay and decide nothing. @returns what was paired
     */
    forgetPerson(person: string, why = 'the password was changed'): Recipient[] {
      const theirs = recipients.list().filter((one) => one.person === person)
      const paired = theirs.filter(({ user }) => user !== '')
      const deciding = theirs.filter(({ user, decides }) => user === '' && decides !== 'none')
      if (paired.length + deciding.length === 0) return []
      parts.durably(() => {
        for (const one of paired) {
          end(one, why)
          recipients.remove(one.id)
        }
        for (const { id } of deciding) recipients.set(id, { decides: 'none' })
        const silenced = deciding.map(({ channel }) => channel)
        parts.record({ change: 'pairings_void', person, count: paired.length, because: why, silenced })
      })
      parts.changed()
      return paired
    },
  }
}
export type Accounts = ReturnType<typeof createAccounts>
