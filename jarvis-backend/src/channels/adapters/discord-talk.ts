import { createHash } from 'node:crypto'
import type { Address, Choice, Delivery, Document, PairedChat, Reply } from '../channel.ts'
import { attempted, readBytes } from '../post.ts'
import { type DiscordApi, refusalOf } from './discord-api.ts'
import type { Message } from './discord-incoming.ts'
import { discordMarkdown } from './discord-markdown.ts'

/** Longest text of a part, characters. Discord allows 2,000, and the conversion to its Markdown adds escapes. */
export const mostChars = 1_600
const mostContent = 2_000
const inARow = 5
const mostRows = 5
const noEmbeds = 1 << 2
const silent = 1 << 12
const unknownMessage = 10_008
const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
}

/** The nonce of a message, the same in every attempt. Discord answers a second attempt with the message that it already has. */
export const nonceOf = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 24)

function bodyOf(text: string, choices: readonly Choice[]) {
  const content = discordMarkdown(text) || '…'
  const buttons = choices
    .slice(0, inARow * mostRows)
    .map(({ label, token }) => ({ type: 2, style: 2, label, custom_id: token }))
  const rows = Array.from({ length: Math.ceil(buttons.length / inARow) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * inARow, (row + 1) * inARow),
  }))
  return {
    content: content.length <= mostContent ? content : `${content.slice(0, mostContent - 1).toWellFormed()}…`,
    components: rows,
    allowed_mentions: { parse: [] },
    flags: noEmbeds,
  }
}

/**
 * Sends and edits messages in Discord chats: answers in Markdown, and pictures. Also downloads files that people sent. While an answer is written,
 * its message is edited repeatedly.
 */
export class DiscordTalk {
  readonly #api: DiscordApi
  readonly #isFileHost: (host: string) => boolean

  /** @param isFileHost returns true if a host is one where Discord keeps files */
  constructor(api: DiscordApi, isFileHost: (host: string) => boolean) {
    this.#api = api
    this.#isFileHost = isFileHost
  }

  say(reply: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery> {
    return attempted(async () => {
      if (reply.replaces === undefined) return this.#send(reply, to, signal)
      const body = bodyOf(reply.text, reply.choices)
      const done = await this.#edit({ to, ref: reply.replaces }, body, signal)
      // The message that showed the answer while it was written may have been deleted.
      return done.kind === 'failed' ? this.#send(reply, to, signal) : done
    })
  }

  resay({ text, choices }: Reply, sent: { to: PairedChat; ref: string }, signal: AbortSignal): Promise<Delivery> {
    return attempted(() => this.#edit(sent, bodyOf(text, choices), signal))
  }

  preview(text: string, { to, ref }: { to: PairedChat; ref?: string }, signal: AbortSignal): Promise<Delivery> {
    return attempted(() => {
      const body = bodyOf(text, [])
      return ref === undefined
        ? this.#post(to, { ...body, flags: noEmbeds | silent }, signal)
        : this.#edit({ to, ref }, body, signal)
    })
  }

  async file(ref: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
    const [chat = '', message = '', id] = ref.split('/')
    // The URLs of files expire after a day, so the message is read again for a new URL.
    const path = `${messagesOf({ chat })}/${encodeURIComponent(message)}`
    const reply = await this.#api.call({ method: 'GET', path }, signal)
    const found = ((reply.body as Message | undefined)?.attachments ?? []).find((one) => one.id === id)
    if (found === undefined || !URL.canParse(found.url) || !this.#isFileHost(new URL(found.url).host))
      throw new Error('Discord has the file no more')
    return readBytes(found.url, mostBytes, signal)
  }

  #send({ id, text, choices, picture, document }: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery> {
    const { content, ...rest } = bodyOf(text, choices)
    const file = document ?? (picture && { ...picture, name: `picture.${endings[picture.mimeType] ?? 'bin'}` })
    const body = {
      ...rest,
      ...((file === undefined || text !== '') && { content }),
      nonce: nonceOf(id),
      enforce_nonce: true,
    }
    return this.#post(to, file === undefined ? body : formOf(body, file), signal)
  }

  async #post(to: PairedChat, body: object | FormData, signal: AbortSignal): Promise<Delivery> {
    const reply = await this.#api.call({ method: 'POST', path: messagesOf(to), body }, signal)
    return refusalOf(reply) ?? { kind: 'sent', ref: (reply.body as Message).id }
  }

  async #edit({ to, ref }: { to: PairedChat; ref: string }, body: object, signal: AbortSignal): Promise<Delivery> {
    const path = `${messagesOf(to)}/${encodeURIComponent(ref)}`
    const reply = await this.#api.call({ method: 'PATCH', path, body }, signal)
    if (reply.code === unknownMessage) return { kind: 'failed', why: 'its message was deleted' }
    return refusalOf(reply) ?? { kind: 'sent', ref }
  }
}

/** The path of a chat's messages. */
export const messagesOf = ({ chat }: Pick<Address, 'chat'>): string => `/channels/${encodeURIComponent(chat)}/messages`

function formOf(body: object, { name, mimeType, data }: Document): FormData {
  const form = new FormData()
  form.set('payload_json', JSON.stringify({ ...body, attachments: [{ id: 0, filename: name }] }))
  form.set('files[0]', new Blob([new Uint8Array(data)], { type: mimeType }), name)
  return form
}
