import {
  type ChannelBody,
  type ChannelDelivery,
  type ChannelInfo,
  type ChannelRecipient,
  type ChannelRecipientBody,
  type ChannelRules,
  type ChannelsReply,
  JarvisError,
} from 'protocol'
import { ownZone } from '../lib/zone.ts'
import type { ChannelKind } from './channel.ts'
import { isSecretSetting, settingsProblem } from './channel-settings.ts'
import type { Channels } from './channels.ts'
import { createDeskViews } from './desk-views.ts'
import type { OutboxStore, Recipient, RecipientStore } from './ports.ts'
import { recipientChange } from './recipient-change.ts'

const healthForMs = 15_000
const no = () => new JarvisError('not_found', 'There is no such channel.')
type Person = { id: string; role: string }

/** The channels as the dashboard sees and changes them. */
export function createDesk(parts: {
  channels: Channels
  outbox: Pick<OutboxStore, 'get' | 'log' | 'counts' | 'waiting'>
  recipients: RecipientStore
  durably<T>(work: () => T): T
  record(body: Record<string, unknown>): void
  nameOf(person: string): string
  /** Writes settings of a channel; null removes one. @throws JarvisError `conflict` */
  save(channel: string, values: Readonly<Record<string, string | null>>): void
  rules(): ChannelRules
  setRules(rules: ChannelRules): void
  /** Adds a secret to the redactor. */
  hide(secret: string): void
  redact(text: string): string
  /** @throws JarvisError `unknown_agent` */
  requireAgent(id: string): void
  /** The dashboard's public address is known. */
  hasPublicUrl: boolean
  now(): number
  changed(): void
}) {
  const { channels, outbox, recipients, record, durably } = parts
  const { directory } = channels
  const views = createDeskViews(parts)

  function kindOf(id: string): ChannelKind {
    const kind = directory.kind(id)
    if (kind === undefined) throw no()
    return kind
  }
  function settable(id: string): ChannelKind {
    const kind = kindOf(id)
    if (kind.settings.length > 0) return kind
    throw new JarvisError('conflict', `${kind.name} has no settings: it is turned on in each browser.`)
  }
  function item(id: string | undefined): ChannelDelivery {
    const found = id === undefined ? undefined : outbox.get(id)
    if (found === undefined)
      throw new JarvisError('conflict', 'It cannot be sent again: only a message that was not sent can, and no card.')
    return views.delivery(found)
  }
  function owned(id: string, by: Person): Recipient {
    const found = recipients.get(id)
    const isTheirs = found?.person === by.id || by.role === 'owner'
    if (found === undefined || !isTheirs) throw new JarvisError('not_found', 'There is no such pairing of yours.')
    return found
  }
  const today = () => new Date(parts.now()).setHours(0, 0, 0, 0)

  return {
    current: (): ChannelsReply => ({
      items: directory.kinds().map((kind) => views.channel(kind)),
      today: outbox.counts(today()),
      zone: ownZone(),
    }),
    /** The channels in use, each with its problem if it has one, for the doctor. */
    problems: (): { name: string; problem?: string }[] =>
      directory.kinds().flatMap((kind) => {
        const { state, problem, subscribes, recipients: own } = views.channel(kind)
        return state === 'off' || (subscribes && own.length === 0)
          ? []
          : [{ name: kind.name, ...(problem !== undefined && { problem }) }]
      }),
    async save(channel: string, { settings }: ChannelBody, by: Person): Promise<ChannelInfo> {
      const kind = settable(channel)
      const state = directory.state(channel)
      const before = state.state === 'on' ? state.values : {}
      for (const [name, value] of Object.entries(settings)) {
        if (value !== null && isSecretSetting(name)) parts.hide(value)
      }
      const after = Object.fromEntries(
        Object.entries({ ...before, ...settings }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      )
      const problem = settingsProblem(kind, after)
      if (problem !== undefined) throw new JarvisError('invalid_request', `settings: ${problem}. Nothing was changed.`)
      durably(() => {
        record({ change: 'set_up', channel, by: by.id, settings: Object.keys(settings) })
        parts.save(channel, settings)
      })
      await channels.reload()
      return views.channel(kind)
    },
    async forget(channel: string, by: Person): Promise<void> {
      const kind = settable(channel)
      durably(() => {
        record({ change: 'taken_out', channel, by: by.id })
        parts.save(channel, Object.fromEntries(kind.settings.map(({ name }) => [name, null])))
      })
      await channels.reload()
    },
    async check(channel: string): Promise<ChannelInfo> {
      const kind = kindOf(channel)
      const open = directory.channel(channel)
      if (open === undefined) throw new JarvisError('conflict', `Set ${kind.name} up first.`)
      try {
        return views.channel(kind, await open.channel.health(AbortSignal.timeout(healthForMs)))
      } catch (error) {
        return views.channel(kind, { problem: error instanceof Error ? error.message : 'it could not be reached' })
      }
    },
    test(channel: string, recipient: string | undefined, by: Person): ChannelDelivery {
      const kind = kindOf(channel)
      const all = recipients.list(channel).filter(({ id }) => recipient === undefined || id === recipient)
      const to = all.find(({ person }) => person === by.id) ?? all[0]
      if (to === undefined) throw new JarvisError('conflict', `${kind.name} reaches nobody yet.`)
      return item(channels.test(to))
    },
    deliveries: ({ limit, before }: { limit: number; before?: number | undefined }): ChannelDelivery[] =>
      outbox.log({ limit, ...(before !== undefined && { before }) }).map(views.delivery),
    tapped: channels.tapped,
    again: (id: string): ChannelDelivery => item(channels.again(id)),
    rules: parts.rules,
    setRules(rules: ChannelRules, by: Person): ChannelRules {
      const named = [...rules.routes.map(({ channel }) => channel), ...Object.keys(rules.escalation)]
      const stray = named.find((id) => directory.kind(id) === undefined)
      if (stray !== undefined) throw new JarvisError('invalid_request', `There is no channel ${JSON.stringify(stray)}.`)
      durably(() => {
        record({ change: 'rules', by: by.id, rules })
        parts.setRules(rules)
      })
      parts.changed()
      return rules
    },
    begin: channels.pairings.begin,
    pairings: channels.pairings.list,
    confirm: (id: string, user: string, person: string): ChannelRecipient =>
      views.recipient(channels.pairings.confirm(id, user, person)),
    cancel: channels.pairings.cancel,
    groups: async (channel: string) => ({ items: await channels.groups.list(channel) }),
    tellGroup: async (channel: string, group: string, person: string): Promise<ChannelRecipient> =>
      views.recipient(await channels.groups.bind(channel, group, person)),
    change(id: string, body: ChannelRecipientBody, by: Person, raise: () => void): ChannelRecipient {
      const before = owned(id, by)
      const kind = kindOf(before.channel)
      const { rights, isMore } = recipientChange(before, body, kind, views.atMostOf(kind))
      if (typeof rights.agent === 'string') parts.requireAgent(rights.agent)
      if (isMore) {
        // An owner may take another person's right, and give them none.
        if (before.person !== by.id)
          throw new JarvisError('forbidden', 'Only they themselves may allow more on their phone.')
        raise()
      }
      durably(() => {
        recipients.set(id, rights)
        record({ change: 'recipient', by: by.id, recipient: id, channel: before.channel, ...rights })
      })
      if (!rights.talks) channels.quiet(id)
      parts.changed()
      if ((rights.decides === 'none') !== (before.decides === 'none')) void channels.reload()
      return views.recipient(recipients.get(id) ?? before)
    },
    remove(id: string, by: Person): void {
      const { channel, user } = owned(id, by)
      if (user === '')
        throw new JarvisError('conflict', 'It is the channel’s one address. Take the channel out instead.')
      durably(() => {
        record({ change: 'unpaired', by: by.id, recipient: id, channel })
        channels.remove(id, 'not paired any more')
      })
    },
  }
}
