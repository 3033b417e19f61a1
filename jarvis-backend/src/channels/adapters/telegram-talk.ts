import type { Choice, Delivery, PairedChat, Reply } from '../channel.ts'
import { attempted } from '../post.ts'
import { type CallOptions, refusalOf, type TelegramApi } from './telegram-api.ts'
import { htmlOf } from './telegram-html.ts'
import type { Message } from './telegram-incoming.ts'

/** Longest text of a part, characters. Telegram allows 4,096, and the conversion of Markdown to HTML adds some. */
export const mostChars = 3_600
/** Pictures up to this size are sent as photos, larger ones as files. Bytes. */
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

/**
 * Sends and edits messages in Telegram chats: answers, previews of unfinished answers, pictures. Also downloads files that people sent. Converts
 * Markdown to Telegram's HTML.
 */
export class TelegramTalk {
  readonly #api: TelegramApi
  /** False: the server of the bot API is too old for drafts, so a message is edited instead. */
  #hasDrafts = true

  constructor(api: TelegramApi) {
    this.#api = api
  }

  say(reply: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery> {
    return attempted(async () => {
      if (reply.replaces === undefined) return this.#send(reply, to, signal)
      const done = await this.#edit(reply, { to, ref: reply.replaces }, signal)
      // The message that showed the answer while it was written may have been deleted.
      return done.kind === 'failed' ? this.#send(reply, to, signal) : done
    })
  }

  resay(reply: Reply, sent: { to: PairedChat; ref: string }, signal: AbortSignal): Promise<Delivery> {
    return attempted(() => this.#edit(reply, sent, signal))
  }

  preview(text: string, at: { to: PairedChat; id: number; ref?: string }, signal: AbortSignal): Promise<Delivery> {
    return attempted(async () => {
      const { to, id, ref } = at
      if (this.#hasDrafts) {
        const { text: html, parse_mode } = textOf(text)
        const params = { ...placeOf(to), draft_id: id, text: html, parse_mode, can_stop: true }
        const reply = await this.#api.call('sendMessageDraft', params, { signal })
        if (reply.status !== 404) return refusalOf(reply) ?? { kind: 'sent' }
        this.#hasDrafts = false
      }
      if (ref !== undefined) return this.#edit({ text, choices: [] }, { to, ref }, signal)
      const params = { ...placeOf(to), ...textOf(text), protect_content: true, disable_notification: true }
      return this.#sent('sendMessage', params, { signal })
    })
  }

  async file(ref: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
    const { ok, result } = await this.#api.call('getFile', { file_id: ref }, { signal })
    const path = ok === true ? (result as { file_path?: string }).file_path : undefined
    // The file's URL holds the token, so no error may quote it.
    if (path === undefined || !/^[\w./-]+$/.test(path) || path.includes('..'))
      throw new Error('Telegram has the file no more')
    return this.#api.read(path, mostBytes, signal)
  }

  #send({ text, choices, picture, document }: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery> {
    const buttons = choices.length > 0 ? { reply_markup: keyboardOf(choices) } : {}
    const common = { ...placeOf(to), protect_content: true, ...buttons }
    if (document !== undefined) {
      const file = { field: 'document', name: document.name, picture: document }
      return this.#sent('sendDocument', common, { signal, file, patienceMs: 60_000 })
    }
    if (picture === undefined) return this.#sent('sendMessage', { ...common, ...textOf(text) }, { signal })
    const isPhoto = picture.data.length <= largestPhoto && picture.mimeType !== 'image/gif'
    const field = isPhoto ? 'photo' : 'document'
    const file = { field, name: `picture.${endings[picture.mimeType] ?? 'bin'}`, picture }
    return this.#sent(isPhoto ? 'sendPhoto' : 'sendDocument', common, { signal, file, patienceMs: 60_000 })
  }

  async #sent(method: string, params: object, options: CallOptions): Promise<Delivery> {
    const reply = await this.#api.call(method, params, options)
    return refusalOf(reply) ?? { kind: 'sent', ref: String((reply.result as Message).message_id) }
  }

  async #edit(
    { text, choices }: { text: string; choices: readonly Choice[] },
    { to, ref }: { to: PairedChat; ref: string },
    signal: AbortSignal,
  ): Promise<Delivery> {
    const { chat_id } = placeOf(to)
    const params = { chat_id, message_id: Number(ref), ...textOf(text), reply_markup: keyboardOf(choices) }
    const reply = await this.#api.call('editMessageText', params, { signal })
    if (reply.description?.includes('message is not modified')) return { kind: 'sent', ref }
    return refusalOf(reply) ?? { kind: 'sent', ref }
  }
}
