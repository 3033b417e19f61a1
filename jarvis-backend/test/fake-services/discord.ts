import { type WebSocket, WebSocketServer } from 'ws'
import { type Reply, refill, startService, type Taken } from './service.ts'

type Button = { type: number; style: number; label: string; custom_id?: string; url?: string }
export type Posted = {
  id: string
  channel: string
  content: string
  buttons: Button[]
  flags: number
  nonce?: string
  /** Names and types of the files. */
  files: string[]
}
type Session = { id: string; seq: number; events: { s: number; t: string; d: unknown }[]; socket?: WebSocket }
type Pressed = { id: string; token: string; user: string; until: number; isAnswered: boolean; told: string[] }

const application = '1049000000000000001'
const failure = (status: number, code: number, message: string): Reply => ({ status, json: { code, message } })
const known = {
  message: new Set([
    'content',
    'components',
    'allowed_mentions',
    'flags',
    'nonce',
    'enforce_nonce',
    'tts',
    'attachments',
  ]),
  edit: new Set(['content', 'components', 'allowed_mentions', 'flags', 'embeds']),
  answer: new Set(['content', 'allowed_mentions', 'flags', 'components']),
}
const bits = { message: (1 << 2) | (1 << 12), edit: 1 << 2, answer: (1 << 2) | (1 << 6) }
const directMessages = 1 << 12

/** The fault that Discord would find in a message's body. @throws Error for a body that JARVIS must never send */
function bodyProblem(kind: keyof typeof known, body: Record<string, unknown>, files = 0): Reply | undefined {
  const stray = Object.keys(body).filter((field) => !known[kind].has(field))
  if (stray.length > 0) throw new Error(`a message has no ${stray.join(', ')}`)
  const { content, flags = 0, nonce, allowed_mentions } = body
  const { parse } = (allowed_mentions ?? {}) as { parse?: unknown[] }
  if (!Array.isArray(parse) || parse.length > 0) throw new Error('somebody could be pinged')
  if ((Number(flags) & ~bits[kind]) !== 0) return failure(400, 50_035, 'Invalid Form Body: flags')
  if (content === undefined && files > 0) return undefined
  if (typeof content !== 'string' || content.trim() === '') return failure(400, 50_006, 'Cannot send an empty message')
  if (content.length > 2_000)
    return failure(400, 50_035, 'Invalid Form Body: content: Must be 2000 or fewer in length.')
  if (nonce !== undefined && String(nonce).length > 25) return failure(400, 50_035, 'Invalid Form Body: nonce')
  const ids = buttonsOf(body).flatMap(({ custom_id }) => custom_id ?? [])
  return new Set(ids).size < ids.length ? failure(400, 50_035, 'Component custom id cannot be duplicated') : undefined
}

function buttonsOf({ components = [] }: Record<string, unknown>): Button[] {
  const rows = components as { type: number; components: Button[] }[]
  if (rows.length > 5) throw new Error('five rows at most')
  return rows.flatMap(({ type, components: row }) => {
    if (type !== 1 || row.length === 0 || row.length > 5) throw new Error('a row has one to five buttons')
    for (const { type: kind, style, label, custom_id, url } of row) {
      if (kind !== 2 || label === '' || label.length > 80) throw new Error('a button has a label of 80 characters')
      if ((style === 5) !== (url !== undefined) || (style === 5) === (custom_id !== undefined))
        throw new Error('a button does one thing')
      if (custom_id !== undefined && (custom_id === '' || custom_id.length > 100)) throw new Error('no custom_id')
      if (url !== undefined && !/^https:\/\/[^/]+\.[a-z]{2,}/.test(url)) throw new Error('no address')
    }
    return row
  })
}

/**
 * Discord's API 10 on loopback: REST, and a gateway that counts IDENTIFY, resumes with what was missed, and gives up a tap that is not answered in
 * time. @param everyMs between heartbeats
 */
