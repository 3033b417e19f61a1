import { sleep as sleepBy } from '../../lib/clock.ts'
import { addressProblem, baseOf } from '../addresses.ts'
import type { Address, Channel, ChannelKind, Delivery, Heard, Incoming, Outgoing } from '../channel.ts'
import { ask, attempted } from '../post.ts'
import { albumMs, endsInAlbum, withAlbums } from './telegram-albums.ts'
import { escaped } from './telegram-html.ts'
import { incomingOf, isGroup, isIn, type Message, type Update } from './telegram-incoming.ts'
import { type Call, mostChars, type TelegramReply, telegramTalk } from './telegram-talk.ts'

const publicBase = 'https://api.telegram.org'
/** How long Telegram holds a poll open, seconds; a link that died is noticed a little later. */
const pollS = 25
/** An earlier poll lives on for its time after a crash, and this one is refused meanwhile. */
const afterConflictMs = 35_000
/** Two refused polls within this time are no crash: two programs that wait as this one does take turns. */
const conflictsForMs = 2 * 60_000
const afterWebhookMs = 60_000
const longestPauseMs = 60_000
const mostAnswer = 200

/** A button to a page is shown where Telegram takes the address; otherwise the address is a line of the text. */
const isButtonAddress = (link: string) => /^https:\/\/[^/:]+\.[a-z]{2,}(?:[/:]|$)/i.test(link)

type Shown = Pick<Outgoing, 'title' | 'lines' | 'buttons' | 'link' | 'isOver'>

/** The text as Telegram's HTML, made of escaped texts alone. */
function noticeOf({ title, lines, link, isOver }: Shown): string {
  const head = isOver ? `<s>${escaped(title)}</s>` : `<b>${escaped(title)}</b>`
  const address = link !== undefined && !isOver && !isButtonAddress(link) ? [escaped(link)] : []
  return [head, ...lines.map(escaped), ...address].join('\n')
}

function keyboardOf({ buttons, link, isOver }: Shown) {
  if (isOver) return []
  const deeds = buttons.map(({ label, token }) => [{ text: label, callback_data: token }])
  const canLook = buttons.some(({ does }) => does === 'look')
  return link !== undefined && !canLook && isButtonAddress(link) ? [...deeds, [{ text: 'Open', url: link }]] : deeds
}

const to = (incoming: Incoming): Address => ('from' in incoming && incoming.from) || { user: '', chat: '' }

const threadOf = (incoming: Incoming) => {
  const thread = 'from' in incoming ? incoming.from?.thread : undefined
  return thread === undefined ? {} : { message_thread_id: Number(thread) }
}

/** A form with a file, for a method that sends one. */
function formOf(
  params: object,
  { field, name, picture }: NonNullable<NonNullable<Parameters<Call>[3]>['file']>,
): FormData {
  const form = new FormData()
  for (const [key, value] of Object.entries(params))
    form.set(key, typeof value === 'string' ? value : JSON.stringify(value))
  form.set(field, new File([new Uint8Array(picture.data)], name, { type: picture.mimeType }))
  return form
}

