import type { Clock } from '../../lib/clock.ts'
import { addressProblem, baseOf } from '../addresses.ts'
import type {
  Address,
  Answered,
  Channel,
  ChannelKind,
  Delivery,
  Group,
  Health,
  Heard,
  Incoming,
  Outgoing,
  PairedChat,
  Reply,
  SentMessage,
} from '../channel.ts'
import { attempted } from '../post.ts'
import type { Told } from '../spoken.ts'
import { DiscordApi, type DiscordReply, refusalOf } from './discord-api.ts'
import { DiscordGateway, type GatewayStarts } from './discord-gateway.ts'
import { DiscordGroups } from './discord-groups.ts'
import { type Interaction, incomingOf, type Message, type User } from './discord-incoming.ts'
import { escaped } from './discord-markdown.ts'
import { DiscordTalk, messagesOf, mostChars, nonceOf } from './discord-talk.ts'

const publicBase = 'https://discord.com/api/v10'
/** The hosts where Discord keeps files. */
const fileHosts = new Set(['cdn.discordapp.com', 'media.discordapp.net'])
const mostContent = 2_000
/** Flags of messages: no previews of links, visible only to the person who tapped, and no sound. */
const flags = { noEmbeds: 1 << 2, onlyForWhoTapped: 1 << 6, silent: 1 << 12 }
/** Pings nobody, whatever the text holds. */
const quietly = { allowed_mentions: { parse: [] } }
const styles = { deny: 2, approve: 4, look: 2, link: 5 }
const errors = { unknownInteraction: 10_062, alreadyAnswered: 40_060, unknownMessage: 10_008 }

/** Returns true if Discord accepts the URL for a button. Otherwise the URL is shown as a line of the text. */
const isButtonAddress = (link: string) => /^https:\/\/[^/:]+\.[a-z]{2,}(?:[/:]|$)/i.test(link)

/** The text of a message. All its lines are escaped, and lines that do not fit are left out. */
export function contentOf({ title, lines, link, isOver }: Outgoing): string {
  const head = isOver ? `~~${escaped(title)}~~` : `**${escaped(title)}**`
  const tail = link !== undefined && !isOver && !isButtonAddress(link) ? `\n<${link}>` : ''
  let content = head
  for (const line of lines) {
    const more = `\n${escaped(line)}`
    if (content.length + more.length + tail.length + 2 > mostContent) {
      content += '\n…'
      break
    }
    content += more
  }
  return content + tail
}

function componentsOf({ buttons, link, isOver }: Outgoing): object[] {
  if (isOver) return []
  const deeds = buttons.map(({ label, token, does }) => ({ type: 2, style: styles[does], label, custom_id: token }))
  const canLook = buttons.some(({ does }) => does === 'look')
  const look =
    link !== undefined && !canLook && isButtonAddress(link)
      ? [{ type: 2, style: styles.link, label: 'Open', url: link }]
      : []
  return deeds.length + look.length === 0 ? [] : [{ type: 1, components: [...deeds, ...look] }]
}

/** Discord, by API 10: messages through REST, taps and texts through the gateway. JARVIS opens all connections, and Discord opens none to JARVIS. */
export const discord: ChannelKind = {
  id: 'discord',
  name: 'Discord',
  readers: 'JARVIS calls out, nothing calls in. Discord can read these chats.',
  capabilities: {
    decidesAtMost: 'approve',
    isIdempotent: true,
    pairs: true,
    hidesNames: false,
    looks: true,
    groups: true,
    talks: { mostChars, streams: 'edit', hasVoice: true, mostFileBytes: 9 * 1024 ** 2 },
  },
  settings: [
    {
      name: 'TOKEN',
      label: 'Token of the bot',
      isRequired: true,
      example: 'MTA4…',
      problem: (value) =>
        /^[\w-]{18,40}\.[\w-]{4,10}\.[\w-]{20,60}$/.test(value)
          ? undefined
          : 'must be a token as the developer portal gives it',
    },
    { name: 'URL', label: 'Server of the API', isRequired: false, example: publicBase, problem: addressProblem },
  ],
  open: ({ TOKEN: token = '', URL: url = publicBase }, { clock, problem }) =>
    new DiscordChannel({ token, url, clock, problem }),
}

