import { addressProblem } from '../addresses.ts'
import type { Channel, ChannelKind, Group } from '../channel.ts'
import { attempted } from '../post.ts'
import { createTelegramApi, refusalOf } from './telegram-api.ts'
import { isGroup, isIn, type Message } from './telegram-incoming.ts'
import { keyboardOf, messageTo, noticeOf } from './telegram-notice.ts'
import { pollUpdates } from './telegram-poll.ts'
import { mostChars, telegramTalk } from './telegram-talk.ts'

const publicBase = 'https://api.telegram.org'

/** Telegram's bot API 10, by long poll alone: JARVIS calls out, nothing calls in. */
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
    talks: { mostChars, streams: 'draft', hasVoice: true },
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
  open({ TOKEN: token = '', URL: url = publicBase }, { problem, clock }): Channel {
    const api = createTelegramApi(url, token)
    const { call } = api
    let bot: string | undefined

    async function learnBot(signal: AbortSignal) {
      if (bot !== undefined) return
      const { ok, result } = await call('getMe', {}, signal)
      if (ok === true) bot = (result as { username?: string }).username
    }

    return {
      ...telegramTalk(api),
      place: new URL(url).host,
      deliver: (message, to, signal) =>
        attempted(async () => {
          const keyboard = keyboardOf(message)
          const reply = await call(
            'sendMessage',
            {
              ...messageTo(to),
              text: noticeOf(message),
              protect_content: true,
              disable_notification: message.level === 'info',
              ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
            },
            signal,
          )
          return refusalOf(reply) ?? { kind: 'sent', ref: String((reply.result as Message).message_id) }
        }),
      revise: (message, to, ref, signal) =>
        attempted(async () => {
          if (ref === undefined) return { kind: 'failed', why: 'its message is not known' }
          const keyboard = { inline_keyboard: keyboardOf(message) }
          const params = { ...messageTo(to), message_id: Number(ref), text: noticeOf(message), reply_markup: keyboard }
          const reply = await call('editMessageText', params, signal)
          if (reply.description?.includes('message is not modified')) return { kind: 'sent' }
          return refusalOf(reply) ?? { kind: 'sent' }
        }),
      incoming: (heard, cursor, signal) => pollUpdates({ api, clock, problem, learnBot }, heard, cursor, signal),
      async group(id, signal): Promise<Group> {
        if (!/^-\d{1,20}$/.test(id)) throw new Error('the id of a group is a number that begins with a minus')
        const found = await call('getChat', { chat_id: Number(id) }, signal)
        const member = await call('getChatMember', { chat_id: Number(id), user_id: api.userId }, signal)
        const chat = found.ok === true ? (found.result as Message['chat']) : undefined
        const status = member.ok === true ? (member.result as { status: string }) : undefined
        if (chat === undefined || !isGroup(chat) || status === undefined || !isIn(status))
          throw new Error('JARVIS is in no group of that id')
        return { id: String(chat.id), name: chat.title ?? '' }
      },
      pairingLink: (code) => (bot === undefined ? undefined : `https://t.me/${bot}?start=${code}`),
      async health(signal) {
        const reply = await call('getMe', {}, signal)
        const refusal = refusalOf(reply)
        if (refusal !== undefined) return { problem: refusal.why }
        bot = (reply.result as { username?: string }).username
        const account = bot === undefined ? {} : { account: `@${bot}` }
        const stolen = await api.webhook(signal)
        return stolen === undefined ? account : { ...account, problem: stolen }
      },
    }
  },
}
