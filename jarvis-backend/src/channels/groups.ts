import { JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { ChannelKind, Group } from './channel.ts'
import type { ChannelDirectory, OpenChannel } from './open-channels.ts'
import type { KeptSettings, Notes, Transactions } from './parts.ts'
import type { Content, ReceivedOf, Recipient, RecipientStore } from './ports.ts'
import type { Putting } from './putting.ts'
import type { Say, Spoken } from './spoken.ts'

const mostNoticed = 10
const mostName = 60
const patienceMs = 15_000
const toldForMs = 10 * 60_000

export type GroupsParts = {
  recipients: RecipientStore
  directory: Pick<ChannelDirectory, 'kind' | 'channel'>
  putting: Pick<Putting, 'add'>
  settings: KeptSettings
  database: Pick<Transactions, 'atomically' | 'durably'>
  notes: Pick<Notes, 'record' | 'announce' | 'changed'>
  say: Say
  /** Sends the messages that are due. */
  look(): void
  clock: Pick<Clock, 'now'>
}

const keyOf = (channel: string, account: string) => `channel_groups_${channel}_${account}`

/** Group chats that an owner chose as recipients. JARVIS reads nothing that is written or pressed in a group. */
export class Groups {
  readonly #parts: GroupsParts

  constructor(parts: GroupsParts) {
    this.#parts = parts
  }

  /**
   * Handles the event that somebody added JARVIS to a group, or removed it. The owner is offered only groups to which a paired person added JARVIS.
   */
  noticed({ kind, account, incoming: { by, group, isIn }, advance }: ReceivedOf<'group'>): undefined {
    const { recipients, settings, database, notes } = this.#parts
    const isTheirs = recipients.list(kind.id).some((one) => !one.isGroup && one.account === account && one.user === by)
    const told = this.#toldIn(kind.id, group.id)
    database.atomically(() => {
      advance()
      const others = this.#noticedIn(kind.id, account).filter(({ id }) => id !== group.id)
      if (isIn && !isTheirs) return
      const named = { id: group.id, name: this.#nameOf(group.name) }
      const now = isIn ? [named, ...others].slice(0, mostNoticed) : others
      settings.set(keyOf(kind.id, account), JSON.stringify(now))
      if (told === undefined) return
      recipients.trouble(told.id, isIn ? undefined : 'JARVIS was taken out of this group')
    })
    if (told !== undefined && !isIn) notes.announce(`${kind.name} took JARVIS out of a group that it told.`, 'warning')
    notes.changed()
    return undefined
  }

  /** Groups that can be made recipients. @throws JarvisError `not_found`, `conflict` */
  async list(channel: string): Promise<Group[]> {
    const { kind, open } = this.#opened(channel)
    const listed = await asked(kind, async (signal) => (await open.channel.groups?.(signal)) ?? [])
    const named = listed.map(({ id, name }) => ({ id, name: this.#nameOf(name) }))
    const found = [...this.#noticedIn(channel, open.account), ...named]
    return found.filter(({ id }) => this.#toldIn(channel, id) === undefined)
  }

  /** Makes a group a recipient. @param id the service's id of the group, as the owner read it @throws JarvisError `not_found`, `conflict` */
  async bind(channel: string, id: string, person: string): Promise<Recipient> {
    const { recipients, directory, putting, database, notes, say, look, clock } = this.#parts
    const { kind, open } = this.#opened(channel)
    const group = await asked(kind, async (signal) => {
      if (open.channel.group === undefined) throw new Error('it tells no groups')
      return open.channel.group(id, signal)
    })
    const recipient: Recipient = {
      id: newId('rcp'),
      channel,
      account: open.account,
      person,
      user: group.id,
      chat: group.id,
      name: this.#nameOf(group.name),
      isGroup: true,
      createdAt: clock.now(),
      // Not every member of a group may know the names of guests and nodes, or decide anything.
      decides: 'none',
      hidesNames: true,
      talks: false,
    }
    database.durably(() => {
      if (directory.channel(channel)?.account !== open.account || !recipients.add(recipient))
        throw new JarvisError('conflict', 'This group is told already.')
      notes.record({ change: 'group_told', channel, by: person, recipient: recipient.id, group: group.id })
      const title = say('JARVIS tells this group of alerts and jobs. It reads nothing that is written here.')
      const content: Content = { kind: 'pairing', level: 'info', title, lines: [], path: '/' }
      putting.add(recipient, { key: `paired:${recipient.id}`, content, forMs: toldForMs })
    })
    notes.changed()
    look()
    return recipient
  }

  /** Stores the new id that the service gave a group. Telegram, for example, changes the id if a group becomes a supergroup. */
  moved({ id, channel, isGroup, chat: before }: Recipient, chat: string): void {
    const { recipients, database, notes } = this.#parts
    if (!isGroup) return
    database.durably(() => {
      if (recipients.move(id, chat)) notes.record({ change: 'group_moved', channel, recipient: id, before, now: chat })
    })
    notes.changed()
  }

  /** @throws JarvisError `not_found`, `conflict` */
  #opened(channel: string): { kind: ChannelKind; open: OpenChannel } {
    const { directory } = this.#parts
    const kind = directory.kind(channel)
    if (kind === undefined) throw new JarvisError('not_found', 'There is no such channel.')
    if (kind.capabilities.groups !== true) throw new JarvisError('conflict', `${kind.name} tells no groups.`)
    const open = directory.channel(channel)
    if (open === undefined) throw new JarvisError('conflict', `Set ${kind.name} up first.`)
    return { kind, open }
  }

  #noticedIn(channel: string, account: string): Group[] {
    return JSON.parse(this.#parts.settings.get(keyOf(channel, account)) ?? '[]') as Group[]
  }

  #toldIn(channel: string, id: string): Recipient | undefined {
    return this.#parts.recipients.list(channel).find(({ isGroup, chat }) => isGroup && chat === id)
  }

  #nameOf(name: string): Spoken {
    return this.#parts.say(name.trim() === '' ? 'a group without a name' : name, mostName)
  }
}

async function asked<T>(kind: ChannelKind, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await work(AbortSignal.timeout(patienceMs))
  } catch (error) {
    throw new JarvisError('conflict', `${kind.name}: ${error instanceof Error ? error.message : 'it failed'}.`)
  }
}
