import type { ChannelDelivery, ChannelInfo, ChannelRecipient } from 'protocol'
import type { ChannelKind, Decides } from './channel.ts'
import { isSecretSetting } from './channel-settings.ts'
import type { Channels } from './channels.ts'
import type { ChannelState } from './open-channels.ts'
import type { ChannelPeople } from './parts.ts'
import type { OutboxItem, OutboxStore, Recipient, RecipientStore } from './ports.ts'

export type DeskViewsParts = {
  channels: Pick<Channels, 'directory' | 'stuck'>
  outbox: Pick<OutboxStore, 'waiting'>
  recipients: Pick<RecipientStore, 'list' | 'get'>
  people: Pick<ChannelPeople, 'nameOf'>
  redact(text: string): string
  hasPublicUrl: boolean
}

/** Makes the dashboard's views of channels, recipients and deliveries. The views never hold secrets. */
export class DeskViews {
  readonly #parts: DeskViewsParts

  constructor(parts: DeskViewsParts) {
    this.#parts = parts
  }

  /** The greatest right that a tap has now. Some phones send a tap to the public URL, so without a public URL such a channel has no taps. */
  atMostOf({ capabilities }: ChannelKind): Decides {
    return capabilities.tapsByAddress === true && !this.#parts.hasPublicUrl ? 'none' : capabilities.decidesAtMost
  }

  /** Returns the dashboard's view of a channel. @param more the result of a check of the channel */
  channel(kind: ChannelKind, more: { problem?: string; account?: string } = {}): ChannelInfo {
    const { channels, outbox, recipients, redact } = this.#parts
    const { id, name, readers, capabilities } = kind
    const subscribes = capabilities.subscribes === true
    const state = channels.directory.state(id)
    const own = recipients.list(id)
    const problem = more.problem ?? (state.state === 'off' ? undefined : state.problem) ?? this.#failing(own)
    return {
      id,
      name,
      readers,
      atMost: this.atMostOf(kind),
      state: state.state,
      subscribes,
      pairs: capabilities.pairs && !subscribes,
      talks: capabilities.talks !== undefined,
      groups: capabilities.groups === true,
      ...(state.state !== 'off' && state.from !== undefined && { from: state.from }),
      ...(state.state === 'on' && { place: redact(state.channel.place) }),
      account: more.account,
      ...(problem !== undefined && { problem: redact(problem) }),
      settings: settingsOf(kind, state),
      recipients: own.map((one) => this.recipient(one)),
      waiting: own.reduce((sum, one) => sum + outbox.waiting(one.id), 0),
    }
  }

  recipient(of: Recipient): ChannelRecipient {
    const { people, redact } = this.#parts
    const { id, person, user, name, isGroup, decides, hidesNames, talks, agent, createdAt, problem } = of
    return {
      id,
      person,
      personName: people.nameOf(person),
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

  delivery(item: OutboxItem): ChannelDelivery {
    const { recipients, people, redact } = this.#parts
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
      to: to === undefined ? '' : to.isGroup ? to.name : people.nameOf(to.person),
      title: redact(content.kind === 'notice' ? (content.lines[0] ?? content.title) : content.title),
      at: createdAt,
      state: end ?? (isOpen ? 'sending' : 'waiting'),
      endedAt,
      ...(isWaiting && { nextAt: item.notBefore }),
      ...(why !== undefined && { why: redact(why) }),
    }
  }

  /** Returns the first known reason why one of these recipients did not get its next message or is not reached; undefined if there is none. */
  #failing(own: readonly Recipient[]): string | undefined {
    return own.map(({ id, problem }) => this.#parts.channels.stuck(id) ?? problem).find((why) => why !== undefined)
  }
}

/** The settings of a channel. The values of secret settings are left out. */
function settingsOf({ settings }: ChannelKind, state: ChannelState): ChannelInfo['settings'] {
  const values = state.state === 'on' ? state.values : {}
  return settings.map(({ name, label, isRequired, example }) => {
    const isSecret = isSecretSetting(name)
    const value = values[name]
    const isSet = value !== undefined
    const told = isSet && !isSecret ? { value } : {}
    return { name, label, isRequired, isSecret, example, isSet, ...told }
  })
}
