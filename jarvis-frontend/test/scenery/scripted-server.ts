import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ActivityEvents, Card, Change, ClusterUpdate, Entry, Role, Snapshot, Status } from 'protocol'
import { usualLimits } from 'protocol'
import { Server, type Socket } from 'socket.io'
import { sendBuilt } from './built-files.ts'
import { firingIn } from './firing.ts'
import type { Scene, ScriptEntry, ScriptSession } from './scene.ts'
import { type Asked, answerWatch, isWatched } from './scripted-watch.ts'

export const password = 'a scripted password'
/** A token with the claims that the dashboard reads. This server accepts any token that it can parse. */
export function tokenOf(role: Role): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  return `${part({ alg: 'none' })}.${part({ sub: role, role, exp, iss: 'jarvis', jti: randomUUID() })}.x`
}

/** Reads the JSON body of a request; undefined if it has none. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}

function pendingOf({ entries }: ScriptSession): Card[] {
  const resolved = new Set(entries.flatMap((entry) => (entry.type === 'confirm_resolved' ? [entry.toolUseId] : [])))
  return entries.flatMap((entry) => {
    if (entry.type !== 'confirm_needed' || resolved.has(entry.toolUseId)) return []
    const { type: _, seq: __, runId: ___, at: ____, ...card } = entry
    return [card]
  })
}

/** Returns the newest entries before `before`, about `limit` of them. Like on the real server, the page starts at the start of a run. */
function pageBefore(entries: Entry[], query: URLSearchParams): { items: Entry[]; next?: string } {
  const before = Number(query.get('before') ?? Number.MAX_SAFE_INTEGER)
  const older = entries.filter(({ seq }) => seq < before)
  const cut = older.at(-Number(query.get('limit') ?? 50))
  const items = cut === undefined ? older : older.slice(older.findIndex(({ runId }) => runId === cut.runId))
  const first = items[0]
  return { items, ...(first !== undefined && items.length < older.length && { next: String(first.seq) }) }
}

/**
 * Serves the built dashboard and plays a scene over real HTTP and Socket.IO, for states that are hard to reach otherwise.
 * @param dist folder of the build
 */
