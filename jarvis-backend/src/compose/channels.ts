import { createRateLimit } from '../auth/rate-limit.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import type { People } from '../calls/people.ts'
import { channelKinds } from '../channels/adapters/index.ts'
import type { ChannelKind } from '../channels/channel.ts'
import { createChannels } from '../channels/channels.ts'
import { createDesk } from '../channels/desk.ts'
import { createSpeech, createTelling } from '../channels/spoken.ts'
import type { House } from '../channels/talk/ports.ts'
import { channelSettings, saveChannel } from '../config/channels.ts'
import type { Config } from '../config/config.ts'
import { channelRoutes } from '../http/channels.ts'
import { ChannelRules, firstOwnerId } from '../protocol/index.ts'
import { createChangeStore } from '../store/sqlite/calls/changes.ts'
import { createConfirmationStore } from '../store/sqlite/calls/confirmations.ts'
import { createQuestionStore } from '../store/sqlite/calls/questions.ts'
import { createChatStore } from '../store/sqlite/channels/chats.ts'
import { createChoiceStore } from '../store/sqlite/channels/choices.ts'
import { createHeardStore } from '../store/sqlite/channels/heard.ts'
import { createNonceStore } from '../store/sqlite/channels/nonces.ts'
import { createOutboxStore } from '../store/sqlite/channels/outbox.ts'
import { createPairingStore } from '../store/sqlite/channels/pairings.ts'
import { createRecipientStore } from '../store/sqlite/channels/recipients.ts'
import type { Foundation } from './foundation.ts'
import type { ComposedWebPush } from './web-push.ts'

const rulesKey = 'channel_rules'
const noRules: ChannelRules = { routes: [], escalation: {} }

/** Wires the channels: what leaves over them, who is paired, and the decisions that come back. */
export function composeChannels(
  foundation: Foundation,
  parts: {
    config: Pick<Config, 'dataDir' | 'secretKeys' | 'channelEnvironment' | 'publicUrl'>
    people: People
    stepUp: Pick<StepUp, 'require'>
    confirmations(): Pick<Confirmations, 'decide' | 'seen'>
    /** What conversations need of the rest. */
    house: House
    /** @throws JarvisError `unknown_agent` */
    requireAgent(id: string): void
    /** In place of those of the house. */
    kinds?: readonly ChannelKind[] | undefined
    webPush: ComposedWebPush
    hears(person: string, asker: string | undefined): boolean
  },
) {
  const { database, journal, settings, clock, redact, hide, activity, report, now } = foundation
  const { config, people } = parts
  const of = { ...config, dataDir: foundation.dataDir }
  const cards = createConfirmationStore(database)
  const questions = createQuestionStore(database)
  const changes = createChangeStore(database)
  const stores = {
    outbox: createOutboxStore(database),
    recipients: createRecipientStore(database),
    pairings: createPairingStore(database),
    nonces: createNonceStore(database),
    chats: createChatStore(database),
    choices: createChoiceStore(database),
    heard: createHeardStore(database),
  }
  const record = (body: Record<string, unknown>) => journal.append('channel', foundation.redactor.value(body))
  const changed = () => activity.changed({ what: 'channels' })
  let rules: ChannelRules | undefined
  function rulesNow(): ChannelRules {
    if (rules === undefined) {
      const kept = settings.get(rulesKey)
      const read = kept === undefined ? undefined : ChannelRules.safeParse(JSON.parse(kept))
      rules = read?.success === true ? read.data : noRules
    }
    return rules
  }
  const channels = createChannels({
    ...stores,
    ...{ settings, clock, hide, report, record, changed },
    kinds: parts.kinds ?? [parts.webPush.kind, ...channelKinds],
    read: (channel) => channelSettings(of, channel),
    atomically: database.atomically,
    untilFree: database.untilFree,
    durably: database.durably,
    ...{ redact, say: createSpeech(redact), tell: createTelling(redact), house: parts.house },
    rules: rulesNow,
    cardOf(toolUseId) {
      const found = cards.get(toolUseId)
      if (found === undefined) return undefined
      const { card, bindingHash, resolution } = found
      return { card, bindingHash, isDecided: resolution !== undefined, ...(resolution && { ending: resolution }) }
    },
    decide: ({ remember, ...request }) =>
      parts.confirmations().decide({ ...request, once: { isAnswered: () => false, remember } }),
    seen: (toolUseId) => parts.confirmations().seen(undefined, toolUseId),
    mayDecide(person) {
      const found = people.find(person)
      return found?.id === person && isAtLeast(found.role, 'operator')
    },
    ...{ hears: parts.hears, left: parts.webPush.left },
    isOpen({ kind, id }) {
      if (kind === 'question') {
        const question = questions.get(id)
        return question !== undefined && question.resolution === undefined
      }
      const change = changes.get(id)
      return change?.state === 'armed' && (change.goesBackAt ?? 0) > now()
    },
    nameOf: (person) => people.find(person)?.name ?? person,
    firstOwner: firstOwnerId,
    announce: foundation.announce('channel'),
    publicUrl: config.publicUrl,
  })
  const desk = createDesk({
    ...stores,
    ...{ channels, record, hide, redact, now, changed, requireAgent: parts.requireAgent },
    hasPublicUrl: config.publicUrl !== undefined,
    durably: database.durably,
    nameOf: (person) => people.find(person)?.name ?? person,
    save: (channel, values) => saveChannel(of, channel, values),
    rules: rulesNow,
    setRules(next) {
      settings.set(rulesKey, JSON.stringify(next))
      rules = next
    },
  })
  return { ...channels, desk, routes: channelRoutes(desk, parts.stepUp, createRateLimit({ perMs: 60_000, now })) }
}

export type ComposedChannels = ReturnType<typeof composeChannels>