export async function startDiscord({
  token = 'MTA0OTAwMDAwMDAwMDAwMDAwMQ.GplAnt.ed_secret_token_0123456789_abcdef',
  everyMs = 41_250,
  patienceMs = 3_000,
} = {}) {
  const posted: Posted[] = []
  const pressed: Pressed[] = []
  const sessions = new Map<string, Session>()
  const blocked = new Set<string>()
  /** Each IDENTIFY and RESUME. */
  const log: string[] = []
  /** How each connection ended. */
  const closed: number[] = []
  let valid = token
  let made = 0
  let remaining = 1_000
  let isDeaf = false
  let refuse: number | undefined
  let skewMs = 0
  const now = () => Date.now() + skewMs
  const nextId = () => {
    made += 1
    return String(1_300_000_000_000_000_000n + BigInt(made))
  }
  const channelOf = (user: string) => `77${user}`
  const opened = new Set<string>()
  const servers = new Map<
    string,
    { id: string; name: string; channels: { id: string; type: number; name: string }[] }
  >()
  const written = new Map<string, object>()
  const uploads = new Map<string, Buffer>()

  function post(channel: string, body: Record<string, unknown>, files: string[] = []): Reply {
    if (!opened.has(channel)) return failure(404, 10_003, 'Unknown Channel')
    if (blocked.has(channel)) return failure(403, 50_007, 'Cannot send messages to this user')
    const problem = bodyProblem('message', body, files.length)
    if (problem !== undefined) return problem
    const { content, flags = 0, nonce, enforce_nonce } = body
    const before =
      enforce_nonce === true ? posted.find((one) => one.channel === channel && one.nonce === nonce) : undefined
    const message: Posted = before ?? {
      id: nextId(),
      channel,
      content: String(content ?? ''),
      buttons: buttonsOf(body),
      flags: Number(flags),
      files,
      ...(nonce !== undefined && { nonce: String(nonce) }),
    }
    if (before === undefined) posted.push(message)
    return { json: { id: message.id, channel_id: channel, content: message.content, type: 0 } }
  }
  function edit(channel: string, id: string, body: Record<string, unknown>): Reply {
    const found = posted.find((one) => one.channel === channel && one.id === id)
    if (found === undefined) return failure(404, 10_008, 'Unknown Message')
    const problem = bodyProblem('edit', body)
    if (problem !== undefined) return problem
    Object.assign(found, { content: String(body.content), buttons: buttonsOf(body) })
    return { json: { id, channel_id: channel, content: body.content, type: 0 } }
  }
  function callback(id: string, given: string, body: Record<string, unknown>): Reply {
    const found = pressed.find((one) => one.id === id && one.token === given)
    if (found === undefined || (!found.isAnswered && Date.now() > found.until))
      return failure(404, 10_062, 'Unknown interaction')
    if (found.isAnswered) return failure(400, 40_060, 'Interaction has already been acknowledged.')
    if (body.type !== 6) throw new Error('only a silent deferral is made here')
    found.isAnswered = true
    return { status: 204 }
  }
  function followUp(of: string, given: string, body: Record<string, unknown>): Reply {
    const found = pressed.find((one) => one.token === given)
    if (of !== application || found?.isAnswered !== true) return failure(404, 10_015, 'Unknown Webhook')
    const problem = bodyProblem('answer', body)
    if (problem !== undefined) return problem
    found.told.push(String(body.content))
    return { json: { id: nextId(), content: body.content } }
  }

  const answer = async ({ method, path, headers, body, bytes }: Taken): Promise<Reply> => {
    const file = uploads.get(path)
    if (method === 'GET' && file !== undefined) return { text: file }
    const [, place = ''] = /^\/api\/v10(\/[^?]*)/.exec(path) ?? []
    if (!/^DiscordBot \(/.test(String(headers['user-agent']))) return { status: 403, text: 'error code: 1010' }
    const type = String(headers['content-type'])
    const form = type.startsWith('multipart/form-data')
      ? await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
      : undefined
    const text = form === undefined ? body : String(form.get('payload_json'))
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    const files = [...(form ?? [])].flatMap(([, value]) =>
      value instanceof File ? [`${value.name} ${value.type}`] : [],
    )
    const [, one = '', two = ''] = /^\/interactions\/([^/]+)\/([^/]+)\/callback$/.exec(place) ?? []
    if (one !== '') return callback(one, two, json)
    const [, app = '', own = ''] = /^\/webhooks\/([^/]+)\/([^/]+)$/.exec(place) ?? []
    if (app !== '') return followUp(app, own, json)
    if (headers.authorization !== `Bot ${valid}`) return failure(401, 0, '401: Unauthorized')
    if (method === 'GET' && place === '/gateway/bot') {
      const limit = { total: 1_000, remaining, reset_after: 14_400_000, max_concurrency: 1 }
      return { json: { url: service.url.replace('http', 'ws'), shards: 1, session_start_limit: limit } }
    }
    const bot = { id: application, username: 'jarvis', bot: true }
    if (method === 'GET' && place === '/applications/@me') return { json: { id: application, name: 'JARVIS', bot } }
    if (method === 'GET' && place === '/users/@me') return { json: bot }
    const [, guild = '', rest] = /^\/guilds\/(\d+)(\/channels)?$/.exec(place) ?? []
    const server = servers.get(guild)
    if (method === 'GET' && server !== undefined)
      return { json: rest === undefined ? { id: guild, name: server.name } : server.channels }
    if (method === 'GET' && place === '/users/@me/guilds')
      return { json: [...servers.values()].map(({ id, name }) => ({ id, name })) }
    const [, looked = ''] = /^\/channels\/(\d+)$/.exec(place) ?? []
    if (method === 'GET' && looked !== '') {
      const of = [...servers.values()].find(({ channels }) => channels.some(({ id }) => id === looked))
      const found = of?.channels.find(({ id }) => id === looked)
      if (found !== undefined) return { json: { ...found, guild_id: of?.id } }
      return opened.has(looked) ? { json: { id: looked, type: 1 } } : failure(404, 10_003, 'Unknown Channel')
    }
    const [, channel = '', message] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(place) ?? []
    if (channel !== '' && method === 'POST' && message === undefined) return post(channel, json, files)
    const kept = written.get(`${channel}/${message}`)
    if (method === 'GET' && kept !== undefined) return { json: kept }
    if (channel !== '' && method === 'PATCH' && message !== undefined) return edit(channel, message, json)
    return failure(404, 0, '404: Not Found')
  }
  const service = await startService(async (request) => {
    const reply = await answer(request)
    return { ...reply, headers: { ...reply.headers, date: new Date(now()).toUTCString() } }
  })

  const gateway = new WebSocketServer({ server: service.server })
  const write = (socket: WebSocket | undefined, payload: object) => {
    if (!isDeaf) socket?.send(JSON.stringify(payload))
  }
  function dispatch(session: Session, t: string, d: unknown) {
    session.seq += 1
    session.events.push({ s: session.seq, t, d })
    write(session.socket, { op: 0, t, s: session.seq, d })
  }
  gateway.on('connection', (socket, { url = '' }) => {
    let session: Session | undefined
    const end = (code: number) => socket.close(code)
    const query = new URL(url, 'ws://x').searchParams
    if (query.get('v') !== '10' || query.get('encoding') !== 'json') return end(4012)
    write(socket, { op: 10, d: { heartbeat_interval: everyMs } })
    socket.on('close', (code) => {
      closed.push(code)
      if (session?.socket === socket) delete session.socket
    })
    socket.on('message', (raw) => {
      const { op, d } = JSON.parse(String(raw)) as { op: number; d: Record<string, unknown> }
      if (isDeaf) return
      if (op === 1) return write(socket, { op: 11 })
      if (op !== 2 && op !== 6) return end(session === undefined ? 4003 : 4001)
      if (session !== undefined) return end(4005)
      if (op === 2) remaining -= 1
      log.push(op === 2 ? 'identify' : `resume ${d.seq}`)
      if (d.token !== valid) return end(4004)
      if (refuse !== undefined) return end(refuse)
      if (op === 2) {
        if (d.intents !== directMessages) return end(d.intents === undefined ? 4002 : 4013)
        session = { id: `s${sessions.size + 1}`, seq: 0, events: [], socket }
        sessions.set(session.id, session)
        const user = { id: application, username: 'jarvis', bot: true }
        dispatch(session, 'READY', {
          v: 10,
          user,
          guilds: [],
          session_id: session.id,
          application: { id: application, flags: 0 },
          resume_gateway_url: service.url.replace('http', 'ws'),
        })
        return
      }
      const found = sessions.get(String(d.session_id))
      if (found === undefined || Number(d.seq) > found.seq) return write(socket, { op: 9, d: false })
      session = found
      found.socket = socket
      for (const { s, t, d: data } of found.events.filter((event) => event.s > Number(d.seq)))
        write(socket, { op: 0, t, s, d: data })
      dispatch(found, 'RESUMED', {})
    })
  })
  const sockets = () => [...gateway.clients]
  const push = (t: string, d: unknown) => {
    for (const session of sessions.values()) dispatch(session, t, d)
  }
  const userOf = (id: string, name: string) => ({ id, username: name.toLowerCase(), global_name: name })

  return {
    ...service,
    api: `${service.url}/api/v10`,
    token,
    application,
    posted,
    pressed,
    log,
    closed,
    channelOf,
    remaining: (left: number) => {
      remaining = left
    },
    /** The token is another one from now on, as after a leak. Sessions of the old one end. */
    renew(next: string) {
      valid = next
      sessions.clear()
      for (const socket of sockets()) socket.close(4004)
    },
    /** Each sign-in is refused with a code. */
    refuse(code: number | undefined) {
      refuse = code
    },
    connections: () => sockets().length,
    /** The bot is in a server, with these channels. */
    server(id: string, name: string, channels: { id: string; type: number; name: string }[]) {
      servers.set(id, { id, name, channels })
      for (const one of channels) opened.add(one.id)
    },
    /** The server takes the bot out of a channel. */
    shut: (channel: string) => void blocked.add(channel),
    block: (user: string) => void blocked.add(channelOf(user)),
    unblock: (user: string) => void blocked.delete(channelOf(user)),
    /** Its clock is wrong by so much from now on, or ours is. */
    skew(ms: number) {
      skewMs = ms
    },
    now,
    /** The server asks to connect again. */
    reconnect: () => sockets().forEach((socket) => void write(socket, { op: 7, d: null })),
    invalidate(isResumable: boolean) {
      if (!isResumable) sessions.clear()
      for (const socket of sockets()) write(socket, { op: 9, d: isResumable })
    },
    /** The link breaks without a word. */
    cut: () => sockets().forEach((socket) => void socket.terminate()),
    /** Half open: bytes are taken and nothing is answered. */
    deafen(is: boolean) {
      isDeaf = is
    },
    /** A file that a message may have. */
    upload(filename: string, data: Buffer) {
      const place = `/attachments/${nextId()}/${filename}`
      uploads.set(place, data)
      return { id: nextId(), filename, size: data.length, url: `${service.url}${place}` }
    },
    write(user: string, content: string, more: object = {}, name = 'Mira') {
      opened.add(channelOf(user))
      const message = {
        id: nextId(),
        channel_id: channelOf(user),
        channel_type: 1,
        author: userOf(user, name),
        content,
        timestamp: new Date(now()).toISOString(),
        type: 0,
        mentions: [],
        attachments: [],
        embeds: [],
        ...more,
      }
      written.set(`${message.channel_id}/${message.id}`, message)
      push('MESSAGE_CREATE', message)
      return message.id
    },
    /** Keeps what it has taken and holds. @returns what puts it back, as it stood for a JARVIS that was killed */
    keep() {
      const taken = [...service.taken]
      const bare = [...sessions.values()].map(({ id, seq, events }) => ({ id, seq, events }))
      const kept = structuredClone({ posted, pressed, log, bare, remaining })
      return () => {
        refill(service.taken, taken)
        refill(posted, kept.posted)
        refill(pressed, kept.pressed)
        refill(log, kept.log)
        sessions.clear()
        for (const session of kept.bare) sessions.set(session.id, session)
        remaining = kept.remaining
      }
    },
    /** A client may press whatever it wants: any data, as anybody, on any message, in a server. @returns the tap */
    press(user: string, custom_id: string, message: string | undefined, more: object = {}) {
      const one: Pressed = {
        id: nextId(),
        token: `tap-${pressed.length + 1}`,
        user,
        until: Date.now() + patienceMs,
        isAnswered: false,
        told: [],
      }
      pressed.push(one)
      push('INTERACTION_CREATE', {
        id: one.id,
        token: one.token,
        application_id: application,
        type: 3,
        version: 1,
        context: 1,
        channel_id: channelOf(user),
        user: userOf(user, 'Mira'),
        data: { custom_id, component_type: 2 },
        ...(message !== undefined && { message: { id: message, channel_id: channelOf(user) } }),
        ...more,
      })
      return one
    },
  }
}
export type FakeDiscord = Awaited<ReturnType<typeof startDiscord>>
