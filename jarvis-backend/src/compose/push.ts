import { isAtLeast } from '../auth/roles.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import type { People } from '../calls/people.ts'
import type { Journal } from '../calls/ports.ts'
import { isLight } from '../channels/cards.ts'
import { sealedOrMade } from '../config/sealed-file.ts'
import { pushRoutes } from '../http/push.ts'
import type { Clock } from '../lib/clock.ts'
import { createButtons } from '../push/buttons.ts'
import type { PushSender } from '../push/ports.ts'
import { createPush } from '../push/push.ts'
import { createWebPushSender, makeVapidKeys, type VapidKeys } from '../push/web-push-sender.ts'
import type { SecretBox } from '../secrets/index.ts'
import { createConfirmationStore } from '../store/sqlite/calls/confirmations.ts'
import type { Database } from '../store/sqlite/database.ts'
import { createPushStore } from '../store/sqlite/push.ts'
import type { ComposedSigning } from './passkeys.ts'

/** Contact address that push services require when no public URL is set. Apple's service refuses addresses on localhost. */
const nobody = 'mailto:operator@example.org'

/** Wires push messages about waiting cards and changes that go back. The keys are made when they are first needed. */
export function composePush(parts: {
  dataDir: string
  secrets: SecretBox
  database: Database
  journal: Journal
  clock: Clock
  publicUrl: string | undefined
  sender: PushSender | undefined
  signing: ComposedSigning
  people: People
  confirmations(): Pick<Confirmations, 'decide'>
  hide(secret: string): void
  redact(text: string): string
  hears(sub: string, asker: string | undefined): boolean
  changed(): void
  report(error: unknown, message: string): void
}) {
  const { dataDir, secrets, database, journal, publicUrl } = parts
  let sender = parts.sender
  const made = (): PushSender => {
    const keys = JSON.parse(
      sealedOrMade(secrets, dataDir, 'vapid-keys', () => JSON.stringify(makeVapidKeys())),
    ) as VapidKeys
    parts.hide(keys.privateKey)
    const subject = publicUrl?.startsWith('https:') === true ? publicUrl : nobody
    return createWebPushSender({ keys, subject })
  }
  const store = createPushStore(database)
  const cards = createConfirmationStore(database)
  const { signing, people } = parts
  const buttons = createButtons({
    ...signing,
    isLight,
    cardOf(toolUseId) {
      const found = cards.get(toolUseId)
      return found && { card: found.card, bindingHash: found.bindingHash, isDecided: found.resolution !== undefined }
    },
    mayDecide(person) {
      const found = people.find(person)
      return found?.id === person && isAtLeast(found.role, 'operator')
    },
    decide: (request) => parts.confirmations().decide(request),
    durably: database.durably,
    record: (change) => signing.record('device', change),
    origin: publicUrl ?? 'push',
    now: () => parts.clock.now(),
  })
  const push = createPush({
    ...parts,
    ...{ store, buttons },
    sender() {
      sender ??= made()
      return sender
    },
  })
  return {
    waiting: push.waiting,
    asking: push.asking,
    goingBack: push.goingBack,
    tell: push.tell,
    tellPerson: push.tellPerson,
    forgetAll: push.forgetAll,
    stop: push.stop,
    standing() {
      const devices = store.list()
      return { devices: devices.length, failing: devices.filter(({ problem }) => problem !== undefined).length }
    },
    routes: pushRoutes({ push, press: buttons.press, journal, durably: database.durably }),
  }
}

export type ComposedPush = ReturnType<typeof composePush>
