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
/** Where Discord keeps files. */
const fileHosts = new Set(['cdn.discordapp.com', 'media.discordapp.net'])
const mostContent = 2_000
/** No pictures of links, and for what is no news no sound. */
const flags = { noEmbeds: 1 << 2, onlyForWhoTapped: 1 << 6, silent: 1 << 12 }
/** Nobody is pinged, whatever a text holds. */
const quietly = { allowed_mentions: { parse: [] } }
const styles = { deny: 2, approve: 4, look: 2, link: 5 }
const errors = { unknownInteraction: 10_062, alreadyAnswered: 40_060, unknownMessage: 10_008 }

/** A button to a page is shown where Discord takes the address; otherwise the address is a line of the text. */
const isButtonAddress = (link: string) => /^https:\/\/[^/:]+\.[a-z]{2,}(?:[/:]|$)/i.test(link)

/** The text, of escaped lines alone; lines that have no room are left out. */
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

/** Discord's API 10: messages by REST, taps and texts by the gateway. JARVIS calls out, nothing calls in. */
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
    talks: { mostChars, streams: 'edit', hasVoice: true },
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
/** An event of the gateway. */
type GatewayEvent = { incoming: Incoming; data: unknown }

/** One bot at Discord. */
class DiscordChannel implements Channel {
  readonly place: string
  readonly #parts: DiscordParts
  readonly #api: DiscordApi
  readonly #talk: DiscordTalk
  readonly #groups: DiscordGroups
  readonly #isEncrypted: boolean
  /** The id of the bot's application; undefined until Discord tells it. */
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
      // Its nonce finds a message that a crash left unrecorded, for some minutes; later there is a second one, which is over.
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
    // A session that is resumed after a restart has told its application already.
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

  /** Asks where to sign in, and how often that may still be done. @throws Error in words */
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

  /** Defers a tap at once. @returns takes the event, in its turn */
  #take(name: string, data: unknown, signal: AbortSignal): (heard: Heard, cursor: string) => Promise<void> {
    if (name === 'READY') this.#application = (data as { application: { id: string } }).application.id
    const incoming = incomingOf(name, data, this.#application)
    const deferred = incoming.kind === 'tap' ? this.#defer(data as Interaction, signal) : undefined
    return async (heard, cursor) => {
      // Discord told the person that the press failed, so the press must decide nothing. The person may press again.
      const isLost = (await deferred) === false
      const taken: Incoming = isLost ? { kind: 'other' } : await this.#byOurClock(incoming, signal)
      const { answer, link } = await heard({ ...taken, cursor })
      if (answer === undefined || signal.aborted) return
      // An answer that comes too late fails, and that is all.
      await this.#tell({ answer, link }, { incoming, data }, signal).catch(() => undefined)
    }
  }

  /** Takes a tap within Discord's 3 s, without a word. @returns false if Discord has given the tap up and told the person that it failed */
  async #defer({ id, token }: Interaction, signal: AbortSignal): Promise<boolean> {
    const path = `/interactions/${encodeURIComponent(id)}/${encodeURIComponent(token)}/callback`
    try {
      const { status, code } = await this.#api.respond(path, { type: 6 }, signal)
      return (status >= 200 && status < 300) || code === errors.alreadyAnswered
    } catch {
      return false
    }
  }

  /** Corrects the time of a message, which is Discord's: the age of a message does not depend on JARVIS's clock. @throws the signal's reason */
  async #byOurClock(incoming: Incoming, signal: AbortSignal): Promise<Incoming> {
    if (incoming.kind !== 'text') return incoming
    const aheadMs = await this.#api.aheadMs(signal)
    // The message is handed over again after the next start.
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
