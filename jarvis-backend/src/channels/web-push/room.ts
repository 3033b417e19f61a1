import type { ComposedSigning } from '../../access/room.ts'
import type { People } from '../../calls/people.ts'
import type { Gate } from '../../calls/room.ts'
import type { Config } from '../../config/config.ts'
import { sealedOrMade } from '../../config/sealed-file.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom } from '../../house.ts'
import { pushRoutes } from '../../http/push.ts'
import type { Route } from '../../http/route.ts'
import { SqliteRecipientStore } from '../../store/sqlite/channels/recipients.ts'
import { SqliteSubscriptionStore } from '../../store/sqlite/channels/subscriptions.ts'
import { unseenIn } from '../../store/sqlite/channels/unseen.ts'
import { webPush } from '../adapters/web-push.ts'
import type { ChannelKind, Decides } from '../channel.ts'
import type { Channels } from '../channels.ts'
import { HouseMatters } from '../house/house-matters.ts'
import { mayDecide } from '../house/house-people.ts'
import type { RecipientStore } from '../ports.ts'
import { Devices } from './devices.ts'
import { type PushSender, type SubscriptionStore, webPushId } from './ports.ts'
import { makeVapidKeys, type VapidKeys, WebPushSender } from './sender.ts'
import { SignedButtons } from './signed-buttons.ts'

/** The contact address that push services require, used if no public URL is set. Apple's service refuses addresses on localhost. */
const nobody = 'mailto:operator@example.org'

/** Everything that web push needs of earlier rooms. */
export type WebPushNeeds = {
  foundation: Foundation
  config: Pick<Config, 'publicUrl'>
  signing: ComposedSigning
  people: People
  gate: Pick<Gate, 'confirmations'>
  /** Receives messages in place of the browsers' push services. */
  sender?: PushSender | undefined
}

/** The channel of web push: browsers, their subscriptions and their keys. */
export const webPushRoom = defineRoom({
  name: 'web-push',
  open(needs: WebPushNeeds) {
    const push = new WebPush(needs)
    return { push, contributes: { channels: [push.kind] } }
  },
})

/** The channel of web push. The server's keys are generated on first use. */
export class WebPush {
  readonly kind: ChannelKind
  readonly #needs: WebPushNeeds
  readonly #subscriptions: SubscriptionStore
  readonly #recipients: RecipientStore
  readonly #buttons: SignedButtons
  #sender: PushSender | undefined

  constructor(needs: WebPushNeeds) {
    const { foundation, gate, people, signing } = needs
    const { database, now } = foundation
    this.#needs = needs
    this.#sender = needs.sender
    this.#subscriptions = new SqliteSubscriptionStore(database)
    this.#recipients = new SqliteRecipientStore(database)
    this.#buttons = new SignedButtons({
      keys: signing.keys,
      signers: signing.signers,
      challenges: signing.challenges,
      head: () => signing.head(),
      matters: new HouseMatters({ foundation, gate }),
      decidesOn: (device) => this.#decidesOn(device),
      mayDecide: (person) => mayDecide(people, person),
      decide: (request) => gate.confirmations.decide({ ...request, via: webPushId }),
      database,
      record: (change) => signing.record('device', change),
      origin: needs.config.publicUrl ?? 'push',
      clock: foundation.clock,
    })
    this.kind = webPush({
      sender: () => this.#sendWith(),
      subscription: (id) => this.#subscriptions.get(id),
      sign: (toolUseId, id) => this.#buttons.of(toolUseId, id),
      sent: (id, problem) => {
        this.#recipients.trouble(id, problem)
        if (problem === undefined) this.#subscriptions.sent(id, now())
        this.#changed()
      },
    })
  }

  /** Deletes the key of a browser that is no longer a recipient. */
  left({ id }: { id: string }): void {
    this.#buttons.forget(id)
  }

  /** The browsers that have not contacted JARVIS for 90 days. */
  unseen(): ReturnType<typeof unseenIn> {
    const { database, now } = this.#needs.foundation
    return unseenIn(database, now())
  }

  standing(): { devices: number; failing: number } {
    const all = this.#recipients.list(webPushId)
    return { devices: all.length, failing: all.filter(({ problem }) => problem !== undefined).length }
  }

  /** The routes of `/api/push`, which remove and test devices through the channels. */
  routesFor(channels: Pick<Channels, 'remove' | 'test'>): Route[] {
    const { database, journal, redact, clock } = this.#needs.foundation
    const buttons = this.#buttons
    const devices = new Devices({
      channel: webPushId,
      recipients: this.#recipients,
      subscriptions: this.#subscriptions,
      buttons,
      sender: () => this.#sendWith(),
      redact,
      changed: () => this.#changed(),
      clock,
      database,
      channels,
    })
    return pushRoutes({ devices, buttons, journal, database })
  }

  /** The greatest right of a button on a device. If the notification hides names, the button may not approve. */
  #decidesOn(device: string): Decides {
    const found = this.#recipients.get(device)
    return found?.hidesNames === true && found.decides === 'approve' ? 'deny' : (found?.decides ?? 'none')
  }

  #sendWith(): PushSender {
    this.#sender ??= this.#makeSender()
    return this.#sender
  }

  #makeSender(): PushSender {
    const { foundation, config } = this.#needs
    const kept = sealedOrMade(foundation.secrets, { dataDir: foundation.dataDir, name: 'vapid-keys' }, () =>
      JSON.stringify(makeVapidKeys()),
    )
    const keys = JSON.parse(kept) as VapidKeys
    foundation.hide(keys.privateKey)
    const { publicUrl } = config
    return new WebPushSender({ keys, subject: publicUrl?.startsWith('https:') === true ? publicUrl : nobody })
  }

  #changed(): void {
    this.#needs.foundation.activity.changed({ what: 'push' })
  }
}
