import type { Registry } from 'house'
import { ChannelRules, firstOwnerId } from 'protocol'
import type { ComposedRuns } from '../agent/room.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { ActiveAgents } from '../agents/active.ts'
import { chosenFor } from '../agents/bindings.ts'
import { createRateLimit } from '../auth/rate-limit.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { People } from '../calls/people.ts'
import type { Gate } from '../calls/room.ts'
import { channelSettings, saveChannel } from '../config/channels.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { clusterSummary } from '../homelab/summary.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { channelRoutes } from '../http/channels.ts'
import { transcriptionRoutes } from '../http/transcriptions.ts'
import { createChangeStore } from '../store/sqlite/calls/changes.ts'
import { SqliteConfirmationStore } from '../store/sqlite/calls/confirmations.ts'
import { createQuestionStore } from '../store/sqlite/calls/questions.ts'
import { createChatStore } from '../store/sqlite/channels/chats.ts'
import { createChoiceStore } from '../store/sqlite/channels/choices.ts'
import { createHeardStore } from '../store/sqlite/channels/heard.ts'
import { createNonceStore } from '../store/sqlite/channels/nonces.ts'
import { SqliteOutboxStore } from '../store/sqlite/channels/outbox.ts'
import { createPairingStore } from '../store/sqlite/channels/pairings.ts'
import { createRecipientStore } from '../store/sqlite/channels/recipients.ts'
import type { Watch } from '../watch/watch.ts'
import { channelKinds } from './adapters/index.ts'
import type { ChannelKind } from './channel.ts'
import { createChannels } from './channels.ts'
import { createDesk } from './desk.ts'
import { tellOfFacts } from './notices.ts'
import { createSpeech, createTelling } from './spoken.ts'
import type { TalkPorts } from './talk/ports.ts'
import type { WebPush } from './web-push/room.ts'

/** Everything that the channels need of earlier rooms. */
export type ChannelsNeeds = {
  foundation: Foundation
  config: Pick<Config, 'dataDir' | 'secretKeys' | 'channelEnvironment' | 'publicUrl'>
  facts: JarvisFacts
  people: People
  stepUp: Pick<StepUp, 'require'>
  gate: Pick<Gate, 'confirmations' | 'questions' | 'sightOf'>
  agents: ActiveAgents
  sessions: Pick<ComposedRuns, 'runs' | 'store' | 'attachments' | 'picture'>
  homelab: Pick<ComposedHomelab, 'cluster'>
  watch: Pick<Watch, 'present'>
  push: WebPush
  transcribe: TalkPorts['transcribe']
  /** True if a person is told of a matter that another person (`asker`) began. */
  hears(person: string, asker: string | undefined): boolean
  /** The channels of all rooms. */
  registered: Pick<Registry<ChannelKind>, 'list' | 'get'>
  /** Channels in place of the shipped ones. */
  shipped?: readonly ChannelKind[] | undefined
}

/**
 * The channels: people are told over them, paired with them, talk and decide over them. Hears `cards.changed`, `questions.changed`,
 * `changes.going_back`, `notice.due`, `alert.due` and `files.changed`; tells `alert.told`.
 */
export const channelsRoom = defineRoom({
  name: 'channels',
  open(needs: ChannelsNeeds) {
    const { foundation, config, facts, people, gate, push } = needs
    const { database, clock, redact, hide, activity, report, now, redactor } = foundation
    const of = { ...config, dataDir: foundation.dataDir }
    const record = (body: Record<string, unknown>) => foundation.journal.append('channel', redactor.value(body))
    const changed = () => activity.changed({ what: 'channels' })
    const nameOf = (person: string) => people.find(person)?.name ?? person
    const rules = keptRules(foundation.settings)
    const stores = storesOf(foundation)
    const channels = createChannels({
      ...stores,
      clock,
      hide,
      report,
      record,
      changed,
      redact,
      nameOf,
      settings: foundation.settings,
      kinds: needs.registered,
      read: (channel) => channelSettings(of, channel),
      atomically: database.atomically,
      afterCommit: database.afterCommit,
      untilFree: database.untilFree,
      durably: database.durably,
      say: createSpeech(redact),
      tell: createTelling(redact),
      house: createTalkPorts(foundation, { ...needs, alerts: needs.watch.present }),
      rules: rules.now,
      ...openMatters(foundation),
      decide: ({ remember, ...request }) =>
        gate.confirmations.decide({ ...request, once: { isAnswered: () => false, remember } }),
      seen: (toolUseId) => gate.confirmations.seen(undefined, toolUseId),
      mayDecide(person) {
        const found = people.find(person)
        return found?.id === person && isAtLeast(found.role, 'operator')
      },
      hears: needs.hears,
      left: push.left,
      firstOwner: firstOwnerId,
      announce: foundation.announce('channel'),
      publicUrl: config.publicUrl,
    })
    const desk = createDesk({
      ...stores,
      channels,
      record,
      hide,
      redact,
      now,
      changed,
      nameOf,
      requireAgent: (id) => void needs.agents.require(id),
      hasPublicUrl: config.publicUrl !== undefined,
      durably: database.durably,
      save: (channel, values) => saveChannel(of, channel, values),
      rules: rules.now,
      setRules: rules.set,
    })
    tellOfFacts(facts, channels)
    facts.on('files.changed', () => void channels.reload())
    return {
      channels,
      desk,
      contributes: {
        channels: needs.shipped ?? channelKinds,
        routes: [
          ...channelRoutes(desk, needs.stepUp, createRateLimit({ perMs: 60_000, now })),
          ...push.routesFor(channels),
          ...transcriptionRoutes(needs.transcribe),
        ],
        offboarding: [
          {
            name: 'channels',
            endAccess: channels.forgetPerson,
            leave: channels.removePerson,
          },
        ],
      },
      resume() {
        void channels.resume()
        // The last process may have ended between storing a card and putting its message into the outbox, which takes each once.
        channels.waiting(gate.confirmations.pending())
      },
      start: () => channels.directory.start(),
      stop: () => channels.stop(),
    }
  },
})

