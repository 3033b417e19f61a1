import type { Clock } from '../../lib/clock.ts'
import { addressProblem } from '../addresses.ts'
import type {
  Address,
  Channel,
  ChannelKind,
  Delivery,
  Group,
  Health,
  Heard,
  Outgoing,
  PairedChat,
  Reply,
  SentMessage,
} from '../channel.ts'
import { attempted } from '../post.ts'
import type { Told } from '../spoken.ts'
import { refusalOf, TelegramApi } from './telegram-api.ts'
import { isGroup, isIn, type Message } from './telegram-incoming.ts'
import { keyboardOf, messageTo, noticeOf } from './telegram-notice.ts'
import { TelegramPoll } from './telegram-poll.ts'
import { mostChars, TelegramTalk } from './telegram-talk.ts'

const publicBase = 'https://api.telegram.org'

/** Telegram, by bot API 10 and long polling alone. JARVIS opens all connections, and Telegram opens none to JARVIS. */
export const telegram: ChannelKind = {
  id: 'telegram',
  name: 'Telegram',
  readers: 'JARVIS calls out, nothing calls in. Telegram can read these chats.',
  capabilities: {
    decidesAtMost: 'approve',
    isIdempotent: false,
    pairs: true,
    hidesNames: false,
    looks: true,
    groups: true,
    talks: { mostChars, streams: 'draft', hasVoice: true, mostFileBytes: 45 * 1024 ** 2 },
  },
  settings: [
    {
      name: 'TOKEN',
      label: 'Token of the bot',
      isRequired: true,
      example: '123456789:AAE…',
      problem: (value) => (/^\d{5,}:[\w-]{35}$/.test(value) ? undefined : 'must be a token as @BotFather gives it'),
    },
    {
      name: 'URL',
      label: 'Server of the bot API',
      isRequired: false,
      example: publicBase,
      problem: addressProblem,
    },
  ],
  open: ({ TOKEN: token = '', URL: url = publicBase }, { clock, problem }) =>
    new TelegramChannel({ token, url, clock, problem }),
}

type TelegramParts = { token: string; url: string; clock: Clock; problem(why: string | undefined): void }

/** One bot at Telegram. */
class TelegramChannel implements Channel {
  readonly place: string
  readonly #parts: TelegramParts
  readonly #api: TelegramApi
  readonly #talk: TelegramTalk
  /** The bot's user name; undefined until Telegram sends it. */
  #bot: string | undefined

  constructor(parts: TelegramParts) {
    this.place = new URL(parts.url).host
    this.#parts = parts
    this.#api = new TelegramApi(parts.url, parts.token)
    this.#talk = new TelegramTalk(this.#api)
  }

  deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery> {
    return attempted(async () => {
      const keyboard = keyboardOf(message)
      const params = {
        ...messageTo(to),
        text: noticeOf(message),
        protect_content: true,
        disable_notification: message.level === 'info',
        ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
      }
      const reply = await this.#api.call('sendMessage', params, { signal })
      return refusalOf(reply) ?? { kind: 'sent', ref: String((reply.result as Message).message_id) }
    })
  }

  revise(message: Outgoing, { to, ref }: SentMessage, signal: AbortSignal): Promise<Delivery> {
    return attempted(async () => {
      if (ref === undefined) return { kind: 'failed', why: 'its message is not known' }
      const keyboard = { inline_keyboard: keyboardOf(message) }
      const params = { ...messageTo(to), message_id: Number(ref), text: noticeOf(message), reply_markup: keyboard }
      const reply = await this.#api.call('editMessageText', params, { signal })
      if (reply.description?.includes('message is not modified')) return { kind: 'sent' }
      return refusalOf(reply) ?? { kind: 'sent' }
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

  incoming(heard: Heard, cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const { clock, problem } = this.#parts
    const learnBot = () => this.#learnBot(signal)
    return new TelegramPoll({ api: this.#api, clock, problem, learnBot, heard, cursor, signal }).follow()
  }

  async group(id: string, signal: AbortSignal): Promise<Group> {
    if (!/^-\d{1,20}$/.test(id)) throw new Error('the id of a group is a number that begins with a minus')
    const chat_id = Number(id)
    const found = await this.#api.call('getChat', { chat_id }, { signal })
    const member = await this.#api.call('getChatMember', { chat_id, user_id: this.#api.userId }, { signal })
    const chat = found.ok === true ? (found.result as Message['chat']) : undefined
    const status = member.ok === true ? (member.result as { status: string }) : undefined
    if (chat === undefined || !isGroup(chat) || status === undefined || !isIn(status))
      throw new Error('JARVIS is in no group of that id')
    return { id: String(chat.id), name: chat.title ?? '' }
  }

  pairingLink(code: string): string | undefined {
    return this.#bot === undefined ? undefined : `https://t.me/${this.#bot}?start=${code}`
  }

  async health(signal: AbortSignal): Promise<Health> {
    const reply = await this.#api.call('getMe', {}, { signal })
    const refusal = refusalOf(reply)
    if (refusal !== undefined) return { problem: refusal.why }
    this.#bot = (reply.result as { username?: string }).username
    const account = this.#bot === undefined ? {} : { account: `@${this.#bot}` }
    const stolen = await this.#api.webhook(signal)
    return stolen === undefined ? account : { ...account, problem: stolen }
  }

  async #learnBot(signal: AbortSignal): Promise<void> {
    if (this.#bot !== undefined) return
    const { ok, result } = await this.#api.call('getMe', {}, { signal })
    if (ok === true) this.#bot = (result as { username?: string }).username
  }
}