/** Telegram's bot API 10, by long poll alone: JARVIS calls out, nothing calls in. */
export const telegram: ChannelKind = {
  id: 'telegram',
  name: 'Telegram',
  readers: 'JARVIS calls out, nothing calls in. Telegram can read these chats.',
  capabilities: {
    decidesAtMost: 'approve',
    revises: true,
    withdraws: false,
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
    const base = `${baseOf(url)}/bot${token}`
    let bot: string | undefined

    const call: Call = async (method, params, signal, { patienceMs, file } = {}) => {
      const body = file === undefined ? JSON.stringify(params) : formOf(params, file)
      const headers = file === undefined ? { 'content-type': 'application/json' } : {}
      const answer = await ask(`${base}/${method}`, {
        ...{ headers, body, signal },
        ...(patienceMs !== undefined && { patienceMs }),
      })
      const { status, at } = answer
      const outer = { status, ...(at !== undefined && { at }) }
      try {
        return { ...(JSON.parse(answer.text) as TelegramReply), ...outer }
      } catch {
        return outer
      }
    }

    /** Interprets a refusal; undefined where it is none. */
    function refusalOf({ ok, status, description, parameters }: TelegramReply): Delivery | undefined {
      if (ok === true) return undefined
      const why = `it answered ${status}${description === undefined ? '' : `: ${description}`}`
      const asked = parameters?.retry_after
      const moved = parameters?.migrate_to_chat_id
      if (moved !== undefined) return { kind: 'again', why: 'the group has another id now', movedTo: String(moved) }
      if (status === 429) return { kind: 'again', why, ...(asked !== undefined && { retryAfterMs: asked * 1_000 }) }
      // The token is not known, perhaps for a while alone.
      if (status === 401 || status === 404)
        return { kind: 'again', why: 'it does not know the token', retryAfterMs: 60_000 }
      if (status === 403) return { kind: 'gone', why }
      return status >= 500 || ok === undefined ? { kind: 'again', why } : { kind: 'failed', why }
    }

    const common = ({ chat }: Address) => ({
      ...{ chat_id: Number(chat), parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
    })

    async function learnBot(signal: AbortSignal) {
      if (bot !== undefined) return
      const { ok, result } = await call('getMe', {}, signal)
      if (ok === true) bot = (result as { username?: string }).username
    }

    /** Says where updates would go instead of to us. */
    async function webhookOf(signal: AbortSignal): Promise<string | undefined> {
      const { ok, result } = await call('getWebhookInfo', {}, signal)
      const { url: set = '' } = (ok === true ? result : {}) as { url?: string }
      if (set === '') return undefined
      const host = URL.canParse(set) ? new URL(set).host : 'an address'
      return `Somebody set a webhook to ${host}, which gets what is pressed here. Make another token, or remove it.`
    }

    /** Hands one update on, and answers who pressed. @param aheadMs how far our clock is ahead of Telegram's, whose times its messages have */
    async function take(update: Update, aheadMs: number, heard: Heard, signal: AbortSignal) {
      const received = incomingOf(update)
      const incoming = received.kind === 'text' ? { ...received, at: received.at + aheadMs } : received
      const { answer, link } = await heard(incoming)
      if (answer === undefined || signal.aborted) return
      const tap = update.callback_query
      const say = (params: object) =>
        call(
          'sendMessage',
          { ...common(to(incoming)), ...threadOf(incoming), protect_content: true, ...params },
          signal,
        )
      // An answer that comes too late fails, and that is all.
      const tell = (call: Promise<unknown>) => call.catch(() => undefined)
      if (tap === undefined) await tell(say({ text: escaped(answer) }))
      else
        await tell(
          call('answerCallbackQuery', { callback_query_id: tap.id, text: answer.slice(0, mostAnswer) }, signal),
        )
      // The answer to a tap has no room for a link, so that is a message below the card.
      if (tap === undefined || link === undefined) return
      const shown = { title: answer, lines: [], buttons: [], link, isOver: false }
      const keyboard = keyboardOf(shown)
      await tell(
        say({
          ...{ text: noticeOf(shown), disable_notification: true },
          ...(tap.message !== undefined && { reply_parameters: { message_id: tap.message.message_id } }),
          ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
        }),
      )
    }

    async function listen(heard: Heard, cursor: string | undefined, signal: AbortSignal) {
      let offset = cursor === undefined ? undefined : Number(cursor)
      let pauseMs = 1_000
      let conflictAt = Number.NEGATIVE_INFINITY
      let isContested = false
      const isRecent = () => clock.now() - conflictAt < conflictsForMs
      const sleep = (ms: number) => sleepBy(clock, ms, signal)
      while (!signal.aborted) {
        try {
          await learnBot(signal)
          const stolen = await webhookOf(signal)
          if (stolen !== undefined) {
            problem(stolen)
            await sleep(afterWebhookMs)
            continue
          }
          // One poll after another, until one fails.
          for (;;) {
            const params = {
              timeout: pollS,
              limit: 50,
              allowed_updates: ['message', 'callback_query', 'stopped_message_generation', 'my_chat_member'],
              ...(offset !== undefined && { offset }),
            }
            const reply = await call('getUpdates', params, signal, { patienceMs: (pollS + 10) * 1_000 })
            if (reply.status === 409) {
              // A webhook is told of at once; otherwise one poll of the last process may still be open.
              if ((await webhookOf(signal)) !== undefined) break
              isContested ||= isRecent()
              conflictAt = clock.now()
              if (isContested) problem('Another program asks for this bot’s messages. Stop it, or make another token.')
              await sleep(afterConflictMs)
              break
            }
            const refusal = refusalOf(reply)
            if (refusal !== undefined) {
              problem('why' in refusal ? refusal.why : 'it refused')
              const asked = refusal.kind === 'again' ? refusal.retryAfterMs : undefined
              await sleep(asked ?? pauseMs)
              pauseMs = Math.min(2 * pauseMs, longestPauseMs)
              break
            }
            // What came in one turn says nothing of the other program's.
            isContested &&= isRecent()
            if (!isContested) problem(undefined)
            pauseMs = 1_000
            const aheadMs = reply.at === undefined ? 0 : clock.now() - reply.at
            let updates = reply.result as Update[]
            if (endsInAlbum(updates)) {
              await sleep(albumMs)
              const more = await call('getUpdates', { ...params, timeout: 0 }, signal)
              if (more.ok === true) updates = more.result as Update[]
            }
            for (const update of withAlbums(updates)) {
              await take(update, aheadMs, heard, signal)
              offset = update.update_id + 1
            }
          }
        } catch (error) {
          if (signal.aborted) return
          problem(error instanceof Error ? error.message : 'it could not be reached')
          await sleep(pauseMs).catch(() => {})
          pauseMs = Math.min(2 * pauseMs, longestPauseMs)
        }
      }
    }

    return {
      ...telegramTalk({ call, refusalOf, fileBase: `${baseOf(url)}/file/bot${token}` }),
      place: new URL(url).host,
      deliver: (message, to, signal) =>
        attempted(async () => {
          const keyboard = keyboardOf(message)
          const reply = await call(
            'sendMessage',
            {
              ...common(to),
              text: noticeOf(message),
              protect_content: true,
              disable_notification: message.level === 'info',
              ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
            },
            signal,
          )
          const refusal = refusalOf(reply)
          if (refusal !== undefined) return refusal
          return { kind: 'sent', ref: String((reply.result as Message).message_id) }
        }),
      revise: (message, to, ref, signal) =>
        attempted(async () => {
          if (ref === undefined) return { kind: 'failed', why: 'its message is not known' }
          const keyboard = { inline_keyboard: keyboardOf(message) }
          const params = { ...common(to), message_id: Number(ref), text: noticeOf(message), reply_markup: keyboard }
          const reply = await call('editMessageText', params, signal)
          if (reply.description?.includes('message is not modified')) return { kind: 'sent' }
          return refusalOf(reply) ?? { kind: 'sent' }
        }),
      incoming: listen,
      group: async (id, signal) => {
        if (!/^-\d{1,20}$/.test(id)) throw new Error('the id of a group is a number that begins with a minus')
        const found = await call('getChat', { chat_id: Number(id) }, signal)
        const own = { chat_id: Number(id), user_id: Number(token.split(':')[0]) }
        const member = await call('getChatMember', own, signal)
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
        if (refusal !== undefined) return { problem: 'why' in refusal ? refusal.why : 'it refused' }
        bot = (reply.result as { username?: string }).username
        const account = bot === undefined ? {} : { account: `@${bot}` }
        const stolen = await webhookOf(signal)
        return stolen === undefined ? account : { ...account, problem: stolen }
      },
    }
  },
}
