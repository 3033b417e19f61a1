import type { Clock } from '../lib/clock.ts'
import { type EntryOf, JarvisError, noUsage, type Recalled, type Requester, type ToolCall } from '../protocol/index.ts'
import { callModel, type StreamRedactor } from './call-model.ts'
import { createCheckpoints } from './checkpoints.ts'
import { parseCommand } from './command.ts'
import { toMessages, windowOf } from './conversation.ts'
import { effortLine, effortOrder } from './effort.ts'
import {
  type Model,
  type ModelChoice,
  ModelError,
  type ModelImage,
  type ModelRequest,
  type ModelSink,
  type ToolSpec,
  type Turn,
} from './model.ts'
import { nextStep } from './next-step.ts'
import { duringRehearsal, rehearsalLine, rehearsalOrder } from './rehearsal.ts'
import { stuckWords } from './repeats.ts'
import type { ActiveRun, LiveSession } from './sessions/live-session.ts'
import { titleOf, untitled } from './sessions/title.ts'
import type { Draft, RunRow, StoredEntry, TranscriptStore } from './sessions/transcript-store.ts'
import { type Sources, sourcesOf, tellingTypes } from './sources.ts'
import { type CostOf, spentOn } from './spent.ts'
import { createTokenPump } from './token-pump.ts'
import { calling, contextOf, saying, type ToolRunner } from './tool-runner.ts'

export type RunParts = {
  store: TranscriptStore
  /** A turn ends with the one it began with. */
  models: ModelChoice
  costOf: CostOf
  tools: ToolRunner
  /** A picture that a tool of the session gave. */
  image(sessionId: string, id: string): ModelImage | undefined
  toolSpecs: readonly ToolSpec[]
  clock: Clock
  /** The system prompt, and the cluster summary for a new message. */
  prompt(): string
  context(): string
  /** What the memory has to say to a message; never rejects, and never takes long. */
  /** `problem`: why nothing could be recalled. */
  recall(message: string): Promise<{ items: Recalled[]; problem?: string }>
  /** Told of each reply of a model. */
  used(turn: Pick<EntryOf<'assistant'>, 'model' | 'usage' | 'isUsagePartial'>): void
  /** Told of each run that has ended. */
  ended(sessionId: string, entries: readonly StoredEntry[]): void
  redact: { text(text: string): string; value<T>(value: T): T; stream(): StreamRedactor }
  generate(
    model: Model,
    request: ModelRequest,
    sink: ModelSink,
    signal: AbortSignal,
    onRetry: (notice: Notice) => void,
  ): Promise<Turn>
  /** Runs of history sent to the model; model calls in one run. */
  historyLimit: number
  maxTurns: number
  report(error: unknown, message: string): void
}

type Notice = { message: string; retryInMs: number }

export type RunAgent = {
  /** Stores a run's first entries: the message, and the call where it is a command or came over MCP. @returns what shows them. */
  begin(session: LiveSession, run: ActiveRun): () => void
  /** An MCP client's call, from its beginning to its end. @throws what kept it from being stored */
  call(session: LiveSession, run: ActiveRun, requestedBy: Requester): Promise<void>
  /** The loop's driver: asks `nextStep`, does it, until the run has its last entry. Never rejects for a run's own fault. */
  go(session: LiveSession, run: ActiveRun, requestedBy: Requester): Promise<void>
  /** What answers it: the model chosen for it as long as that is configured, else the one in use. */
  modelOf(row: Pick<RunRow, 'model'>): Model
}

