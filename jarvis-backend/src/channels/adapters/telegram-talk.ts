import type { Channel, Choice, Delivery, PairedChat, Reply } from '../channel.ts'
import { attempted, readBytes } from '../post.ts'
import { type Call, refusalOf, type TelegramApi } from './telegram-api.ts'
import { htmlOf } from './telegram-html.ts'
import type { Message } from './telegram-incoming.ts'

/** Longest text of a message is 4096; some characters more are added where Markdown becomes HTML. */
export const mostChars = 3_600
/** Pictures up to this size are shown as such, larger ones as files. */
const largestPhoto = 10 * 1024 * 1024
const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
}

const placeOf = ({ chat, thread }: PairedChat) => ({
  chat_id: Number(chat),
  ...(thread !== undefined && { message_thread_id: Number(thread) }),
})
const textOf = (text: string) => ({
  text: htmlOf(text) || '…',
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
})
const keyboardOf = (choices: readonly Choice[]) => ({
  inline_keyboard: choices.map(({ label, token }) => [{ text: label, callback_data: token }]),
})

/** Conversation over Telegram: messages in HTML of our own making, drafts, pictures, files. */
export function telegramTalk({
  call,
  fileBase,
}: Pick<TelegramApi, 'call' | 'fileBase'>): Required<Pick<Channel, 'say' | 'resay' | 'preview' | 'file'>> {
  /** False: an older server of the bot API knows no drafts, so a message is edited. */
  let hasDrafts = true

  async function sent(
    method: string,
    params: object,
    signal: AbortSignal,
    file?: Parameters<Call>[3],
  ): Promise<Delivery> {
    const reply = await call(method, params, signal, file)
    return refusalOf(reply) ?? { kind: 'sent', ref: String((reply.result as Message).message_id) }
  }
  async function edited(text: string, to: PairedChat, ref: string, choices: readonly Choice[], signal: AbortSignal) {
    const { chat_id } = placeOf(to)
    const params = { chat_id, message_id: Number(ref), ...textOf(text), reply_markup: keyboardOf(choices) }
    const reply = await call('editMessageText', params, signal)
    if (reply.description?.includes('message is not modified')) return { kind: 'sent', ref } as const
    return refusalOf(reply) ?? ({ kind: 'sent', ref } as const)
  }

  const send = ({ text, choices, picture }: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery> => {
    const buttons = choices.length > 0 ? { reply_markup: keyboardOf(choices) } : {}
    const common = { ...placeOf(to), protect_content: true, ...buttons }
    if (picture === undefined) return sent('sendMessage', { ...common, ...textOf(text) }, signal)
    const isPhoto = picture.data.length <= largestPhoto && picture.mimeType !== 'image/gif'
    const field = isPhoto ? 'photo' : 'document'
    const file = { field, name: `picture.${endings[picture.mimeType] ?? 'bin'}`, picture }
    return sent(isPhoto ? 'sendPhoto' : 'sendDocument', common, signal, { file, patienceMs: 60_000 })
  }

  return {
    say: (reply, to, signal) =>
      attempted(async () => {
        if (reply.replaces === undefined) return send(reply, to, signal)
        const done = await edited(reply.text, to, reply.replaces, reply.choices, signal)
        // The message that showed it may be gone.
        return done.kind === 'failed' ? send(reply, to, signal) : done
      }),
    resay: ({ text, choices }, to, ref, signal) => attempted(() => edited(text, to, ref, choices, signal)),
    preview: (text, to, { id, ref }, signal) =>
      attempted(async () => {
        if (hasDrafts) {
          const { text: html, parse_mode } = textOf(text)
          const reply = await call(
            'sendMessageDraft',
            { ...placeOf(to), draft_id: id, text: html, parse_mode, can_stop: true },
            signal,
          )
          if (reply.status !== 404) return refusalOf(reply) ?? { kind: 'sent' }
          hasDrafts = false
        }
        if (ref !== undefined) return edited(text, to, ref, [], signal)
        return sent(
          'sendMessage',
          { ...placeOf(to), ...textOf(text), protect_content: true, disable_notification: true },
          signal,
        )
      }),
    async file(ref, mostBytes, signal) {
      const { ok, result } = await call('getFile', { file_id: ref }, signal)
      const path = ok === true ? (result as { file_path?: string }).file_path : undefined
      // The address holds the token, so no error may quote it.
      if (path === undefined || !/^[\w./-]+$/.test(path) || path.includes('..'))
        throw new Error('Telegram has the file no more')
      return readBytes(`${fileBase}/${path}`, mostBytes, signal)
    },
  }
}
