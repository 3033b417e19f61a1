import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import {
  type Card,
  type EntryOf,
  JarvisError,
  maxMessageBytes,
  noUsage,
  type QueuedMessage,
  type Requester,
  type Snapshot,
  type ToolCall,
  type ToolInput,
  type Usage,
} from '../protocol/index.ts'
import { callModel, type StreamRedactor } from './call-model.ts'
import { parseCommand } from './command.ts'
import { toMessages, windowOf } from './conversation.ts'
import { type ActiveRun, createLiveSession, type LiveSession, type Publish } from './live-session.ts'
import { type Model, ModelError, type ModelRequest, type ModelSink, type ToolSpec, type Turn } from './model.ts'
import { nextStep, settles } from './next-step.ts'
import { createTokenPump } from './token-pump.ts'
import type { Draft, RunRow, StoredEntry, TranscriptStore } from './transcript-store.ts'
import { wireEntry } from './wire-entry.ts'

/** Settles one call of a run; `tools/execute.ts` implements it. */
export type ToolRunner = {
  settle(
    call: ToolCall,
    context: {
      sessionId: string
      runId: string
      requestedBy: Requester
      signal: AbortSignal
      abortedBy(): string
      append(entry: Draft): void
      progress(toolUseId: string, message: string): void
      before: Promise<unknown> | undefined
    },
  ): Promise<void>
}

export type Sent = { sessionId: string; runId: string; messageId: string; queued: boolean }
export type CallOutcome = EntryOf<'tool_result'> | EntryOf<'blocked'> | EntryOf<'confirm_resolved'>

/** The one door through which a run starts. */
export type Runs = {
  /** Stores the message and starts its run, or queues it behind the one that goes on. @throws JarvisError */
  send(message: { sessionId?: string; text: string; by: string; requestId?: string }): Sent
  /** Runs one tool call for an MCP client through the gate. Withdrawn when `signal` aborts. */
  callTool(call: {
    sessionId: string
    toolName: string
    toolInput: ToolInput
    requestedBy: Requester
    signal: AbortSignal
    onProgress(message: string): void
  }): Promise<CallOutcome>
  /** Stops the run that goes on, if any; its pending cards are cancelled. */
  abort(sessionId: string, by: string): void
  unqueue(sessionId: string, messageId: string): void
  /** @throws JarvisError `unknown_session` */
  snapshot(sessionId: string): Snapshot
  rename(sessionId: string, title: string): void
  /** Ends what goes on in it and deletes it. */
  remove(sessionId: string, by: string): Promise<void>
  isRunning(sessionId: string): boolean
  /** Takes up what a stopped process left unfinished. Called once, before anybody is served. */
  resume(): void
  /** Takes no more work and lets go of the models; what is unfinished is taken up at the next start. */
  stop(): void
}

const untitled = 'New chat'
const snapshotEntries = 200

