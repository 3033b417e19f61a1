import { type Reply, refill, startService, type Taken } from './service.ts'

type Button = { text: string; callback_data?: string; url?: string }
export type Sent = {
  message_id: number
  chat: number
  /** As HTML, as it was sent. */
  text: string
  buttons: Button[]
  isProtected: boolean
  thread?: number
  picture?: { field: string; bytes: number; type: string; name: string }
}
type Update = Record<string, unknown> & { update_id: number }

const failure = (error_code: number, description: string, parameters?: object): Reply => ({
  status: error_code,
  json: { ok: false, error_code, description, ...(parameters && { parameters }) },
})
const done = (result: unknown): Reply => ({ json: { ok: true, result } })

const known: Record<string, readonly string[]> = {
  getMe: [],
  getWebhookInfo: [],
  getUpdates: ['timeout', 'limit', 'allowed_updates', 'offset'],
  sendMessage:
    'chat_id message_thread_id text parse_mode link_preview_options protect_content disable_notification reply_markup reply_parameters'.split(
      ' ',
    ),
  sendMessageDraft: 'chat_id message_thread_id draft_id text parse_mode can_stop'.split(' '),
  sendPhoto: 'chat_id message_thread_id photo protect_content reply_markup'.split(' '),
  sendDocument: 'chat_id message_thread_id document protect_content reply_markup'.split(' '),
  getFile: ['file_id'],
  getChat: ['chat_id'],
  getChatMember: ['chat_id', 'user_id'],
  editMessageText: 'chat_id message_id text parse_mode link_preview_options reply_markup'.split(' '),
  answerCallbackQuery: ['callback_query_id', 'text', 'show_alert'],
}
const tags = new Set(['b', 's', 'i', 'u', 'code', 'pre', 'blockquote'])

/** The text that people see, or why the entities cannot be parsed. */
function parsed(html: string): { text: string } | { problem: string } {
  const open: string[] = []
  let text = ''
  let rest = html
  while (rest !== '') {
    const [plain = ''] = /^[^<>&]*/.exec(rest) ?? []
    text += plain
    rest = rest.slice(plain.length)
    if (rest === '') break
    const entity = /^&(amp|lt|gt|quot);/.exec(rest)
    const tag = /^<(\/?)([a-z]+)>/.exec(rest)
    if (entity !== null) {
      text += { amp: '&', lt: '<', gt: '>', quot: '"' }[entity[1] ?? ''] ?? ''
      rest = rest.slice(entity[0].length)
    } else if (tag !== null) {
      const [whole, slash, name = ''] = tag
      if (slash === '' && name === 'blockquote' && open.includes(name)) return { problem: 'blockquote in blockquote' }
      if (!tags.has(name)) return { problem: `Unsupported start tag "${name}"` }
      if (slash === '/' && open.pop() !== name) return { problem: 'Unmatched end tag' }
      if (slash === '') open.push(name)
      rest = rest.slice(whole.length)
    } else return { problem: 'Unexpected character' }
  }
  return open.length > 0 ? { problem: `Can't find end tag corresponding to start tag "${open[0]}"` } : { text }
}