type DiscordParts = { token: string; url: string; clock: Clock; problem(why: string | undefined): void }
type GatewayEvent = { incoming: Incoming; data: unknown }

/** One bot at Discord. */
class DiscordChannel implements Channel {
  readonly place: string
  readonly #parts: DiscordParts
  readonly #api: DiscordApi
  readonly #talk: DiscordTalk
  readonly #groups: DiscordGroups
  readonly #isEncrypted: boolean
  /** The id of the bot's application; undefined until Discord sends it. */
  #application: string | undefined

  constructor(parts: DiscordParts) {
    const { token, url, clock } = parts
    const { host, protocol } = new URL(url)
    this.place = host
    this.#parts = parts
    this.#isEncrypted = protocol === 'https:'
    this.#api = new DiscordApi({ base: baseOf(url), token, clock })
    this.#talk = new DiscordTalk(this.#api, (of) => (this.#isEncrypted ? fileHosts.has(of) : of === host))
    this.#groups = new DiscordGroups(this.#api)
  }

  deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery> {
    return attempted(() => this.#deliver(message, to, signal))
  }

  revise(message: Outgoing, { to, ref }: SentMessage, signal: AbortSignal): Promise<Delivery> {
    return attempted(async () => {
      // The nonce finds a message that was sent but not recorded because of a crash. Discord remembers it for some minutes. Later a second message
      // appears, which is marked as over.
      const sent = ref === undefined ? await this.#deliver(message, to, signal) : { kind: 'sent' as const, ref }
      if (sent.kind !== 'sent' || sent.ref === undefined) return sent
      const path = `${messagesOf(to)}/${encodeURIComponent(sent.ref)}`
      const reply = await this.#api.call({ method: 'PATCH', path, body: { ...quietly, ...shownOf(message) } }, signal)
      if (reply.code === errors.unknownMessage) return { kind: 'failed', why: 'its message was deleted' }
      return refusalOf(reply) ?? (ref === undefined ? sent : { kind: 'sent' })
    })
  }

  say(reply: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery> {
    return this.#talk.say(reply, to, signal)
  }

  resay(reply: Reply, sent: { to: PairedChat; ref: string }, signal: AbortSignal): Promise<Delivery> {
    return this.#talk.resay(reply, sent, signal)
  }

  preview(text: Told, at: { to: PairedChat; id: number; ref?: string }, signal: AbortSignal): Promise<Delivery> {
    return this.#talk.preview(text, at, signal)
  }

  file(ref: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
    return this.#talk.file(ref, mostBytes, signal)
  }

  groups(signal: AbortSignal): Promise<Group[]> {
    return this.#groups.list(signal)
  }

  group(id: string, signal: AbortSignal): Promise<Group> {
    return this.#groups.find(id, signal)
  }

  async incoming(heard: Heard, cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const { token, clock, problem } = this.#parts
    // Discord does not send the application's id again if a session is resumed after a restart.
    if (cursor !== undefined) await this.health(signal).catch(() => undefined)
    await new DiscordGateway({
      token,
      clock,
      signal,
      cursor,
      problem,
      starts: () => this.#starts(signal),
      isTrusted: (place) => URL.canParse(place) && (new URL(place).protocol === 'wss:' || !this.#isEncrypted),
      event: (name, data, next) => {
        const take = this.#take(name, data, signal)
        return () => take(heard, next)
      },
    }).follow()
  }

  pairingLink(): string | undefined {
    return this.#application === undefined ? undefined : `https://discord.com/users/${this.#application}`
  }

  async health(signal: AbortSignal): Promise<Health> {
    const reply = await this.#api.call({ method: 'GET', path: '/applications/@me' }, signal)
    const refusal = refusalOf(reply)
    if (refusal !== undefined) return { problem: refusal.why }
    const { id, bot } = reply.body as { id: string; bot?: User }
    this.#application = id
    return bot === undefined ? {} : { account: `@${bot.username}` }
  }

  async #deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery> {
    const shown = shownOf(message)
    const reply = await this.#post(
      to,
      {
        ...shown,
        nonce: nonceOf(message.id),
        enforce_nonce: true,
        flags: shown.flags | (message.level === 'info' ? flags.silent : 0),
      },
      signal,
    )
    return refusalOf(reply) ?? { kind: 'sent', ref: (reply.body as Message).id }
  }

  #post(to: Pick<Address, 'chat'>, body: object, signal: AbortSignal): Promise<DiscordReply> {
    return this.#api.call({ method: 'POST', path: messagesOf(to), body: { ...quietly, ...body } }, signal)
  }

