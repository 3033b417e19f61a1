import {
  type ChannelBody,
  type ChannelDelivery,
  type ChannelGroups,
  type ChannelInfo,
  type ChannelPairing,
  type ChannelPairingBegun,
  type ChannelRecipient,
  type ChannelRecipientBody,
  type ChannelRules,
  type ChannelsReply,
  JarvisError,
} from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { ownZone } from '../lib/zone.ts'
import type { ChannelKind } from './channel.ts'
import { isSecretSetting, settingsProblem } from './channel-settings.ts'
import type { Channels } from './channels.ts'
import { DeskViews } from './desk-views.ts'
import type { KeptRules } from './kept-rules.ts'
import type { ChannelPeople, Notes, Transactions, Words } from './parts.ts'
import type { OutboxStore, Recipient, RecipientStore } from './ports.ts'
import { recipientChange } from './recipient-change.ts'
import type { Spoken } from './spoken.ts'

const healthForMs = 15_000
const noChannel = () => new JarvisError('not_found', 'There is no such channel.')
type Person = { id: string; role: string }

export type DeskParts = {
  channels: Channels
  outbox: Pick<OutboxStore, 'get' | 'log' | 'counts' | 'waiting'>
  recipients: RecipientStore
  database: Pick<Transactions, 'durably'>
  notes: Pick<Notes, 'record' | 'changed'>
  people: Pick<ChannelPeople, 'nameOf'>
  words: Pick<Words, 'hide' | 'redact'>
  rules: Pick<KeptRules, 'now' | 'set'>
  /** Writes settings of a channel; null removes one. @throws JarvisError `conflict` */
  save(channel: string, values: Readonly<Record<string, string | null>>): void
  /** @throws JarvisError `unknown_agent` */
  requireAgent(id: string): void
  /** True if the dashboard's public address is known. */
  hasPublicUrl: boolean
  clock: Pick<Clock, 'now'>
}

/** Shows and changes the channels for the dashboard. Methods throw JarvisError `not_found`, `conflict`, `invalid_request`, `forbidden`. */
export class Desk {
  readonly #parts: DeskParts
  readonly #views: DeskViews

  constructor(parts: DeskParts) {
    this.#parts = parts
    this.#views = new DeskViews({ ...parts, redact: parts.words.redact })
  }

