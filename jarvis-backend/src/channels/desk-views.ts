import type { ChannelDelivery, ChannelInfo, ChannelRecipient } from 'protocol'
import type { ChannelKind, Decides } from './channel.ts'
import { isSecretSetting } from './channel-settings.ts'
import type { Channels } from './channels.ts'
import type { OutboxItem, OutboxStore, Recipient, RecipientStore } from './ports.ts'

/** Makes what the dashboard sees of channels, recipients and deliveries. Secrets are never in it. */
export function createDeskViews(parts: {
  channels: Pick<Channels, 'directory' | 'stuck'>
  outbox: Pick<OutboxStore, 'waiting'>
  recipients: Pick<RecipientStore, 'list' | 'get'>
  nameOf(person: string): string
  redact(text: string): string
  hasPublicUrl: boolean
}) {
  const { channels, outbox, recipients, redact } = parts
  const { directory } = channels

  /** The most that a tap may do now. A phone sends a denial to the public address, so without one there are no taps. */
  const atMostOf = ({ capabilities }: ChannelKind): Decides =>
    capabilities.tapsByAddress === true && !parts.hasPublicUrl ? 'none' : capabilities.decidesAtMost

  /** Why the newest message that waits was not sent yet. */
  const failing = (own: readonly Recipient[]): string | undefined =>
    own.map(({ id, problem }) => channels.stuck(id) ?? problem).find((why) => why !== undefined)

  function recipient(of: Recipient): ChannelRecipient {
    const { id, person, user, name, isGroup, decides, hidesNames, talks, agent, createdAt, problem } = of
    return {
      id,
      person,
      personName: parts.nameOf(person),
      user,
      name,
      isGroup,
      decides,
      hidesNames,
      talks,
      createdAt,
      agent,
      ...(problem !== undefined && { problem: redact(problem) }),
    }
  }

  return {
    atMostOf,
    recipient,
    /** @param more what a check of the channel found out */
    channel(kind: ChannelKind, more: { problem?: string; account?: string } = {}): ChannelInfo {
      const { id, name, readers, capabilities, settings } = kind
      const subscribes = capabilities.subscribes === true
      const state = directory.state(id)
      const values = state.state === 'on' ? state.values : {}
      const own = recipients.list(id)
      const problem = more.problem ?? (state.state === 'off' ? undefined : state.problem) ?? failing(own)
      return {
        id,
        name,
        readers,
        atMost: atMostOf(kind),
        state: state.state,
        subscribes,
        pairs: capabilities.pairs && !subscribes,
        talks: capabilities.talks !== undefined,
        groups: capabilities.groups === true,
        ...(state.state !== 'off' && state.from !== undefined && { from: state.from }),
        ...(state.state === 'on' && { place: redact(state.channel.place) }),
        account: more.account,
        ...(problem !== undefined && { problem: redact(problem) }),
        settings: settings.map(({ name: setting, label, isRequired, example }) => {
          const isSecret = isSecretSetting(setting)
          const value = values[setting]
          const isSet = value !== undefined
          const told = isSet && !isSecret ? { value } : {}
          return { name: setting, label, isRequired, isSecret, example, isSet, ...told }
        }),
        recipients: own.map(recipient),
        waiting: own.reduce((sum, one) => sum + outbox.waiting(one.id), 0),
      }
    },
    delivery(item: OutboxItem): ChannelDelivery {
      const { id, seq, channel, act, content, createdAt, attempts, end, endedAt, why, isOpen } = item
      const to = recipients.get(item.recipient)
      const isWaiting = end === undefined
      return {
        id,
        seq,
        channel,
        act,
        kind: content.kind,
        level: content.level,
        attempts,
        to: to === undefined ? '' : to.isGroup ? to.name : parts.nameOf(to.person),
        title: redact(content.kind === 'notice' ? (content.lines[0] ?? content.title) : content.title),
        at: createdAt,
        state: end ?? (isOpen ? 'sending' : 'waiting'),
        endedAt,
        ...(isWaiting && { nextAt: item.notBefore }),
        ...(why !== undefined && { why: redact(why) }),
      }
    },
  }
}
