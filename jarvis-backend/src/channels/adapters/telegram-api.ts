import { baseOf } from '../addresses.ts'
import type { Delivery, Picture } from '../channel.ts'
import { ask, readBytes } from '../post.ts'

export type TelegramReply = {
  status: number
  /** The time of the answer by Telegram's own clock, Unix ms. */
  at?: number
  ok?: boolean
  result?: unknown
  description?: string
  parameters?: { retry_after?: number; migrate_to_chat_id?: number }
}
export type SentFile = { field: string; name: string; picture: Picture }
/** Options of a call. `file`: sent in addition to the parameters. `patienceMs`: the time that Telegram may take. */
export type CallOptions = { signal: AbortSignal; patienceMs?: number; file?: SentFile }

const unknownTokenMs = 60_000

/** Telegram's bot API. Its URLs hold the token, so no error may quote them. */
export class TelegramApi {
  /** The user id of the bot. */
  readonly userId: number
  readonly #base: string
  readonly #fileBase: string

  constructor(url: string, token: string) {
    this.userId = Number(token.split(':')[0])
    this.#base = `${baseOf(url)}/bot${token}`
    this.#fileBase = `${baseOf(url)}/file/bot${token}`
  }

  /** Calls a method of the bot API. @throws Error with a message for people if Telegram cannot be reached */
  async call(method: string, params: object, { signal, patienceMs, file }: CallOptions): Promise<TelegramReply> {
    const answer = await ask(`${this.#base}/${method}`, {
      headers: file === undefined ? { 'content-type': 'application/json' } : {},
      body: file === undefined ? JSON.stringify(params) : formOf(params, file),
      signal,
      patienceMs,
    })
    const { status, at } = answer
    const outer = { status, ...(at !== undefined && { at }) }
    try {
      return { ...(JSON.parse(answer.text) as TelegramReply), ...outer }
    } catch {
      return outer
    }
  }

  /** Reads a file. @param path the path that `getFile` returned @throws Error with a message for people */
  read(path: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
    return readBytes(`${this.#fileBase}/${path}`, mostBytes, signal)
  }

  /** Returns a sentence that names the webhook to which updates go instead of to JARVIS; undefined if no webhook is set. */
  async webhook(signal: AbortSignal): Promise<string | undefined> {
    const { ok, result } = await this.call('getWebhookInfo', {}, { signal })
    const { url: set = '' } = (ok === true ? result : {}) as { url?: string }
    if (set === '') return undefined
    const host = URL.canParse(set) ? new URL(set).host : 'an address'
    return `Somebody set a webhook to ${host}, which gets what is pressed here. Make another token, or remove it.`
  }
}

/** Interprets a refusal; undefined if the reply is not a refusal. */
export function refusalOf({
  ok,
  status,
  description,
  parameters,
}: TelegramReply): Exclude<Delivery, { kind: 'sent' }> | undefined {
  if (ok === true) return undefined
  const why = `it answered ${status}${description === undefined ? '' : `: ${description}`}`
  const asked = parameters?.retry_after
  const moved = parameters?.migrate_to_chat_id
  if (moved !== undefined) return { kind: 'again', why: 'the group has another id now', movedTo: String(moved) }
  if (status === 429) return { kind: 'again', why, ...(asked !== undefined && { retryAfterMs: asked * 1_000 }) }
  // Try again later: Telegram may answer like this only for a while.
  if (status === 401 || status === 404)
    return { kind: 'again', why: 'it does not know the token', retryAfterMs: unknownTokenMs }
  if (status === 403) return { kind: 'gone', why }
  return status >= 500 || ok === undefined ? { kind: 'again', why } : { kind: 'failed', why }
}

/** A form with a file, for a method that sends one. */
function formOf(params: object, { field, name, picture }: SentFile): FormData {
  const form = new FormData()
  for (const [key, value] of Object.entries(params))
    form.set(key, typeof value === 'string' ? value : JSON.stringify(value))
  form.set(field, new File([new Uint8Array(picture.data)], name, { type: picture.mimeType }))
  return form
}