export async function startScripted(scene: Scene, dist: string, port = 0) {
  const sessions = new Map(scene.sessions.map((session) => [session.id, session]))
  const decisions: { toolUseId: string; confirmed: boolean; note?: string; goesBackAfterMin?: number }[] = []
  const sent: { sessionId: string; message: string }[] = []
  const checked: string[] = []
  /** The requests to keep or undo changes. */
  const answers: { id: string; act: string }[] = []
  const attached: string[] = []
  /** The requests that change alerts, jobs or runbooks. */
  const asked: Asked[] = []
  /** Settings for tests. `answersCheck`: status and body of the answer to a check of a call. `takesSockets`: true if handshakes are accepted. */
  const behaviour = {
    answersDecisions: true,
    answersSends: true,
    takesSockets: true,
    /** The times since the last changes, which the server sends on connect. */
    ages: { upMs: 3_600_000, lists: {} } as ActivityEvents['ages'],
    /** A function that the server awaits before it acknowledges a sent message. */
    beforeAck: async (): Promise<void> => undefined,
    answersCheck: async (_toolUseId: string): Promise<{ status: number; body: unknown }> => ({
      status: 404,
      body: { error: { code: 'not_found', message: 'This call never started.' } },
    }),
  }
  const seen = new Set<string>()
  const revoked = new Set<string>()
  /** True if a token is accepted. Records the token. */
  function takes(token: string): boolean {
    seen.add(token)
    return token.split('.').length === 3 && !revoked.has(token)
  }

  const lastSeq = (session: ScriptSession) => session.seq ?? session.entries.at(-1)?.seq ?? -1
  const http = createServer((request, response) => void serve(request, response))
  const wires = new Set<Duplex>()
  http.on('connection', (wire) => {
    wires.add(wire)
    wire.on('close', () => wires.delete(wire))
  })
  const io = new Server(http, {
    serveClient: false,
    allowRequest: (_request, decide) => decide(null, behaviour.takesSockets),
  })
  const chat = io.of('/chat')
  const cluster = io.of('/cluster')
  const events = io.of('/events')
  for (const namespace of [chat, cluster, events]) {
    namespace.use((socket, next) => {
      const { token } = socket.handshake.auth as { token?: string }
      if (takes(token ?? '')) next()
      else next(Object.assign(new Error('unauthorized'), { data: { code: 'unauthorized' } }))
    })
  }

  /** Adds an entry to a session and sends it to all clients. */
  function append(sessionId: string, entry: ScriptEntry, runId?: string): void {
    const session = sessions.get(sessionId)
    if (session === undefined) throw new Error(`no session ${sessionId}`)
    const run = runId ?? session.runId ?? session.entries.at(-1)?.runId ?? 'run_1'
    const whole = { at: Date.now(), ...entry, seq: lastSeq(session) + 1, runId: run } as Entry
    session.seq = whole.seq
    session.entries.push(whole)
    if (whole.type === 'user') session.runId = run
    if ((whole.type === 'done' || whole.type === 'error') && run === session.runId) delete session.runId
    if (whole.type !== 'confirm_needed' && whole.type !== 'confirm_resolved') delete session.partial
    const { type, ...rest } = whole
    chat.to(sessionId).emit(`chat:${type}`, { sessionId, ...rest })
    if (type.startsWith('confirm_')) events.emit('changed', { what: 'confirmations', sessionId })
    events.emit('changed', { what: 'sessions', sessionId })
  }

  /** Sends an event that is not an entry. */
  function tell(sessionId: string, name: string, payload: object): void {
    const session = sessions.get(sessionId)
    if (session === undefined) throw new Error(`no session ${sessionId}`)
    session.seq = lastSeq(session) + 1
    const { text } = payload as { text?: string }
    if (name === 'chat:token' && text !== undefined)
      session.partial = { thinking: '', ...session.partial, text: (session.partial?.text ?? '') + text }
    chat.to(sessionId).emit(name, { sessionId, runId: session.runId ?? 'run_1', seq: session.seq, ...payload })
  }

  chat.on('connection', (socket: Socket) => {
    socket.on('chat:attach', ({ sessionId }, ack) => {
      attached.push(sessionId)
      const session = sessions.get(sessionId)
      if (session === undefined)
        return ack({ ok: false, error: { code: 'unknown_session', message: 'There is no such session.' } })
      void socket.join(sessionId)
      const snapshot: Snapshot = {
        sessionId,
        title: session.title,
        isRehearsal: false,
        seq: lastSeq(session),
        runId: session.runId,
        entries: session.entries,
        hasEarlier: session.earlier !== undefined,
        partial: session.partial ?? { text: '', thinking: '' },
        pending: pendingOf(session),
        queued: session.queued ?? [],
        progress: session.progress ?? {},
        notice: session.notice,
        todo: session.todo,
      }
      return ack({ ok: true, snapshot })
    })
    // The dashboard reopens a connection on which a ping gets no answer.
    socket.on('chat:ping', (_input, ack) => ack({ ok: true }))
    socket.on('chat:send', async ({ sessionId, message }, ack) => {
      if (!behaviour.answersSends) return
      const id = sessionId ?? `ses_${sessions.size}`
      if (!sessions.has(id)) sessions.set(id, { id, title: message.slice(0, 40), updatedAt: Date.now(), entries: [] })
      void socket.join(id)
      sent.push({ sessionId: id, message })
      const session = sessions.get(id)
      const runId = `run_sent_${sent.length}`
      const messageId = `msg_${sent.length}`
      const queued = session?.runId !== undefined
      if (queued) {
        session.queued = [...(session.queued ?? []), { messageId, text: message, by: 'operator', at: Date.now() }]
        tell(id, 'chat:queued', { queued: session.queued })
      } else append(id, { type: 'user', messageId, text: message, by: 'operator' }, runId)
      await behaviour.beforeAck()
      ack({ ok: true, sessionId: id, runId, queued, messageId })
    })
    socket.on('chat:confirm', ({ sessionId, toolUseId, confirmed, note, goesBackAfterMin }, ack) => {
      const more = { note, goesBackAfterMin }
      decisions.push({ toolUseId, confirmed, ...more })
      if (!behaviour.answersDecisions) return
      const decision = confirmed ? 'approved' : 'denied'
      append(sessionId, {
        type: 'confirm_resolved',
        toolUseId,
        decision,
        by: 'operator',
        note,
      })
      const card = scene.sessions
        .flatMap((s) => s.entries)
        .find((e) => e.type === 'confirm_needed' && e.toolUseId === toolUseId)
      if (confirmed && card?.type === 'confirm_needed') {
        append(sessionId, {
          type: 'tool_use',
          toolUseId,
          toolName: card.toolName,
          toolInput: card.toolInput,
          tier: 'red',
        })
      }
      ack({ ok: true })
    })
    socket.on('chat:abort', ({ sessionId, runId }, ack) => {
      const begun = sessions
        .get(sessionId)
        ?.entries.find((entry) => entry.type === 'subrun' && entry.change === 'begin' && entry.runId === runId)
      if (begun?.type === 'subrun') {
        const { toolUseId, agent, for: asker } = begun
        const summary = 'A person, operator, stopped it before it was done.'
        const came = { state: 'stopped', by: 'operator', summary, calls: 1, tokens: 900, durationMs: 9_000 } as const
        append(sessionId, { type: 'subrun', change: 'end', toolUseId, agent, for: asker, ...came }, runId)
      }
      append(
        sessionId,
        {
          type: 'done',
          usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
          stopReason: 'aborted',
        },
        runId,
      )
      ack({ ok: true })
    })
    socket.on('chat:unqueue', ({ sessionId, messageId }, ack) => {
      const session = sessions.get(sessionId)
      if (session !== undefined) {
        session.queued = (session.queued ?? []).filter((message) => message.messageId !== messageId)
        tell(sessionId, 'chat:queued', { queued: session.queued })
      }
      ack({ ok: true })
    })
  })
  cluster.on('connection', (socket) => socket.emit('cluster:snapshot', { cluster: scene.cluster }))
  events.on('connection', (socket) => {
    socket.emit('ages', behaviour.ages)
    for (const [id, activity] of (scene.feed ?? []).entries()) socket.emit('event', { id, ...activity })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    const changed = (id: string | undefined, act: string | undefined) => {
      const changes = scene.changes ?? []
      const target = searchParams.get('target')
      if (id === undefined) {
        const isWanted = ({ state, target: { id: of } }: Change) =>
          (target === null || of === target) && (state === 'armed' || !searchParams.has('armed'))
        return json(200, { items: changes.filter(isWanted), now: Date.now() })
      }
      const change = changes.find((known) => known.id === id)
      if (change === undefined) return json(404, { error: { code: 'not_found', message: 'There is no such change.' } })
      if (act === undefined) return json(200, change)
      answers.push({ id, act })
      if (act === 'keep' && change.state !== 'armed')
        return json(409, { error: { code: 'conflict', message: 'It was taken back before.' } })
      Object.assign(change, { state: act === 'keep' ? 'made' : 'undone', decidedBy: 'operator', decidedAt: Date.now() })
      if (act === 'keep') delete change.goesBackAt
      events.emit('changed', { what: 'changes' })
      return json(200, { ok: true, sessionId: scene.sessions[0]?.id, runId: 'run_undo' })
    }
    if (!pathname.startsWith('/api/')) return sendBuilt(dist, pathname, response)
    if (pathname === '/api/auth/login') {
      const given = ((await bodyOf(request)) as { password: string }).password
      if (given === password)
        return json(200, {
          token: tokenOf('operator'),
          expiresIn: 3_600,
          role: 'operator',
          person: { id: 'operator', name: 'operator', role: 'owner' },
        })
      return json(401, { error: { code: 'invalid_credentials', message: 'The password is wrong.' } })
    }
    if (!takes(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return json(401, { error: { code: 'unauthorized', message: 'Sign in again.' } })
    const check = /^\/api\/executions\/(\w+)\/check$/.exec(pathname)?.[1]
    if (check !== undefined && request.method === 'POST') {
      checked.push(check)
      const { status, body } = await behaviour.answersCheck(check)
      return json(status, body)
    }
    if (pathname === '/api/auth/logout') return json(200, {})
    if (pathname === '/api/status') {
      return json(200, {
        version: '0.2.0',
        uptimeS: 1,
        model: 'anthropic/claude-sonnet-4',
        models: ['anthropic/claude-sonnet-4'],
        isDemoModel: false,
        isDemoCluster: scene.isDemoCluster ?? false,
        hasTerminal: false,
        policy: { profile: 'balanced' },
        parts: [],
      } satisfies Status)
    }
    if (isWatched(pathname)) {
      const one = { method: request.method ?? 'GET', path: pathname, body: await bodyOf(request) }
      if (one.method !== 'GET') asked.push(one)
      scene.watch ??= {}
      scene.watch.alerts ??= firingIn(scene.cluster)
      const changed = (what: string) => void events.emit('changed', { what })
      const watched = { scene: scene.watch, sessionId: scene.sessions[0]?.id, changed }
      const { status, body } = answerWatch(watched, { ...one, query: searchParams })
      return json(status, body)
    }
    if (pathname === '/api/tools') return json(200, { items: scene.tools ?? [] })
    if (pathname === '/api/sessions') {
      const items = [...sessions.values()].map((session) => ({
        id: session.id,
        title: session.title,
        source: session.source ?? 'chat',
        createdAt: session.updatedAt,
        updatedAt: session.updatedAt,
        isRunning: session.runId !== undefined,
        pendingCount: pendingOf(session).length,
      }))
      return json(200, { items })
    }
    const earlier = /^\/api\/sessions\/(\w+)\/entries$/.exec(pathname)?.[1]
    if (earlier !== undefined) return json(200, pageBefore(sessions.get(earlier)?.earlier ?? [], searchParams))
    const [, stopped] = /^\/api\/sessions\/\w+\/commands(?:\/(\w+)\/stop)?$/.exec(pathname) ?? []
    if (/^\/api\/sessions\/\w+\/commands/.test(pathname)) {
      scene.commands = (scene.commands ?? []).map((row) =>
        row.id === stopped ? { ...row, status: 'ended', words: 'stopped', endedAt: Date.now(), changes: 0 } : row,
      )
      return stopped === undefined ? json(200, { items: scene.commands, now: Date.now() }) : json(204, undefined)
    }
    const diff = scene.diffs?.[/^\/api\/workbench\/diff\/(\w+)$/.exec(pathname)?.[1] ?? '']
    if (diff !== undefined) return json(200, { items: diff })
    const picture = /^\/api\/sessions\/\w+\/images\/(\w+)$/.exec(pathname)?.[1]
    if (picture !== undefined) {
      const [type, data] = scene.pictures?.[picture] ?? []
      if (data !== undefined) return void response.writeHead(200, { 'Content-Type': type }).end(data)
    }
    if (/^\/api\/sessions\/\w+\/versions$/.test(pathname)) return json(200, { items: [] })
    const [, changeId, act] = /^\/api\/changes(?:\/(\w+))?(?:\/(keep|undo))?$/.exec(pathname) ?? []
    if (pathname.startsWith('/api/changes')) return changed(changeId, act)
    const guest = /^\/api\/guests\/(\d+)$/.exec(pathname)?.[1]
    const read = guest === undefined ? undefined : scene.guests?.[guest]
    if (read !== undefined) return json(200, read)
    const [, of, snapshot] = /^\/api\/guests\/(\d+)\/snapshots\/(.+)$/.exec(pathname) ?? []
    const values = scene.snapshots?.[`${of}/${snapshot}`]
    if (values !== undefined) return json(200, { name: snapshot, values })
    if (pathname.endsWith('/classify')) {
      const { input } = (await bodyOf(request)) as { input: Record<string, unknown> }
      const said = scene.classify?.(pathname.split('/')[3] ?? '', input)
      if (said !== undefined) return json(200, said)
      const tier = pathname.includes('take_snapshot') ? 'yellow' : 'red'
      return json(200, { tier, rule: 'base', reason: 'The tool says so.' })
    }
    if (scene.samples !== undefined && pathname === '/api/samples') return json(200, scene.samples)
    if (pathname === '/api/people')
      return json(200, { items: [{ id: 'operator', name: 'operator', role: 'owner' }], removed: [], roles: [] })
    if (pathname === '/api/grants' || pathname === '/api/questions') return json(200, { items: [] })
    // No samples were recorded yet.
    if (pathname === '/api/samples') return json(200, { from: Date.now() - 3_540_000, stepMs: 60_000, items: [] })
    if (pathname === '/api/limits') return json(200, usualLimits)
    if (pathname === '/api/confirmations') {
      const pending = [...sessions.values()].flatMap((session) =>
        pendingOf(session).map((card) => ({ ...card, sessionId: session.id })),
      )
      return json(200, { items: [...pending, ...(scene.decided ?? [])] })
    }
    return json(404, { error: { code: 'not_found', message: `There is no ${pathname}.` } })
  }

  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(port, '127.0.0.1', resolve))
  const address = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    append,
    tell,
    decisions,
    sent,
    checked,
    answers,
    /** Ids of the sessions that sockets attached to, in order. */
    attached,
    asked,
    /** Tells all clients that a list changed. */
    changed: (what: string) => void events.emit('changed', { what }),
    /** Every token that a client sent to this server. */
    tokens: seen,
    revoke: (...tokens: string[]) => {
      for (const token of tokens) revoked.add(token)
    },
    behaviour,
    updateCluster: (update: ClusterUpdate) => void cluster.emit('cluster:update', update),
    /** Closes every connection without notice, as a network failure does. Clients reconnect by themselves. */
    drop: () => {
      for (const wire of wires) wire.destroy()
    },
    /** Stops like a killed server. The scene keeps its state and can be played again. */
    async close() {
      const closed = io.close()
      // A browser keeps idle connections open, and the closing server would wait for them.
      http.closeAllConnections()
      await closed
    },
  }
}

export type Scripted = Awaited<ReturnType<typeof startScripted>>