  current(): ChannelsReply {
    const { channels, outbox, clock } = this.#parts
    const today = new Date(clock.now()).setHours(0, 0, 0, 0)
    return {
      items: channels.directory.kinds().map((kind) => this.#views.channel(kind)),
      today: outbox.counts(today),
      zone: ownZone(),
    }
  }

  /** The channels in use, each with its problem if it has one. Used by `doctor`. */
  problems(): { name: string; problem?: string }[] {
    return this.#parts.channels.directory.kinds().flatMap((kind) => {
      const { state, problem, subscribes, recipients } = this.#views.channel(kind)
      if (state === 'off' || (subscribes && recipients.length === 0)) return []
      return [{ name: kind.name, problem }]
    })
  }

  async save(channel: string, { settings }: ChannelBody, by: Person): Promise<ChannelInfo> {
    const { channels, database, notes, words } = this.#parts
    const kind = this.#settable(channel)
    const state = channels.directory.state(channel)
    const before = state.state === 'on' ? state.values : {}
    for (const [name, value] of Object.entries(settings)) {
      if (value !== null && isSecretSetting(name)) words.hide(value)
    }
    const after = Object.fromEntries(
      Object.entries({ ...before, ...settings }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    )
    const problem = settingsProblem(kind, after)
    if (problem !== undefined) throw new JarvisError('invalid_request', `settings: ${problem}. Nothing was changed.`)
    database.durably(() => {
      notes.record({ change: 'set_up', channel, by: by.id, settings: Object.keys(settings) })
      this.#parts.save(channel, settings)
    })
    await channels.reload()
    return this.#views.channel(kind)
  }

  /** Removes a channel's settings and all its recipients. */
  async forget(channel: string, by: Person): Promise<void> {
    const { channels, database, notes } = this.#parts
    const kind = this.#settable(channel)
    database.durably(() => {
      notes.record({ change: 'taken_out', channel, by: by.id })
      this.#parts.save(channel, Object.fromEntries(kind.settings.map(({ name }) => [name, null])))
    })
    await channels.reload()
  }

  /** Asks the channel's service whether all is well. */
  async check(channel: string): Promise<ChannelInfo> {
    const kind = this.#kindOf(channel)
    const open = this.#parts.channels.directory.channel(channel)
    if (open === undefined) throw new JarvisError('conflict', `Set ${kind.name} up first.`)
    try {
      return this.#views.channel(kind, await open.channel.health(AbortSignal.timeout(healthForMs)))
    } catch (error) {
      return this.#views.channel(kind, { problem: error instanceof Error ? error.message : 'it could not be reached' })
    }
  }

  test(channel: string, recipient: string | undefined, by: Person): ChannelDelivery {
    const { channels, recipients } = this.#parts
    const kind = this.#kindOf(channel)
    const all = recipients.list(channel).filter(({ id }) => recipient === undefined || id === recipient)
    const to = all.find(({ person }) => person === by.id) ?? all[0]
    if (to === undefined) throw new JarvisError('conflict', `${kind.name} reaches nobody yet.`)
    return this.#delivery(channels.test(to))
  }

  deliveries({ limit, before }: { limit: number; before?: number | undefined }): ChannelDelivery[] {
    return this.#parts.outbox.log({ limit, before }).map((item) => this.#views.delivery(item))
  }

  again(id: string): ChannelDelivery {
    return this.#delivery(this.#parts.channels.again(id))
  }

  /** Denies a card by a button's token. */
  tapped(channel: string, token: string): Promise<Spoken> {
    return this.#parts.channels.tapped(channel, token)
  }

  rules(): ChannelRules {
    return this.#parts.rules.now()
  }

  setRules(rules: ChannelRules, by: Person): ChannelRules {
    const { channels, database, notes } = this.#parts
    const named = [...rules.routes.map(({ channel }) => channel), ...Object.keys(rules.escalation)]
    const stray = named.find((id) => channels.directory.kind(id) === undefined)
    if (stray !== undefined) throw new JarvisError('invalid_request', `There is no channel ${JSON.stringify(stray)}.`)
    database.durably(() => {
      notes.record({ change: 'rules', by: by.id, rules })
      this.#parts.rules.set(rules)
    })
    notes.changed()
    return rules
  }

  begin(channel: string, person: string): ChannelPairingBegun {
    return this.#parts.channels.pairings.begin(channel, person)
  }

  pairings(person: string): ChannelPairing[] {
    return this.#parts.channels.pairings.list(person)
  }

  confirm(id: string, user: string, person: string): ChannelRecipient {
    return this.#views.recipient(this.#parts.channels.pairings.confirm(id, user, person))
  }

  cancel(id: string, person: string): void {
    this.#parts.channels.pairings.cancel(id, person)
  }

  async groups(channel: string): Promise<ChannelGroups> {
    return { items: await this.#parts.channels.groups.list(channel) }
  }

  async tellGroup(channel: string, group: string, person: string): Promise<ChannelRecipient> {
    return this.#views.recipient(await this.#parts.channels.groups.bind(channel, group, person))
  }

  /** Changes the rights of a recipient. @param of `by`: the person who changes them. `raise`: called before a change that allows more than before */
  change(id: string, body: ChannelRecipientBody, { by, raise }: { by: Person; raise(): void }): ChannelRecipient {
    const { channels, recipients, database, notes } = this.#parts
    const before = this.#owned(id, by)
    const kind = this.#kindOf(before.channel)
    const { name, capabilities } = kind
    const { rights, isMore } = recipientChange(before, body, {
      name,
      capabilities,
      atMost: this.#views.atMostOf(kind),
    })
    if (typeof rights.agent === 'string') this.#parts.requireAgent(rights.agent)
    if (isMore) {
      // An owner may take rights from another person's recipient, but may not give any.
      if (before.person !== by.id)
        throw new JarvisError('forbidden', 'Only they themselves may allow more on their phone.')
      raise()
    }
    database.durably(() => {
      recipients.set(id, rights)
      notes.record({ change: 'recipient', by: by.id, recipient: id, channel: before.channel, ...rights })
    })
    if (!rights.talks) channels.quiet(id)
    notes.changed()
    if ((rights.decides === 'none') !== (before.decides === 'none')) void channels.reload()
    return this.#views.recipient(recipients.get(id) ?? before)
  }

  remove(id: string, by: Person): void {
    const { channels, database, notes } = this.#parts
    const { channel, user } = this.#owned(id, by)
    if (user === '') throw new JarvisError('conflict', 'It is the channel’s one address. Take the channel out instead.')
    database.durably(() => {
      notes.record({ change: 'unpaired', by: by.id, recipient: id, channel })
      channels.remove(id, 'not paired any more')
    })
  }

  #kindOf(id: string): ChannelKind {
    const kind = this.#parts.channels.directory.kind(id)
    if (kind === undefined) throw noChannel()
    return kind
  }

  #settable(id: string): ChannelKind {
    const kind = this.#kindOf(id)
    if (kind.settings.length > 0) return kind
    throw new JarvisError('conflict', `${kind.name} has no settings: it is turned on in each browser.`)
  }

  #delivery(id: string | undefined): ChannelDelivery {
    const found = id === undefined ? undefined : this.#parts.outbox.get(id)
    if (found === undefined)
      throw new JarvisError('conflict', 'It cannot be sent again: only a message that was not sent can, and no card.')
    return this.#views.delivery(found)
  }

  #owned(id: string, by: Person): Recipient {
    const found = this.#parts.recipients.get(id)
    const isTheirs = found?.person === by.id || by.role === 'owner'
    if (found === undefined || !isTheirs) throw new JarvisError('not_found', 'There is no such pairing of yours.')
    return found
  }
}