/** The bot API of Telegram, as strict, on loopback: one poll at a time, updates come again until they are confirmed. */
export async function startTelegram(
  token = '123456789:AAE_planted_secret_token_0123456789',
  atEnd?: Parameters<typeof startService>[2],
) {
  const sent: Sent[] = []
  const drafts: { chat: number; id: number; text: string; thread?: number }[] = []
  const files = new Map<string, { path: string; data: Buffer }>()
  let hasDrafts = true
  const limited = new Map<string, { times: number; retry_after: number }>()
  const answers: { id: string; text?: string }[] = []
  const updates: Update[] = []
  const started = new Set<number>()
  const blocked = new Set<number>()
  /** Groups, and where one moved to. */
  const groups = new Map<number, { title: string; type: string; isIn: boolean; now?: number }>()
  const queries = new Map<string, number>()
  let polling: { wake(reply?: Reply): void } | undefined
  let nextId = 1_000
  let nextMessage = 1
  let webhook = ''
  let valid = token
  let polls = 0

  let skewMs = 0
  const now = () => Date.now() + skewMs
  const wakePoll = () => polling?.wake()
  const push = (update: Record<string, unknown>) => {
    nextId += 1
    updates.push({ update_id: nextId, ...update })
    wakePoll()
    return nextId
  }
  const modified = ({ text, buttons }: Pick<Sent, 'text' | 'buttons'>) => JSON.stringify([text, buttons])

  function textProblem(params: Record<string, unknown>): Reply | undefined {
    const { text, parse_mode } = params
    if (parse_mode !== undefined && parse_mode !== 'HTML') throw new Error('only HTML is made here')
    const read = parsed(String(text))
    if ('problem' in read) return failure(400, `Bad Request: can't parse entities: ${read.problem}`)
    if (read.text.trim() === '') return failure(400, 'Bad Request: message text is empty')
    return read.text.length > 4_096 ? failure(400, 'Bad Request: message is too long') : undefined
  }
  function buttonsOf(params: Record<string, unknown>): Button[] | Reply {
    const { inline_keyboard = [] } = (params.reply_markup ?? {}) as { inline_keyboard?: Button[][] }
    const buttons = inline_keyboard.flat()
    for (const { text, callback_data, url } of buttons) {
      if (text === '') return failure(400, 'Bad Request: inline keyboard button text is empty')
      if (callback_data !== undefined && (callback_data === '' || Buffer.byteLength(callback_data) > 64))
        return failure(400, 'Bad Request: BUTTON_DATA_INVALID')
      if (url !== undefined && !/^https:\/\/[^/]+\.[a-z]{2,}/.test(url))
        return failure(400, 'Bad Request: BUTTON_URL_INVALID')
      if ((callback_data === undefined) === (url === undefined)) throw new Error('a button does one thing')
    }
    return buttons
  }
  function chatProblem(chat: number): Reply | undefined {
    const group = groups.get(chat)
    if (group?.now !== undefined)
      return failure(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: group.now,
      })
    if (group !== undefined)
      return group.isIn ? undefined : failure(403, 'Forbidden: bot was kicked from the supergroup chat')
    if (blocked.has(chat)) return failure(403, 'Forbidden: bot was blocked by the user')
    return started.has(chat) ? undefined : failure(400, 'Bad Request: chat not found')
  }

  function sendPicture(field: string, params: Record<string, unknown>): Reply {
    const file = params[field]
    const chat = Number(params.chat_id)
    const problem = chatProblem(chat)
    if (problem !== undefined) return problem
    if (!(file instanceof File)) throw new Error('a picture is uploaded, and never fetched by its address')
    if (field === 'photo' && file.size > 10 * 1024 * 1024) return failure(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS')
    const message: Sent = {
      message_id: nextMessage,
      chat,
      text: '',
      buttons: [],
      isProtected: params.protect_content === 'true',
      picture: { field, bytes: file.size, type: file.type, name: file.name },
    }
    nextMessage += 1
    sent.push(message)
    return done({ message_id: message.message_id, date: 1, chat: { id: chat, type: 'private' } })
  }

  const methods: Record<string, (params: Record<string, unknown>) => Reply | Promise<Reply>> = {
    getMe: () => done({ id: 123456789, is_bot: true, first_name: 'JARVIS', username: 'jarvis_homelab_bot' }),
    getWebhookInfo: () => done({ url: webhook, has_custom_certificate: false, pending_update_count: 0 }),
    async getUpdates({ offset, timeout, limit, allowed_updates }) {
      polls += 1
      if (webhook !== '') return failure(409, "Conflict: can't use getUpdates method while webhook is active")
      if (polling !== undefined) {
        polling.wake(failure(409, 'Conflict: terminated by other getUpdates request'))
      }
      if (!Array.isArray(allowed_updates)) throw new Error('all kinds of updates would come')
      if (typeof offset === 'number')
        updates.splice(0, updates.findLastIndex(({ update_id }) => update_id < offset) + 1)
      const waiting = () => done(updates.slice(0, Number(limit ?? 100)))
      if (updates.length > 0) return waiting()
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish(), Number(timeout) * 1_000)
        const finish = (reply: Reply = waiting()) => {
          clearTimeout(timer)
          if (polling?.wake === finish) polling = undefined
          resolve(reply)
        }
        polling = { wake: finish }
      })
    },
    sendMessage(params) {
      const chat = params.chat_id as number
      if (!Number.isInteger(chat)) throw new Error('a chat is a number')
      const buttons = buttonsOf(params)
      const problem = chatProblem(chat) ?? textProblem(params) ?? (Array.isArray(buttons) ? undefined : buttons)
      if (problem !== undefined) return problem
      const { message_id: above } = (params.reply_parameters ?? {}) as { message_id?: number }
      if (above !== undefined && !sent.some(({ message_id }) => message_id === above))
        return failure(400, 'Bad Request: message to be replied not found')
      const { is_disabled } = (params.link_preview_options ?? {}) as { is_disabled?: boolean }
      if (is_disabled !== true) throw new Error('a link would be fetched')
      const message: Sent = {
        message_id: nextMessage,
        chat,
        text: String(params.text),
        buttons: buttons as Button[],
        isProtected: params.protect_content === true,
        ...(params.message_thread_id !== undefined && { thread: Number(params.message_thread_id) }),
      }
      nextMessage += 1
      sent.push(message)
      return done({ message_id: message.message_id, date: 1, chat: { id: chat, type: 'private' } })
    },
    sendMessageDraft(params) {
      if (!hasDrafts) return failure(404, 'Not Found')
      const chat = params.chat_id as number
      if (chat <= 0) return failure(400, 'Bad Request: drafts are for private chats')
      const id = params.draft_id as number
      if (!Number.isInteger(id) || id === 0) return failure(400, 'Bad Request: DRAFT_ID_INVALID')
      const problem = chatProblem(chat) ?? textProblem(params)
      if (problem !== undefined) return problem
      const thread = params.message_thread_id === undefined ? {} : { thread: Number(params.message_thread_id) }
      drafts.push({ chat, id, text: String(params.text), ...thread })
      return done(true)
    },
    sendPhoto: (params) => sendPicture('photo', params),
    sendDocument: (params) => sendPicture('document', params),
    getChat({ chat_id }) {
      const group = groups.get(Number(chat_id))
      if (group !== undefined) return done({ id: chat_id, type: group.type, title: group.title })
      return started.has(Number(chat_id))
        ? done({ id: chat_id, type: 'private' })
        : failure(400, 'Bad Request: chat not found')
    },
    getChatMember({ chat_id, user_id }) {
      const group = groups.get(Number(chat_id))
      if (group === undefined || user_id !== Number(token.split(':')[0]))
        return failure(400, 'Bad Request: chat not found')
      return done({ status: group.isIn ? 'member' : 'kicked' })
    },
    getFile({ file_id }) {
      const found = files.get(String(file_id))
      if (found === undefined) return failure(400, 'Bad Request: invalid file_id')
      return found.data.length > 20 * 1024 * 1024
        ? failure(400, 'Bad Request: file is too big')
        : done({ file_id, file_path: found.path, file_size: found.data.length })
    },
    editMessageText(params) {
      const found = sent.find(({ chat, message_id }) => chat === params.chat_id && message_id === params.message_id)
      const buttons = buttonsOf(params)
      const problem = textProblem(params) ?? (Array.isArray(buttons) ? undefined : buttons)
      if (problem !== undefined) return problem
      if (found === undefined) return failure(400, 'Bad Request: message to edit not found')
      const next = { text: String(params.text), buttons: buttons as Button[] }
      if (modified(found) === modified(next))
        return failure(
          400,
          'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
        )
      Object.assign(found, next)
      return done({ message_id: found.message_id })
    },
    answerCallbackQuery({ callback_query_id: id, text }) {
      if (queries.get(String(id)) !== 0)
        return failure(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid')
      if (String(text ?? '').length > 200) return failure(400, 'Bad Request: MESSAGE_TOO_LONG')
      queries.set(String(id), 1)
      answers.push({ id: String(id), ...(text !== undefined && { text: String(text) }) })
      return done(true)
    },
  }

  const answer = async ({ path, body, bytes, method, headers }: Taken): Promise<Reply> => {
    const [, owner, place = ''] = /^\/file\/bot([^/]+)\/(.+)$/.exec(path) ?? []
    if (owner !== undefined) {
      const file = [...files.values()].find((one) => one.path === place)
      return owner !== valid || method !== 'GET' || file === undefined ? failure(404, 'Not Found') : { text: file.data }
    }
    const [, given, name = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? []
    if (given !== valid) return failure(401, 'Unauthorized')
    if (method !== 'POST' || methods[name] === undefined) return failure(404, 'Not Found')
    const type = headers['content-type'] ?? ''
    const params = type.startsWith('multipart/form-data')
      ? Object.fromEntries(await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData())
      : ((body === '' ? {} : JSON.parse(body)) as Record<string, unknown>)
    const limit = limited.get(name)
    if (limit !== undefined && limit.times > 0) {
      limit.times -= 1
      const { retry_after } = limit
      return failure(429, `Too Many Requests: retry after ${retry_after}`, { retry_after })
    }
    const stray = Object.keys(params).filter((field) => !known[name]?.includes(field))
    if (stray.length > 0) throw new Error(`${name} knows no field ${stray.join(', ')}`)
    return methods[name](params)
  }
  const service = await startService(
    async (request) => {
      const reply = await answer(request)
      return { ...reply, headers: { ...reply.headers, date: new Date(now()).toUTCString() } }
    },
    undefined,
    atEnd,
  )

  const userOf = (id: number, name: string) => ({ id, is_bot: false, first_name: name })
  const privately = (id: number) => ({ id, type: 'private' })

  return {
    ...service,
    token,
    sent,
    drafts,
    answers,
    /** A method is asked too often for a while. */
    limit: (name: string, times: number, retry_after: number) => void limited.set(name, { times, retry_after }),
    /** An older server, which knows no drafts. */
    forgetDrafts() {
      hasDrafts = false
    },
    /** A person's client refuses further drafts of an answer. */
    stopDraft: (user: number, draft_id: number) =>
      push({ stopped_message_generation: { chat: privately(user), draft_id } }),
    /** Keeps a file. @returns its id */
    file(data: Buffer, path = `files/file_${files.size}.bin`) {
      const id = `file${files.size}`
      files.set(id, { path, data })
      return id
    },
    /** Its clock is wrong by so much from now on, or ours is. */
    skew(ms: number) {
      skewMs = ms
    },
    now,
    /** Names of the methods that were called, without polls. */
    asked: () => service.taken.map(({ path }) => path.split('/').at(-1)).filter((name) => name !== 'getUpdates'),
    polls: () => polls,
    /** Updates that nobody confirmed. */
    unconfirmed: () => updates.length,
    webhook(url: string) {
      webhook = url
    },
    /** The token is another one from now on. */
    renew(next: string) {
      valid = next
    },
    block: (user: number) => void blocked.add(user),
    unblock: (user: number) => void blocked.delete(user),
    /** A person opens the bot, by a link with that code. */
    start(user: number, code?: string, name = 'Mira') {
      started.add(user)
      return push({
        message: {
          message_id: nextMessage++,
          date: Math.floor(now() / 1_000),
          chat: privately(user),
          from: userOf(user, name),
          text: code === undefined ? '/start' : `/start ${code}`,
        },
      })
    },
    /** Somebody changes a message of theirs. */
    edit(user: number, message_id: number, text: string) {
      const base = { message_id, date: Math.floor(now() / 1_000), chat: privately(user) }
      return push({ edited_message: { ...base, from: userOf(user, 'Mira'), text } })
    },
    write(user: number, text: string, more: object = {}) {
      started.add(user)
      const base = { message_id: nextMessage++, date: Math.floor(now() / 1_000), chat: privately(user) }
      return push({ message: { ...base, from: userOf(user, 'Mira'), text, ...more } })
    },
    /** A client may press whatever it wants: any data, as anybody, on any message, inline or in a group. @returns the query's id */
    press(
      user: number,
      data: string,
      message: number | undefined,
      more: { chat?: { id: number; type: string }; inline?: boolean; updateId?: number; message?: object } = {},
    ) {
      const id = `q${queries.size + 1}`
      queries.set(id, 0)
      const on =
        message === undefined
          ? {}
          : { message: { message_id: message, date: 1, chat: more.chat ?? privately(user), ...more.message } }
      const place = more.inline === true ? { inline_message_id: 'inline-1' } : on
      const callback_query = { id, from: userOf(user, 'Mira'), chat_instance: '1', data, ...place }
      if (more.updateId === undefined) push({ callback_query })
      else {
        updates.push({ update_id: more.updateId, callback_query })
        wakePoll()
      }
      return id
    },
    /** A group takes the bot in, or out. */
    group(id: number, title: string, by: number, isIn = true) {
      const type = id < -1_000_000 ? 'supergroup' : 'group'
      groups.set(id, { title, type, isIn })
      const new_chat_member = { user: { id: 123456789 }, status: isIn ? 'member' : 'kicked' }
      return push({ my_chat_member: { chat: { id, type, title }, from: userOf(by, 'Mira'), date: 1, new_chat_member } })
    },
    /** A group becomes a supergroup, under another id. */
    upgrade(id: number, now: number) {
      const group = groups.get(id)
      if (group === undefined) return
      groups.set(id, { ...group, now })
      groups.set(now, { ...group, type: 'supergroup' })
    },
    writeIn(group: number, user: number, text: string, more: object = {}) {
      const chat = { id: group, type: 'supergroup', title: groups.get(group)?.title }
      const date = Math.floor(now() / 1_000)
      return push({ message: { message_id: nextMessage++, date, chat, from: userOf(user, 'Mira'), text, ...more } })
    },
    /** Keeps what it has taken and holds. @returns what puts it back, as it stood for a JARVIS that was killed */
    keep() {
      const taken = [...service.taken]
      const kept = structuredClone({ sent, drafts, answers, updates, queries, nextMessage })
      return () => {
        refill(service.taken, taken)
        refill(sent, kept.sent)
        refill(drafts, kept.drafts)
        refill(answers, kept.answers)
        refill(updates, kept.updates)
        queries.clear()
        for (const [id, state] of kept.queries) queries.set(id, state)
        nextMessage = kept.nextMessage
      }
    },
    answerTo: (query: string) => answers.find(({ id }) => id === query)?.text,
  }
}
export type FakeTelegram = Awaited<ReturnType<typeof startTelegram>>