const storesOf = ({ database }: Pick<Foundation, 'database'>) => ({
  outbox: new SqliteOutboxStore(database),
  recipients: createRecipientStore(database),
  pairings: createPairingStore(database),
  nonces: createNonceStore(database),
  chats: createChatStore(database),
  choices: createChoiceStore(database),
  heard: createHeardStore(database),
})

/** The state of the matters that a message may ask about: cards, questions and changes that go back. */
function openMatters({
  database,
  now,
}: Pick<Foundation, 'database' | 'now'>): Pick<Parameters<typeof createChannels>[0], 'cardOf' | 'isOpen'> {
  const cards = new SqliteConfirmationStore(database)
  const questions = createQuestionStore(database)
  const changes = createChangeStore(database)
  return {
    cardOf(toolUseId) {
      const found = cards.get(toolUseId)
      if (found === undefined) return undefined
      const { card, bindingHash, resolution } = found
      return { card, bindingHash, isDecided: resolution !== undefined, ending: resolution }
    },
    isOpen({ kind, id }) {
      if (kind === 'question') {
        const question = questions.get(id)
        return question !== undefined && question.resolution === undefined
      }
      const change = changes.get(id)
      return change?.state === 'armed' && (change.goesBackAt ?? 0) > now()
    },
  }
}

const rulesKey = 'channel_rules'
const noRules: ChannelRules = { routes: [], escalation: {} }

/** The rules for channels, kept in the settings. Rules that cannot be read count as no rules. */
function keptRules(settings: Foundation['settings']) {
  let rules: ChannelRules | undefined
  function read(): ChannelRules {
    const kept = settings.get(rulesKey)
    const parsed = kept === undefined ? undefined : ChannelRules.safeParse(JSON.parse(kept))
    return parsed?.success === true ? parsed.data : noRules
  }
  return {
    now(): ChannelRules {
      rules ??= read()
      return rules
    },
    set(next: ChannelRules) {
      settings.set(rulesKey, JSON.stringify(next))
      rules = next
    },
  }
}

/** Age up to which a conversation on a channel finds a question, ms. */
const questionsForMs = 2 * 24 * 60 * 60_000

/** The parts of the house that conversations on channels use. */
function createTalkPorts(
  foundation: Pick<Foundation, 'redactor' | 'now'>,
  parts: {
    /** undefined: no server for speech is set. */
    transcribe: TalkPorts['transcribe']
    sessions: Pick<ComposedRuns, 'runs' | 'store' | 'attachments' | 'picture'>
    agents: ActiveAgents
    gate: Pick<Gate, 'confirmations' | 'questions' | 'sightOf'>
    homelab: Pick<ComposedHomelab, 'cluster'>
    alerts(): Parameters<typeof clusterSummary>[1]
  },
): TalkPorts {
  const wire = (entry: Parameters<typeof wireEntry>[0]) => wireEntry(entry, foundation.redactor)
  const store = () => parts.sessions.store
  return {
    start: (said) => parts.sessions.runs.start(said),
    upload: async (by, file) => (await parts.sessions.attachments.upload(by, file)).id,
    abort: (sessionId, by) => parts.sessions.runs.abort(sessionId, by),
    held(sessionId, by) {
      const { runs } = parts.sessions
      const messages = runs.queued(sessionId).filter((message) => message.heldBy !== undefined && message.by === by)
      return messages.map(({ messageId, text }) => ({
        text,
        send: () => runs.sendHeld(sessionId, messageId, by),
        drop: () => runs.unqueue(sessionId, messageId),
      }))
    },
    agentFor: (arrival) => chosenFor(parts.agents.list(), { door: 'channel', ...arrival })[0].agent,
    hasAgent: (id) => parts.agents.find(id) !== undefined,
    session(id) {
      const found = store().session(id)
      return found && { title: found.title, agent: found.agent, isRunning: parts.sessions.runs.isRunning(id) }
    },
    // To have sent a card is not to have shown it: its time begins at a screen, or at a tap.
    watch: (sessionId, tell) => parts.sessions.runs.watch(sessionId, { isOperator: false, tell }).end,
    entriesFrom: (sessionId, from, limit) => store().entriesFrom(sessionId, from, limit).map(wire),
    entry(sessionId, seq) {
      const found = store().entry(sessionId, seq)
      return found && wire(found)
    },
    entriesOfRun: (runId) => store().entriesOfRun(runId).map(wire),
    picture: (sessionId, id) => parts.sessions.picture(sessionId, id),
    waiting: () => parts.gate.confirmations.pending(),
    questions: (sessionId) => parts.gate.questions.open(sessionId),
    question(questionId) {
      const found = parts.gate.questions
        .list(foundation.now() - questionsForMs)
        .find((one) => one.questionId === questionId)
      return found && { question: found, sessionId: found.sessionId, isOpen: found.end === undefined }
    },
    answer: ({ remember, ...request }) =>
      parts.gate.questions.answer({ ...request, once: { isAnswered: () => false, remember } }),
    status(person) {
      const { homelab, gate, alerts } = parts
      const sees = gate.sightOf({ person })
      const state = homelab.cluster.state()
      return sees === undefined ? clusterSummary(state, alerts()) : clusterSummary(sees(state), [])
    },
    transcribe: parts.transcribe,
  }
}
