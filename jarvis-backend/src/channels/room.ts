import type { Registry } from 'house'
import type { ActiveAgents } from '../agents/active.ts'
import { createRateLimit } from '../auth/rate-limit.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { People } from '../calls/people.ts'
import type { Gate } from '../calls/room.ts'
import { channelSettings, saveChannel } from '../config/channels.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { channelRoutes } from '../http/channels.ts'
import { transcriptionRoutes } from '../http/transcriptions.ts'
import { SqliteChatStore } from '../store/sqlite/channels/chats.ts'
import { SqliteChoiceStore } from '../store/sqlite/channels/choices.ts'
import { SqliteHeardStore } from '../store/sqlite/channels/heard.ts'
import { SqliteNonceStore } from '../store/sqlite/channels/nonces.ts'
import { SqliteOutboxStore } from '../store/sqlite/channels/outbox.ts'
import { SqlitePairingStore } from '../store/sqlite/channels/pairings.ts'
import { SqliteRecipientStore } from '../store/sqlite/channels/recipients.ts'
import { channelKinds } from './adapters/index.ts'
import { Pages } from './addresses.ts'
import type { ChannelKind } from './channel.ts'
import { Channels } from './channels.ts'
import { Desk } from './desk.ts'
import { HouseMatters } from './house/house-matters.ts'
import { HousePeople } from './house/house-people.ts'
import { HouseTalk, type HouseTalkParts } from './house/house-talk.ts'
import { KeptRules } from './kept-rules.ts'
import { tellOfFacts } from './notices.ts'
import type { ChannelStores, Notes, Words } from './parts.ts'
import { createSpeech, createTelling } from './spoken.ts'
import type { WebPush } from './web-push/room.ts'

/** Everything that the channels need of earlier rooms. */
export type ChannelsNeeds = Omit<HouseTalkParts, 'foundation'> & {
  foundation: Foundation
  config: Pick<Config, 'dataDir' | 'secretKeys' | 'channelEnvironment' | 'publicUrl'>
  facts: JarvisFacts
  people: People
  stepUp: Pick<StepUp, 'require'>
  gate: Pick<Gate, 'confirmations' | 'questions' | 'sightOf'>
  agents: ActiveAgents
  push: WebPush
  /** Returns true if a person is told of a matter that another person (`asker`) began. */
  hears(person: string, asker: string | undefined): boolean
  /** The channels of all rooms. */
  registered: Pick<Registry<ChannelKind>, 'list' | 'get'>
  /** Replaces the channels that come with JARVIS. */
  shipped?: readonly ChannelKind[] | undefined
}

/**
 * The channels: people get messages over them, are paired with them, talk over them and decide over them. Subscribes to the facts `cards.changed`,
 * `questions.changed`, `changes.going_back`, `notice.due`, `alert.due` and `files.changed`; publishes `alert.told`.
 */
export const channelsRoom = defineRoom({
  name: 'channels',
  open(needs: ChannelsNeeds) {
    const { foundation, facts, gate, push } = needs
    const { channels, desk } = openChannels(needs)
    tellOfFacts(facts, channels)
    facts.on('files.changed', () => void channels.reload())
    return {
      channels,
      desk,
      contributes: {
        channels: needs.shipped ?? channelKinds,
        routes: [
          ...channelRoutes(desk, needs.stepUp, createRateLimit({ perMs: 60_000, now: foundation.now })),
          ...push.routesFor(channels),
          ...transcriptionRoutes(needs.transcribe),
        ],
        offboarding: [
          {
            name: 'channels',
            endAccess: (person: string, why: string) => channels.forgetPerson(person, why),
            leave: (person: string) => channels.removePerson(person),
          },
        ],
      },
      resume() {
        void channels.resume()
        // The last process may have ended after it stored a card and before it added the card's message to the outbox. The outbox takes each message
        // once.
        channels.waiting(gate.confirmations.pending())
      },
      start: () => channels.start(),
      stop: () => channels.stop(),
    }
  },
})

function openChannels(needs: ChannelsNeeds): { channels: Channels; desk: Desk } {
  const { foundation, config, gate, agents, push } = needs
  const { database, clock, settings, redact, hide } = foundation
  const of = { ...config, dataDir: foundation.dataDir }
  const stores = storesOf(foundation)
  const notes = notesOf(foundation)
  const words: Words = { say: createSpeech(redact), tell: createTelling(redact), redact, hide }
  const rules = new KeptRules(settings)
  const people = new HousePeople(needs.people, needs.hears)
  const channels = new Channels({
    stores,
    words,
    notes,
    people,
    rules,
    database,
    settings,
    clock,
    kinds: needs.registered,
    read: (channel) => channelSettings(of, channel),
    matters: new HouseMatters({ foundation, gate }),
    talk: new HouseTalk(needs),
    pages: new Pages(config.publicUrl),
    left: (recipient) => push.left(recipient),
  })
  const desk = new Desk({
    channels,
    outbox: stores.outbox,
    recipients: stores.recipients,
    database,
    notes,
    people,
    words,
    rules,
    clock,
    save: (channel, values) => saveChannel(of, channel, values),
    requireAgent: (id) => void agents.require(id),
    hasPublicUrl: config.publicUrl !== undefined,
  })
  return { channels, desk }
}

const storesOf = ({ database }: Pick<Foundation, 'database'>): ChannelStores => ({
  outbox: new SqliteOutboxStore(database),
  recipients: new SqliteRecipientStore(database),
  pairings: new SqlitePairingStore(database),
  nonces: new SqliteNonceStore(database),
  chats: new SqliteChatStore(database),
  choices: new SqliteChoiceStore(database),
  heard: new SqliteHeardStore(database),
})

const notesOf = ({ journal, redactor, activity, report, announce }: Foundation): Notes => ({
  record: (body) => void journal.append('channel', redactor.value(body)),
  announce: announce('channel'),
  changed: () => activity.changed({ what: 'channels' }),
  report,
})
