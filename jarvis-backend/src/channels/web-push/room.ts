import { isAtLeast } from '../../auth/roles.ts'
import type { People } from '../../calls/people.ts'
import type { Gate } from '../../calls/room.ts'
import type { Config } from '../../config/config.ts'
import { sealedOrMade } from '../../config/sealed-file.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom } from '../../house.ts'
import { pushRoutes } from '../../http/push.ts'
import type { Route } from '../../http/route.ts'
import type { ComposedSigning } from '../../signing/room.ts'
import { createConfirmationStore } from '../../store/sqlite/calls/confirmations.ts'
import { createRecipientStore } from '../../store/sqlite/channels/recipients.ts'
import { createSubscriptionStore } from '../../store/sqlite/channels/subscriptions.ts'
import { unseenIn } from '../../store/sqlite/channels/unseen.ts'
import { webPush } from '../adapters/web-push.ts'
import type { Channels } from '../channels.ts'
import { createDevices } from './devices.ts'
import type { PushSender } from './ports.ts'
import { createWebPushSender, makeVapidKeys, type VapidKeys } from './sender.ts'
import { createSignedButtons } from './signed-buttons.ts'

/** Contact address that push services require when no public URL is set. Apple's service refuses addresses on localhost. */
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

/** The channel of web push: browsers, their subscriptions and their keys. The server's keys are made when they are first needed. */
export const webPushRoom = defineRoom({
  name: 'web-push',
  open(needs: WebPushNeeds) {
    const push = createWebPush(needs.foundation, needs)
    return { push, contributes: { channels: [push.kind] } }
  },
})

function createWebPush(foundation: Foundation, parts: WebPushNeeds) {
  const { database, journal, activity, redact, now } = foundation
  const { signing, people } = parts
  const { publicUrl } = parts.config
  let made = parts.sender
  function sender(): PushSender {
    if (made === undefined) {
      const kept = sealedOrMade(foundation.secrets, { dataDir: foundation.dataDir, name: 'vapid-keys' }, () =>
        JSON.stringify(makeVapidKeys()),
      )
      const keys = JSON.parse(kept) as VapidKeys
      foundation.hide(keys.privateKey)
      made = createWebPushSender({ keys, subject: publicUrl?.startsWith('https:') === true ? publicUrl : nobody })
    }
    return made
  }
  const subscriptions = createSubscriptionStore(database)
  const recipients = createRecipientStore(database)
  const cards = createConfirmationStore(database)
  const changed = () => activity.changed({ what: 'push' })
  const buttons = createSignedButtons({
    ...signing,
    cardOf(toolUseId) {
      const found = cards.get(toolUseId)
      return found && { card: found.card, bindingHash: found.bindingHash, isDecided: found.resolution !== undefined }
    },
    decidesOn(device) {
      const found = recipients.get(device)
      // Nobody approves what the notification did not name.
      return found?.hidesNames === true && found.decides === 'approve' ? 'deny' : (found?.decides ?? 'none')
    },
    mayDecide(person) {
      const found = people.find(person)
      return found?.id === person && isAtLeast(found.role, 'operator')
    },
    decide: (request) => parts.gate.confirmations.decide({ ...request, via: kind.id }),
    durably: database.durably,
    record: (change) => signing.record('device', change),
    origin: publicUrl ?? 'push',
    now,
  })
  const kind = webPush({
    sender,
    subscription: subscriptions.get,
    sign: buttons.of,
    sent(id, problem) {
      recipients.trouble(id, problem)
      if (problem === undefined) subscriptions.sent(id, now())
      changed()
    },
  })
  return {
    kind,
    /** Forgets the key of a browser that is no longer reached. */
    left: ({ id }: { id: string }) => buttons.forget(id),
    /** Browsers that were not here for 90 days. */
    unseen: () => unseenIn(database, now()),
    standing() {
      const all = recipients.list(kind.id)
      return { devices: all.length, failing: all.filter(({ problem }) => problem !== undefined).length }
    },
    /** The routes of `/api/push`, which remove and test devices through the channels. */
    routesFor(channels: Pick<Channels, 'remove' | 'test'>): Route[] {
      const devices = createDevices({
        channel: kind.id,
        recipients,
        subscriptions,
        buttons,
        sender,
        redact,
        changed,
        now,
        durably: database.durably,
        channels,
      })
      return pushRoutes({ devices, press: buttons.press, journal, durably: database.durably })
    },
  }
}

export type WebPush = ReturnType<typeof createWebPush>