  /** Asks Discord for the address to sign in at and the number of sign-ins that are left. @throws Error with a message for people */
  async #starts(signal: AbortSignal): Promise<GatewayStarts> {
    const reply = await this.#api.call({ method: 'GET', path: '/gateway/bot' }, signal)
    const refusal = refusalOf(reply)
    if (refusal !== undefined) throw new Error(refusal.why)
    const { url, session_start_limit: limit } = reply.body as {
      url: string
      session_start_limit: { remaining: number; reset_after: number }
    }
    return { url, remaining: limit.remaining, resetAfterMs: limit.reset_after }
  }

  /** Acknowledges a tap at once. @returns a function that handles the event; it is called after the earlier events were handled */
  #take(name: string, data: unknown, signal: AbortSignal): (heard: Heard, cursor: string) => Promise<void> {
    if (name === 'READY') this.#application = (data as { application: { id: string } }).application.id
    const incoming = incomingOf(name, data, this.#application)
    const deferred = incoming.kind === 'tap' ? this.#defer(data as Interaction, signal) : undefined
    return async (heard, cursor) => {
      // If Discord told the person that the press failed, the press must decide nothing, because the person may press again.
      const isLost = (await deferred) === false
      const taken: Incoming = isLost ? { kind: 'other' } : await this.#byOurClock(incoming, signal)
      const { answer, link } = await heard({ ...taken, cursor })
      if (answer === undefined || signal.aborted) return
      // An answer that comes too late fails. Nothing else depends on it.
      await this.#tell({ answer, link }, { incoming, data }, signal).catch(() => undefined)
    }
  }

  /**
   * Acknowledges a tap within Discord's limit of 3 s, without an answer. @returns false if Discord gave the tap up and told the person that it
   * failed
   */
  async #defer({ id, token }: Interaction, signal: AbortSignal): Promise<boolean> {
    const path = `/interactions/${encodeURIComponent(id)}/${encodeURIComponent(token)}/callback`
    try {
      const { status, code } = await this.#api.respond(path, { type: 6 }, signal)
      return (status >= 200 && status < 300) || code === errors.alreadyAnswered
    } catch {
      return false
    }
  }

  /**
   * Converts the time of a message from Discord's clock to JARVIS's, so that the message's age does not depend on a wrong clock. @throws the
   * signal's reason
   */
  async #byOurClock(incoming: Incoming, signal: AbortSignal): Promise<Incoming> {
    if (incoming.kind !== 'text') return incoming
    const aheadMs = await this.#api.aheadMs(signal)
    // Throw if JARVIS is stopping: the next start receives the message again.
    signal.throwIfAborted()
    return { ...incoming, at: incoming.at + aheadMs }
  }

  async #tell({ answer, link }: Answered, { incoming, data }: GatewayEvent, signal: AbortSignal): Promise<void> {
    if (incoming.kind !== 'tap') {
      const chat = 'from' in incoming ? incoming.from?.chat : undefined
      if (chat !== undefined) await this.#post({ chat }, { content: escaped(answer), flags: flags.noEmbeds }, signal)
      return
    }
    const { application_id, token } = data as Interaction
    const content = `${escaped(answer)}${link === undefined ? '' : `\n<${link}>`}`
    const body = { ...quietly, content, flags: flags.onlyForWhoTapped }
    const path = `/webhooks/${encodeURIComponent(application_id)}/${encodeURIComponent(token)}`
    await this.#api.respond(path, body, signal)
  }
}

/** The parts of a message that a person sees. */
const shownOf = (message: Outgoing) => ({
  content: contentOf(message),
  components: componentsOf(message),
  flags: flags.noEmbeds,
})
