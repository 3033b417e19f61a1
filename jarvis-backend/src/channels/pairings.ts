import { createHash, randomBytes } from 'node:crypto'
import { type ChannelPairing, type ChannelPairingBegun, JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Accounts } from './accounts.ts'
import type { ChannelKind } from './channel.ts'
import type { ChannelDirectory, OpenChannel } from './open-channels.ts'
import type { ChannelPeople, Notes, Transactions } from './parts.ts'
import type { Content, Pairing, PairingStore, ReceivedOf, Recipient, RecipientStore } from './ports.ts'
import type { Putting } from './putting.ts'
import type { Say, Spoken } from './spoken.ts'

const goodForMs = 10 * 60_000
const mostOpen = 3
const mostName = 60
/** Time for which the greeting of a new pairing is retried, ms. */
const greetedForMs = 10 * 60_000

const hashOf = (code: string) => createHash('sha256').update(code).digest('base64url')
const unknown = () => new JarvisError('not_found', 'This pairing is over. Begin another one.')

export type PairingsParts = {
  pairings: PairingStore
  recipients: RecipientStore
  directory: Pick<ChannelDirectory, 'kind' | 'channel'>
  accounts: Pick<Accounts, 'end'>
  putting: Pick<Putting, 'add'>
  people: Pick<ChannelPeople, 'nameOf'>
  database: Pick<Transactions, 'durably'>
  notes: Pick<Notes, 'record' | 'changed'>
  say: Say
  /** Sends the messages that are due. */
  look(): void
  clock: Pick<Clock, 'now'>
}

/** Pairs people with a channel. A pairing is begun in the dashboard, opened on a phone, and confirmed in the dashboard. */
export class Pairings {
  readonly #parts: PairingsParts

  constructor(parts: PairingsParts) {
    this.#parts = parts
  }

  /** Begins a pairing. @throws JarvisError `not_found`, `conflict` */
  begin(channel: string, person: string): ChannelPairingBegun {
    const { pairings, database, notes, clock } = this.#parts
    const open = this.#opened(channel)
    const at = clock.now()
    const code = randomBytes(16).toString('base64url')
    const pairing: Pairing = {
      id: newId('par'),
      hash: hashOf(code),
      channel,
      account: open.account,
      person,
      createdAt: at,
      expiresAt: at + goodForMs,
    }
    database.durably(() => {
      pairings.prune(at)
      if (pairings.list(at).filter((one) => one.person === person).length >= mostOpen)
        throw new JarvisError('conflict', `${mostOpen} pairings of yours wait already. They end after ten minutes.`)
      pairings.add(pairing)
      notes.record({ change: 'pairing_begun', channel, by: person, pairing: pairing.id })
    })
    this.#changed()
    const link = open.channel.pairingLink?.(code)
    return { ...shown(pairing), code, link }
  }

  /** Handles a pairing code that somebody sent. @returns the answer to the sender; undefined: no answer */
  opened({ kind, account, incoming: { from, code }, advance }: ReceivedOf<'pair'>): Spoken | undefined {
    const { pairings, database, say, clock } = this.#parts
    const at = clock.now()
    const answer = database.durably(() => {
      advance()
      const found = pairings.byHash(hashOf(code))
      const isGood = found?.channel === kind.id && found.account === account && found.expiresAt > at && from.isPrivate
      if (!isGood) return undefined
      const name = say(from.name, mostName)
      if (!pairings.open(found.id, { user: from.user, chat: from.chat, name, at })) return undefined
      return say(`Now confirm the number ${from.user} in the dashboard.`)
    })
    if (answer !== undefined) this.#changed()
    return answer
  }

  list(person: string): ChannelPairing[] {
    const { pairings, clock } = this.#parts
    return pairings
      .list(clock.now())
      .filter((one) => one.person === person)
      .map(shown)
  }

  /** Confirms a pairing. @param user the number that the person read in the dashboard @throws JarvisError `not_found`, `conflict` */
  confirm(id: string, user: string, person: string): Recipient {
    const { pairings, recipients, directory, accounts, database, notes, clock } = this.#parts
    const { opened, channel, account } = this.#own(id, person)
    if (opened === undefined) throw new JarvisError('conflict', 'Nobody has used the code yet.')
    if (opened.user !== user) throw new JarvisError('conflict', 'Another number used the code. Nothing was paired.')
    const kind = directory.kind(channel)
    if (kind === undefined || directory.channel(channel)?.account !== account) throw unknown()
    const recipient = recipientOf(kind, { account, person, opened, createdAt: clock.now() })
    database.durably(() => {
      if (!pairings.remove(id)) throw unknown()
      const before = recipients.list(channel).find((one) => one.user === user)
      if (before !== undefined) recipients.remove(before.id)
      recipients.add(recipient)
      const about = { channel, by: person, recipient: recipient.id, user, decides: recipient.decides }
      notes.record({ change: 'paired', ...about })
      if (before !== undefined) accounts.end(before, 'paired anew')
      this.#greet(recipient)
    })
    this.#changed()
    return recipient
  }

  /** Ends a pairing that was begun. @throws JarvisError `not_found` */
  cancel(id: string, person: string): void {
    const { pairings, database, notes } = this.#parts
    this.#own(id, person)
    database.durably(() => {
      pairings.remove(id)
      notes.record({ change: 'pairing_ended', by: person, pairing: id })
    })
    this.#changed()
  }

  /** Returns a channel that is open and pairs people. @throws JarvisError `not_found`, `conflict` */
  #opened(channel: string): OpenChannel {
    const { directory } = this.#parts
    const kind = directory.kind(channel)
    if (kind === undefined) throw new JarvisError('not_found', 'There is no such channel.')
    if (kind.capabilities.subscribes === true)
      throw new JarvisError('conflict', `${kind.name} is turned on in each browser: Settings → Notifications.`)
    if (!kind.capabilities.pairs) throw new JarvisError('conflict', `${kind.name} has one address and pairs nobody.`)
    const open = directory.channel(channel)
    if (open === undefined) throw new JarvisError('conflict', `Set ${kind.name} up first.`)
    return open
  }

  #own(id: string, person: string): Pairing {
    const found = this.#parts.pairings.get(id)
    if (found === undefined || found.person !== person || found.expiresAt <= this.#parts.clock.now()) throw unknown()
    return found
  }

  #greet(recipient: Recipient): void {
    const { putting, people, say } = this.#parts
    const title = say(`Paired with ${people.nameOf(recipient.person)}.`)
    const content: Content = { kind: 'pairing', level: 'info', title, lines: [], path: '/' }
    putting.add(recipient, { key: `paired:${recipient.id}`, content, forMs: greetedForMs })
  }

  #changed(): void {
    this.#parts.notes.changed()
    this.#parts.look()
  }
}

const shown = ({ id, channel, expiresAt, opened }: Pairing): ChannelPairing => ({
  id,
  channel,
  expiresAt,
  ...(opened && { opened: { user: opened.user, name: opened.name, at: opened.at } }),
})

/** Makes the recipient of a confirmed pairing. Its taps may deny cards, and not approve them. */
const recipientOf = (
  { id: channel, capabilities }: ChannelKind,
  {
    opened,
    ...of
  }: Pick<Pairing, 'account' | 'person'> & { createdAt: number; opened: NonNullable<Pairing['opened']> },
): Recipient => ({
  id: newId('rcp'),
  channel,
  ...of,
  user: opened.user,
  chat: opened.chat,
  name: opened.name,
  isGroup: false,
  decides: 'deny',
  hidesNames: capabilities.hidesNames,
  talks: capabilities.talks !== undefined,
})
