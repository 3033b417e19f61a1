import { isAtLeast } from '../auth/roles.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import type { People } from '../calls/people.ts'
import { webPush } from '../channels/adapters/web-push.ts'
import type { Channels } from '../channels/channels.ts'
import { createDevices } from '../channels/web-push/devices.ts'
import type { PushSender } from '../channels/web-push/ports.ts'
import { createWebPushSender, makeVapidKeys, type VapidKeys } from '../channels/web-push/sender.ts'
import { createSignedButtons } from '../channels/web-push/signed-buttons.ts'
import type { Config } from '../config/config.ts'
import { sealedOrMade } from '../config/sealed-file.ts'
import { pushRoutes } from '../http/push.ts'
import { createConfirmationStore } from '../store/sqlite/calls/confirmations.ts'
import { createRecipientStore } from '../store/sqlite/channels/recipients.ts'
import { createSubscriptionStore } from '../store/sqlite/channels/subscriptions.ts'
import type { Foundation } from './foundation.ts'
import type { ComposedSigning } from './passkeys.ts'
import { unseenIn } from './unseen-devices.ts'

/** Contact address that push services require when no public URL is set. Apple's service refuses addresses on localhost. */
const nobody = 'mailto:operator@example.org'

/** Wires the channel of web push: browsers, their subscriptions and their keys. The server's keys are made when they are first needed. */
export function composeWebPush(
  foundation: Foundation,
  parts: {
    config: Pick<Config, 'publicUrl'>
    /** Receives messages instead of the browsers' push services. */
    sender: PushSender | undefined
    signing: ComposedSigning
    people: People
    confirmations(): Pick<Confirmations, 'decide'>
    channels(): Pick<Channels, 'remove' | 'test'>
  },
) {
  const { database, journal, activity, redact, now } = foundation
  const { signing, people } = parts
  const { publicUrl } = parts.config
  let made = parts.sender
  function sender(): PushSender {
    if (made === undefined) {
      const kept = sealedOrMade(foundation.secrets, foundation.dataDir, 'vapid-keys', () =>
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
    decide: (request) => parts.confirmations().decide({ ...request, via: kind.id }),
    durably: database.durably,
    record: (change) => signing.record('device', change),
    origin: publicUrl ?? 'push',
    now,
  })
  const kind = webPush({
    ...{ sender, subscription: subscriptions.get, sign: buttons.of },
    sent(id, problem) {
      recipients.trouble(id, problem)
      if (problem === undefined) subscriptions.sent(id, now())
      changed()
    },
  })
  const devices = createDevices({
    ...{
      channel: kind.id,
      recipients,
      subscriptions,
      buttons,
      sender,
      durably: database.durably,
      redact,
      changed,
      now,
    },
    channels: {
      remove: (id, why) => parts.channels().remove(id, why),
      test: (recipient) => parts.channels().test(recipient),
    },
  })
  return {
    kind,
    /** The key of a browser that is reached no more counts for nothing. */
    left: ({ id }: { id: string }) => buttons.forget(id),
    /** Browsers that were not here for 90 days. */
    unseen: () => unseenIn(database, now()),
    standing() {
      const all = recipients.list(kind.id)
      return { devices: all.length, failing: all.filter(({ problem }) => problem !== undefined).length }
    },
    routes: pushRoutes({ devices, press: buttons.press, journal, durably: database.durably }),
  }
}

export type ComposedWebPush = ReturnType<typeof composeWebPush>