export function createRuns(parts: {
  store: TranscriptStore
  model: Model
  tools: ToolRunner
  toolSpecs: readonly ToolSpec[]
  clock: Clock
  publish: Publish
  afterCommit(run: () => void): void
  /** The system prompt, and the cluster summary for a new message. */
  prompt(): string
  context(): string
  pending(sessionId: string): Card[]
  redact: { text(text: string): string; value<T>(value: T): T; stream(): StreamRedactor }
  generate(
    model: Model,
    request: ModelRequest,
    sink: ModelSink,
    signal: AbortSignal,
    onRetry: (notice: { message: string; retryInMs: number }) => void,
  ): Promise<Turn>
  historyLimit: number
  maxTurns: number
  /** A session's standing has changed: its title, or whether it runs. */
  changed(sessionId: string): void
  report(error: unknown, message: string): void
}): Runs {
  const { store, model, clock, redact } = parts
  const live = new Map<string, LiveSession>()
  let isStopping = false
  const openStream = createTokenPump()

  const toWire = (entry: StoredEntry) => wireEntry(entry, redact)

  function stored(sessionId: string) {
    const session = store.session(sessionId)
    if (session === undefined) throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return session
  }

  function open(sessionId: string): LiveSession {
    const known = live.get(sessionId)
    if (known !== undefined) return known
    const session = createLiveSession(stored(sessionId), { ...parts, toWire })
    live.set(sessionId, session)
    return session
  }

  const chatRun = (session: LiveSession | undefined) =>
    session && [...session.runs.values()].find(({ row }) => row.source === 'chat')

  const queuedOf = (sessionId: string): QueuedMessage[] =>
    store
      .unfinishedRuns(sessionId)
      .filter(({ status }) => status === 'queued')
      .map(({ messageId, text, by, at }) => ({ messageId, text, by, at }))

  /** Puts a run to work, once the caller has said so to whoever asked. `taken`: its entries, where it is taken up again. */
  function start(session: LiveSession, row: RunRow, requestedBy: Requester, taken: StoredEntry[] = []): ActiveRun {
    const run: ActiveRun = {
      row,
      entries: taken,
      abort: new AbortController(),
      modelAbort: new AbortController(),
      abortedBy: 'jarvis',
      partial: { text: '', thinking: '' },
      progress: {},
      ended: Promise.resolve(),
    }
    session.runs.set(row.id, run)
    run.ended = Promise.resolve()
      .then(() => drive(session, run, requestedBy))
      .catch((error: unknown) => parts.report(error, `run ${row.id} could not be ended`))
    return run
  }

  function stopRun(run: ActiveRun, by: string) {
    run.abortedBy = by
    run.abort.abort()
    run.modelAbort.abort()
  }

  async function drive(session: LiveSession, run: ActiveRun, requestedBy: Requester): Promise<void> {
    try {
      if (run.entries.length === 0) begin(session, run)
      const isCommand = run.entries.some((entry) => entry.type === 'assistant' && entry.model === 'command')
      const asker: Requester = isCommand ? { kind: 'command', name: run.row.by } : requestedBy
      let history: StoredEntry[] | undefined
      for (;;) {
        const step = nextStep(run.entries, parts.maxTurns)
        if (step.type === 'end') {
          end(session, run, { type: 'done', usage: usageOf(run.entries), stopReason: step.stopReason })
          return
        }
        if (step.type === 'settle_calls') {
          await settleCalls(session, run, step.calls, asker)
          continue
        }
        if (run.abort.signal.aborted) {
          end(session, run, { type: 'done', usage: usageOf(run.entries), stopReason: 'aborted' })
          return
        }
        history ??= earlierEntries(session.id, run)
        // Lets Engine.IO send what is due before the request is built.
        await new Promise(setImmediate)
        await callModel({
          model,
          session,
          run,
          redact: redact.text,
          redactors: { text: redact.stream(), thinking: redact.stream() },
          stream: openStream((kind, text) =>
            session.emit(run.row.id, kind === 'text' ? 'chat:token' : 'chat:thinking', { text }),
          ),
          signal: run.modelAbort.signal,
          request: {
            system: parts.prompt(),
            messages: toMessages([...history, ...run.entries]),
            tools: parts.toolSpecs,
            mayCallTools: step.mayCallTools,
          },
          generate: (...args) => parts.generate(...args, (notice) => notify(session, run, notice)),
        })
      }
    } catch (error) {
      // Nothing is said of a run that the next start takes up.
      if (isStopping) return
      const known = error instanceof ModelError || error instanceof JarvisError
      if (!known) parts.report(error, `run ${run.row.id} failed`)
      const message = known
        ? error.message
        : 'Something went wrong inside JARVIS. Your message is kept; the log says more.'
      end(session, run, { type: 'error', error: redact.text(message), code: known ? error.code : 'internal' })
    } finally {
      session.runs.delete(run.row.id)
      if (!isStopping) goOn(session)
    }
  }

  /** The first entries of a run: the message, and the call where it is a command. */
  function begin(session: LiveSession, run: ActiveRun) {
    const { row } = run
    store.atomically(() => {
      store.setRunStatus(row.id, 'running')
      if (row.source === 'mcp') {
        if (run.call !== undefined) session.append(run, calls('mcp', run.call.toolName, run.call.toolInput))
        return
      }
      const text = redact.text(row.text)
      if (session.title === untitled) {
        session.rename(titleOf(text))
        session.emit(row.id, 'chat:title', { title: session.title })
      }
      session.append(run, { type: 'user', messageId: row.messageId, text, by: row.by, context: parts.context() })
      const command = parseCommand(row.text)
      if (command === undefined) return
      if (!command.ok) throw new JarvisError('invalid_request', command.problem)
      session.append(run, calls('command', command.toolName, command.toolInput))
    })
    parts.changed(session.id)
  }

  /** All at once; changes to one guest one after the other, in the order they were asked. */
  async function settleCalls(session: LiveSession, run: ActiveRun, open: ToolCall[], requestedBy: Requester) {
    const lastOf = new Map<unknown, Promise<void>>()
    await Promise.all(
      open.map((call) => {
        const guest = call.toolInput.vmid
        const settled = parts.tools.settle(call, {
          sessionId: session.id,
          runId: run.row.id,
          requestedBy,
          signal: run.abort.signal,
          abortedBy: () => run.abortedBy,
          append(entry) {
            if ('toolUseId' in entry && entry.type === 'tool_result') delete run.progress[entry.toolUseId]
            session.append(run, entry)
          },
          progress(toolUseId, message) {
            run.progress[toolUseId] = message
            session.emit(run.row.id, 'chat:tool_progress', { toolUseId, message })
            run.onProgress?.(message)
          },
          before: guest === undefined ? undefined : lastOf.get(guest),
        })
        if (guest !== undefined) lastOf.set(guest, settled)
        return settled
      }),
    )
  }

  function notify(
    session: LiveSession,
    run: ActiveRun,
    { message, retryInMs }: { message: string; retryInMs: number },
  ) {
    run.notice = { message, retryAt: clock.now() + retryInMs }
    session.emit(run.row.id, 'chat:notice', { message, retryInMs })
  }

  function end(session: LiveSession, run: ActiveRun, last: Extract<Draft, { type: 'done' | 'error' }>) {
    store.atomically(() => {
      session.append(run, last)
      store.setRunStatus(run.row.id, 'ended')
    })
  }

  /** After a run: the next queued message, or rest. */
  function goOn(session: LiveSession) {
    const next = store.unfinishedRuns(session.id).find(({ status }) => status === 'queued')
    if (next !== undefined && chatRun(session) === undefined) {
      start(session, next, chatAsker())
      tellQueue(session, next.id)
    }
    if (session.runs.size === 0) {
      session.rest()
      live.delete(session.id)
    }
    parts.changed(session.id)
  }

  const tellQueue = (session: LiveSession, runId: string) =>
    session.emit(runId, 'chat:queued', { queued: queuedOf(session.id) })

  const chatAsker = (): Requester => ({ kind: 'chat', name: model.id })

  function earlierEntries(sessionId: string, run: ActiveRun): StoredEntry[] {
    const window = windowOf(store.countRuns(sessionId), parts.historyLimit)
    return store.newestRuns(sessionId, window).filter(({ runId }) => runId !== run.row.id)
  }

  return {
    send({ sessionId, text, by, requestId }) {
      if (isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
      if (Buffer.byteLength(text) > maxMessageBytes) {
        throw new JarvisError(
          'message_too_large',
          `A message may hold ${maxMessageBytes / 1024} kB. Send less, or in parts.`,
        )
      }
      if (requestId !== undefined) {
        const earlier = store.replyTo('send', by, requestId)
        if (earlier !== undefined) return earlier as Sent
      }
      const at = clock.now()
      const { session, sent, row } = store.atomically(() => {
        const id = sessionId ?? newId('ses')
        if (sessionId === undefined) store.createSession({ id, title: titleOf(redact.text(text)), source: 'chat', at })
        const session = open(id)
        const queued = chatRun(session) !== undefined
        const row: RunRow = {
          id: newId('run'),
          sessionId: id,
          source: 'chat',
          status: 'queued',
          messageId: newId('msg'),
          text,
          by,
          at,
        }
        store.addRun(row)
        const sent = { sessionId: id, runId: row.id, messageId: row.messageId, queued }
        if (requestId !== undefined) store.rememberReply('send', by, requestId, sent, at)
        return { session, sent, row }
      })
      if (sent.queued) tellQueue(session, row.id)
      else start(session, row, chatAsker())
      return sent
    },

    async callTool({ sessionId, toolName, toolInput, requestedBy, signal, onProgress }) {
      if (isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down.')
      const session = open(sessionId)
      const at = clock.now()
      const id = newId('run')
      const row: RunRow = {
        id,
        sessionId,
        source: 'mcp',
        status: 'running',
        messageId: newId('msg'),
        text: '',
        by: requestedBy.name,
        at,
      }
      store.addRun(row)
      const run = start(session, row, requestedBy)
      run.call = { toolName, toolInput }
      run.onProgress = onProgress
      const onAbort = () => stopRun(run, requestedBy.name)
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      await run.ended
      signal.removeEventListener('abort', onAbort)
      const outcome = run.entries.find(settles)
      if (outcome === undefined) throw new JarvisError('internal', 'The call has no outcome.')
      return outcome
    },

    abort(sessionId, by) {
      stored(sessionId)
      const run = chatRun(live.get(sessionId))
      if (run !== undefined) stopRun(run, by)
    },

    unqueue(sessionId, messageId) {
      stored(sessionId)
      const row = store.unfinishedRuns(sessionId).find((run) => run.messageId === messageId)
      if (row === undefined || !store.removeQueued(row.id)) {
        throw new JarvisError('not_found', 'That message is no longer queued.')
      }
      tellQueue(open(sessionId), row.id)
    },

    snapshot(sessionId) {
      const { title, nextSeq } = stored(sessionId)
      const session = live.get(sessionId)
      const run = chatRun(session)
      const { items, hasEarlier } = store.entriesBefore(sessionId, Number.MAX_SAFE_INTEGER, snapshotEntries)
      return {
        sessionId,
        title,
        seq: (session?.nextSeq() ?? nextSeq) - 1,
        ...(run && { runId: run.row.id }),
        entries: items.map(toWire),
        hasEarlier,
        partial: run ? { ...run.partial } : { text: '', thinking: '' },
        pending: parts.pending(sessionId),
        queued: queuedOf(sessionId),
        progress: Object.assign({}, ...[...(session?.runs.values() ?? [])].map(({ progress }) => progress)),
        ...(run?.notice && { notice: run.notice }),
      }
    },

    rename(sessionId, title) {
      stored(sessionId)
      const session = live.get(sessionId)
      if (session === undefined) store.renameSession(sessionId, title)
      else session.rename(title)
      parts.changed(sessionId)
    },

    async remove(sessionId, by) {
      stored(sessionId)
      const session = live.get(sessionId)
      for (const { id } of store.unfinishedRuns(sessionId)) store.removeQueued(id)
      const runs = [...(session?.runs.values() ?? [])]
      for (const run of runs) stopRun(run, by)
      await Promise.all(runs.map(({ ended }) => ended))
      live.delete(sessionId)
      store.deleteSession(sessionId)
      parts.changed(sessionId)
    },

    isRunning: (sessionId) => (live.get(sessionId)?.runs.size ?? 0) > 0,

    resume() {
      const rows = store.unfinishedRuns()
      for (const row of rows.filter(({ status }) => status === 'running')) {
        const entries = store.entriesOfRun(row.id)
        const run = start(
          open(row.sessionId),
          row,
          row.source === 'chat' ? chatAsker() : { kind: 'mcp', name: row.by },
          entries,
        )
        // Nobody is there any more to take an MCP call's answer.
        if (row.source === 'mcp') stopRun(run, 'jarvis')
      }
      for (const { sessionId } of rows) {
        const session = open(sessionId)
        if (session.runs.size === 0) goOn(session)
      }
    },

    stop() {
      isStopping = true
      for (const session of live.values()) for (const run of session.runs.values()) run.modelAbort.abort()
    },
  }
}

const calls = (
  model: 'command' | 'mcp',
  toolName: string,
  toolInput: ToolInput,
): Extract<Draft, { type: 'assistant' }> => ({
  type: 'assistant',
  model,
  content: [{ type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput }],
  usage: noUsage,
  stopReason: 'tool_use',
})

const usageOf = (entries: readonly StoredEntry[]): Usage =>
  entries.reduce<Usage>(
    (sum, entry) =>
      entry.type !== 'assistant'
        ? sum
        : {
            inputTokens: sum.inputTokens + entry.usage.inputTokens,
            outputTokens: sum.outputTokens + entry.usage.outputTokens,
            cacheReadTokens: sum.cacheReadTokens + entry.usage.cacheReadTokens,
            cacheWriteTokens: sum.cacheWriteTokens + entry.usage.cacheWriteTokens,
          },
    noUsage,
  )

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length <= 60 ? line : `${line.slice(0, 59).trimEnd()}…`.toWellFormed()
}