export function createRunAgent(parts: RunParts): RunAgent {
  const { store, models, clock, redact, costOf } = parts
  const openStream = createTokenPump()
  const checkpoint = createCheckpoints(parts)

  async function go(session: LiveSession, run: ActiveRun, requestedBy: Requester): Promise<void> {
    try {
      run.show?.()
      if (run.entries.length === 0) store.atomically(() => begin(session, run))()
      const command = run.row.source === 'chat' ? commandIn(run.row.text) : undefined
      if (command?.ok === false) throw new JarvisError('invalid_request', command.problem)
      keepPartial(session, run)
      answerOrder(session, run)
      while (!hasEnded(run)) {
        const step = nextStep(run.entries, parts.maxTurns)
        if (step.type === 'settle_calls') {
          await settleCalls(session, run, step.calls, requestedBy)
        } else if (step.type === 'end' || run.abort.signal.aborted) {
          const stopReason = step.type === 'end' && !run.abort.signal.aborted ? step.stopReason : 'aborted'
          const said = stopReason === 'stuck' ? [stuckWords(run.entries)] : []
          end(session, run, { type: 'done', ...spentOn(run.entries, costOf), stopReason }, said)
          return
        } else {
          // Lets Engine.IO send what is due before the request is built.
          await new Promise(setImmediate)
          await recall(session, run)
          await takeTurn(session, run, step.mayCallTools)
        }
      }
    } catch (error) {
      // The server goes down: nothing is said of a run that the next start takes up.
      if (run.modelAbort.signal.aborted && !run.abort.signal.aborted) return
      fail(session, run, error)
    } finally {
      if (hasEnded(run) && run.row.source === 'chat') parts.ended(session.id, run.entries)
    }
  }

  function begin(session: LiveSession, run: ActiveRun): () => void {
    const { row, call } = run
    const first: (Draft & { context?: string })[] = []
    if (row.source === 'chat') {
      const { messageId, text, by } = row
      const command = commandIn(text)
      const context = session.isRehearsal ? `${parts.context()}\n\n${duringRehearsal}` : parts.context()
      first.push({ type: 'user', messageId, text, by, context })
      if (command?.ok) first.push(calling('command', command.toolName, command.toolInput))
    } else if (call !== undefined) {
      row.position = store.addRun(row)
      first.push(calling('mcp', call.toolName, call.toolInput))
    }
    const isNamed = row.source === 'chat' && session.title === untitled
    if (isNamed) session.rename(titleOf(row.text))
    const kept = first.map((draft) => session.keep(run, draft))
    return () => {
      for (const { show } of kept) show()
      if (isNamed) session.emit(row.id, 'chat:title', { title: session.title })
    }
  }

  /** `/home is full` is for the model: neither a tool's name nor written like a call. */
  function commandIn(text: string) {
    if (rehearsalOrder(text) !== undefined || effortOrder(text) !== undefined) return undefined
    const command = parseCommand(text)
    const isTool = parts.toolSpecs.some(({ name }) => name === command?.toolName)
    return command?.ok === false && !isTool ? undefined : command
  }

  /** Without a model; what a line orders for the session is done when it is sent. */
  function answerOrder(session: LiveSession, run: ActiveRun) {
    if (run.row.source !== 'chat' || run.entries.some(({ type }) => type === 'assistant')) return
    const rehearsal = rehearsalOrder(run.row.text)
    if (rehearsal !== undefined) session.append(run, saying(rehearsal.problem ?? rehearsalLine(session.isRehearsal)))
    const effort = effortOrder(run.row.text)
    if (effort !== undefined) {
      session.append(run, saying(effort.problem ?? effortLine(store.session(session.id)?.effort)))
    }
  }

  /** Before a message's first turn. */
  async function recall(session: LiveSession, run: ActiveRun) {
    if (run.entries.some(({ type }) => type === 'assistant' || type === 'recalled')) return
    const { items, problem } = await parts.recall(run.row.text)
    if (run.abort.signal.aborted) return
    if (problem !== undefined) {
      run.notice = { message: problem }
      session.emit(run.row.id, 'chat:notice', { message: problem })
    }
    if (items.length > 0) session.append(run, { type: 'recalled', items })
  }

  /** What had streamed when the server stopped is kept as it is; the model goes on from there. */
  function keepPartial(session: LiveSession, run: ActiveRun) {
    const { text } = run.partial
    if (text === '') return
    run.partial.text = ''
    store.atomically(() => {
      store.savePartial(run.row.id, '')
      const content = [{ type: 'text' as const, text }]
      session.append(run, {
        type: 'assistant',
        model: modelOf(run.row).id,
        content,
        usage: noUsage,
        isUsagePartial: true,
        stopReason: 'interrupted',
      })
    })
  }

  async function takeTurn(session: LiveSession, run: ActiveRun, mayCallTools: boolean) {
    const { id } = run.row
    run.prompt ??= parts.prompt()
    run.toolSpecs ??= parts.toolSpecs
    if (run.effort === null) run.effort = store.session(session.id)?.effort
    await callModel({
      model: modelFor(session, run),
      session,
      run,
      redact: redact.text,
      redactors: { text: redact.stream(), thinking: redact.stream() },
      openStream,
      checkpoint: () => checkpoint(run),
      signal: run.modelAbort.signal,
      keep: (turn) => keepTurn(session, run, turn),
      request: {
        system: run.prompt,
        messages: toMessages([...earlierEntries(session.id, run), ...run.entries], (id) => parts.image(session.id, id)),
        tools: run.toolSpecs,
        ...(run.effort !== undefined && { effort: run.effort }),
        mayCallTools,
      },
      generate: (...args) =>
        parts.generate(...args, ({ message, retryInMs }) => {
          run.notice = { message, retryAt: clock.now() + retryInMs }
          session.emit(id, 'chat:notice', { message, retryInMs })
        }),
    })
  }

  /** The one chosen for the run, as long as it is configured. */
  const modelOf: RunAgent['modelOf'] = ({ model: chosen }) =>
    (chosen === undefined ? undefined : models.named(chosen)) ?? models.current()

  function modelFor(session: LiveSession, run: ActiveRun): Model {
    const { model: chosen, id } = run.row
    const model = modelOf(run.row)
    const message = `${chosen} is not configured any more; ${model.id} answers.`
    if (chosen !== undefined && model.id !== chosen && run.notice?.message !== message) {
      run.notice = { message }
      session.emit(id, 'chat:notice', { message })
    }
    return model
  }

  function earlierEntries(sessionId: string, run: ActiveRun): StoredEntry[] {
    run.earlier ??=
      run.row.position === 0
        ? []
        : store
            .newestRuns(sessionId, windowOf(run.row.position + 1, parts.historyLimit))
            .filter(({ runId }) => runId !== run.row.id)
    return run.earlier
  }

  /** What the one who asks had read: the model all that it is given, a client its own earlier results. */
  const sourcesFor = (sessionId: string, run: ActiveRun, { toolUseId }: ToolCall): Sources =>
    // A command is the operator's own words.
    isCommand(run)
      ? { results: [], operatorTexts: [] }
      : withRead(
          sourcesOf([...earlierEntries(sessionId, run), ...run.entries], toolUseId, run.row.source, tellingEntries),
          run.read,
        )

  /** The newest of an operator's conversation. */
  const tellingEntries = (sessionId: string): StoredEntry[] =>
    store.session(sessionId)?.source === 'chat' ? store.newestRuns(sessionId, mostRunsRemembered, tellingTypes) : []

  /** All at once; changes to one thing one after the other, in the order they were asked. */
  async function settleCalls(session: LiveSession, run: ActiveRun, open: ToolCall[], requestedBy: Requester) {
    const lastOf = new Map<string, Promise<void>>()
    const outcomes = await Promise.allSettled(
      open.map((call) => {
        const locks = parts.tools.locksOf(call)
        const earlier = locks.flatMap((lock) => lastOf.get(lock) ?? [])
        const settled = parts.tools.settle(call, {
          ...contextOf(session, run),
          requestedBy: isCommand(run) ? { kind: 'command', name: run.row.by } : requestedBy,
          append(entry) {
            if (entry.type === 'tool_result') delete run.progress[entry.toolUseId]
            const entries = [...run.entries, session.append(run, entry)]
            if (entry.type === 'tool_result' && run.row.source === 'mcp') endWith(session, run, entries)
          },
          abortedBy: () => run.abortedBy,
          before: earlier.length === 0 ? undefined : Promise.all(earlier),
          isRehearsal: () => session.isRehearsal,
          sources: () => sourcesFor(session.id, run, call),
        })
        // Whatever becomes of one call, those after it may begin.
        const isOver = settled.catch(() => {})
        for (const lock of locks) lastOf.set(lock, isOver)
        return settled.catch((error: unknown) => {
          // It cannot even be written down: the run ends, and no card of it may outlive it.
          run.abort.abort()
          throw error
        })
      }),
    )
    const fault = outcomes.find((outcome) => outcome.status === 'rejected')
    if (fault !== undefined) throw fault.reason
  }

  /** Stores a turn, and in the same transaction the run's end where nothing follows. */
  function keepTurn(session: LiveSession, run: ActiveRun, turn: Extract<Draft, { type: 'assistant' }>) {
    store.atomically(() => {
      if (run.isPartialSaved) store.savePartial(run.row.id, '')
      endWith(session, run, [...run.entries, session.append(run, turn)])
    })
    parts.used(turn)
  }

  /** Stores the run's end with the last of `entries`, in its transaction, where nothing follows. */
  function endWith(session: LiveSession, run: ActiveRun, entries: readonly StoredEntry[]) {
    const step = nextStep(entries, parts.maxTurns)
    if (step.type !== 'end' || run.abort.signal.aborted) return
    keepEnd(session, run, { type: 'done', ...spentOn(entries, costOf), stopReason: step.stopReason })
  }

  /** The last entry, and where the session stands: where others go on there, the last of them tells. */
  function keepEnd(session: LiveSession, run: ActiveRun, last: Last) {
    session.append(run, last)
    store.setRunStatus(run.row.id, 'ended')
    run.isOver = true
    if ([...session.runs.values()].every(({ isOver }) => isOver)) session.rest()
  }

  function fail(session: LiveSession, run: ActiveRun, error: unknown) {
    const known = error instanceof ModelError || error instanceof JarvisError
    if (!known) parts.report(error, `run ${run.row.id} failed`)
    const message = known
      ? error.message
      : 'Something went wrong inside JARVIS. Your message is kept; the log says more.'
    const code = known ? error.code : 'internal'
    end(session, run, { type: 'error', error: redact.text(message), code, ...spentOn(run.entries, costOf) })
  }

  /** @param said JARVIS's own words before it */
  function end(session: LiveSession, run: ActiveRun, last: Last, said: readonly Draft[] = []) {
    try {
      store.atomically(() => {
        for (const words of said) session.append(run, words)
        keepEnd(session, run, last)
      })
    } catch (error) {
      // It cannot be stored, so the next start takes the run up again; whoever watches must still hear that it is over.
      parts.report(error, `run ${run.row.id} could not be ended`)
      const message = 'This could not be stored: the disk may be full. It is taken up again at the next start.'
      session.emit(run.row.id, 'chat:error', { at: clock.now(), error: message, code: 'storage_failed' })
    }
  }

  async function call(session: LiveSession, run: ActiveRun, requestedBy: Requester): Promise<void> {
    run.show = await store.together(() => begin(session, run))
    await go(session, run, requestedBy)
  }

  return { begin, call, go, modelOf }
}

/** Runs of an earlier conversation in which a text of the memory may have been said. */
const mostRunsRemembered = 200

type Last = Extract<Draft, { type: 'done' | 'error' }>

const hasEnded = ({ entries }: ActiveRun) => ['done', 'error'].includes(entries.at(-1)?.type ?? '')

const withRead = (sources: Sources, read: readonly string[] = []): Sources => ({
  ...sources,
  results: [...read.map((text) => ({ toolName: 'resource', toolUseId: 'resource', text })), ...sources.results],
})

const isCommand = (run: ActiveRun) =>
  run.entries.some((entry) => entry.type === 'assistant' && entry.model === 'command')
