import type { Clock } from '../lib/clock.ts'
import { type EntryOf, JarvisError, noUsage, type Recalled, type ToolCall } from '../protocol/index.ts'
import type { ActiveRun, RunProfile } from './active-run.ts'
import { callModel, type StreamRedactor } from './call-model.ts'
import { createCheckpoints } from './checkpoints.ts'
import { toMessages, windowOf } from './conversation.ts'
import {
  type Model,
  type ModelChoice,
  ModelError,
  type ModelImage,
  type ModelRequest,
  type ModelSink,
  type Turn,
} from './model.ts'
import { nextStep } from './next-step.ts'
import { type Origin, openingOf } from './origin.ts'
import { principalOf, rightsOf } from './principal.ts'
import { duringRehearsal } from './rehearsal.ts'
import { stuckWords } from './repeats.ts'
import type { LiveSession } from './sessions/live-session.ts'
import { titleOf, untitled } from './sessions/title.ts'
import type { Draft, StoredEntry, StoredSession, TranscriptStore } from './sessions/transcript-store.ts'
import { type Sources, sourcesOf, tellingTypes } from './sources.ts'
import { type CostOf, spentOn } from './spent.ts'
import { createTokenPump } from './token-pump.ts'
import { contextOf, saying, type ToolRunner } from './tool-runner.ts'

export type RunParts = {
  store: TranscriptStore
  /** A turn keeps the model that it began with. */
  models: ModelChoice
  costOf: CostOf
  tools: ToolRunner
  /** A picture that a tool of the session gave. */
  image(sessionId: string, id: string): ModelImage | undefined
  clock: Clock
  /** The profile of a run that begins now. */
  profile(session: Pick<StoredSession, 'effort'>): RunProfile
  /** The cluster summary for a new message. */
  context(): string
  /** Recalls passages for a message. Never rejects and never takes long. */
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
  report(error: unknown, message: string): void
}

type Notice = { message: string; retryInMs: number }

export type RunAgent = {
  /** Stores a run's first entries: the message, and the call where it is a command or came over MCP. @returns what shows them. */
  begin(session: LiveSession, run: ActiveRun): () => void
  /** An MCP client's call, from its beginning to its end. @throws what kept it from being stored */
  call(session: LiveSession, run: ActiveRun): Promise<void>
  /** Does what `nextStep` says until the run has its last entry. Never rejects for a run's own fault. */
  go(session: LiveSession, run: ActiveRun): Promise<void>
}

export function createRunAgent(parts: RunParts): RunAgent {
  const { store, models, clock, redact, costOf } = parts
  const openStream = createTokenPump()
  const checkpoint = createCheckpoints(parts)

  async function go(session: LiveSession, run: ActiveRun): Promise<void> {
    try {
      run.show?.()
      if (run.entries.length === 0) store.atomically(() => begin(session, run))()
      if (run.origin.kind === 'command') answerLine(session, run, run.origin.line)
      keepPartial(session, run)
      while (!hasEnded(run)) {
        const step = nextStep(run.entries, turnsOf(session, run))
        if (step.type === 'settle_calls') {
          await settleCalls(session, run, step.calls)
        } else if (step.type === 'end' || run.abort.signal.aborted) {
          const stopReason = step.type === 'end' && !run.abort.signal.aborted ? step.stopReason : 'aborted'
          const said = stopReason === 'stuck' ? [stuckWords(run.entries)] : []
          end(session, run, { type: 'done', ...spentOn(run.entries, costOf), stopReason }, said)
          return
        } else {
          // Lets Engine.IO flush before the request is built.
          await new Promise(setImmediate)
          if ('text' in run.origin) await recall(session, run, run.origin.text)
          await takeTurn(session, run, step.mayCallTools)
        }
      }
    } catch (error) {
      // The server is stopping and the next start resumes the run, so nothing is reported.
      if (run.modelAbort.signal.aborted && !run.abort.signal.aborted) return
      fail(session, run, error)
    } finally {
      if (hasEnded(run) && 'text' in run.origin) parts.ended(session.id, run.entries)
    }
  }

  function begin(session: LiveSession, run: ActiveRun): () => void {
    const { row, origin } = run
    const context = () => (session.isRehearsal ? `${parts.context()}\n\n${duringRehearsal}` : parts.context())
    const first = openingOf(origin, context)
    const isNamed = 'text' in origin && session.title === untitled
    if (isNamed) session.rename(titleOf(origin.text))
    const kept = first.map((draft) => session.keep(run, draft))
    return () => {
      for (const { show } of kept) show()
      if (isNamed) session.emit(row.id, 'chat:title', { title: session.title })
    }
  }

  /** Answers a command such as `/dry-run on`, which took effect when it was sent. */
  function answerLine(session: LiveSession, run: ActiveRun, line: Extract<Origin, { kind: 'command' }>['line']) {
    if ('ok' in line) {
      if (!line.ok) throw new JarvisError('invalid_request', line.problem)
    } else if (!run.entries.some(({ type }) => type === 'assistant')) {
      const { effort } = store.session(session.id) ?? {}
      session.append(run, saying(line.answer({ isRehearsal: session.isRehearsal, ...(effort && { effort }) })))
    }
  }

  /** Read when the run begins to be worked on, and kept for all of it. */
  function profileOf(session: LiveSession, run: ActiveRun): RunProfile {
    run.profile ??= parts.profile(store.session(session.id) ?? {})
    return run.profile
  }

  /** How many turns a run may have: one for a command or a client's call. */
  const turnsOf = (session: LiveSession, run: ActiveRun) =>
    rightsOf(principalIn(run)).hasModel ? profileOf(session, run).limits.turns : 1

  const principalIn = (run: ActiveRun) => principalOf(run.origin, modelOf(run).id)

  /** Before a message's first turn. */
  async function recall(session: LiveSession, run: ActiveRun, text: string) {
    if (run.entries.some(({ type }) => type === 'assistant' || type === 'recalled')) return
    const { items, problem } = await parts.recall(text)
    if (run.abort.signal.aborted) return
    if (problem !== undefined) {
      run.notice = { message: problem }
      session.emit(run.row.id, 'chat:notice', { message: problem })
    }
    if (items.length > 0) session.append(run, { type: 'recalled', items })
  }

  /** Stores the text that had streamed when the server stopped; the model continues from there. */
  function keepPartial(session: LiveSession, run: ActiveRun) {
    const { text } = run.partial
    if (text === '') return
    run.partial.text = ''
    store.atomically(() => {
      store.savePartial(run.row.id, '')
      const content = [{ type: 'text' as const, text }]
      session.append(run, {
        type: 'assistant',
        model: modelOf(run).id,
        content,
        usage: noUsage,
        isUsagePartial: true,
        stopReason: 'interrupted',
      })
    })
  }

  async function takeTurn(session: LiveSession, run: ActiveRun, mayCallTools: boolean) {
    const { id } = run.row
    const { prompt, tools, effort } = profileOf(session, run)
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
        system: prompt,
        messages: toMessages([...earlierEntries(session, run), ...run.entries], (id) => parts.image(session.id, id)),
        tools,
        ...(effort !== undefined && { effort }),
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
  function modelOf({ origin }: Pick<ActiveRun, 'origin'>): Model {
    const chosen = chosenFor(origin)
    return (chosen === undefined ? undefined : models.named(chosen)) ?? models.current()
  }

  function modelFor(session: LiveSession, run: ActiveRun): Model {
    const { id } = run.row
    const chosen = chosenFor(run.origin)
    const model = modelOf(run)
    const message = `${chosen} is not configured any more; ${model.id} answers.`
    if (chosen !== undefined && model.id !== chosen && run.notice?.message !== message) {
      run.notice = { message }
      session.emit(id, 'chat:notice', { message })
    }
    return model
  }

  function earlierEntries(session: LiveSession, run: ActiveRun): StoredEntry[] {
    run.earlier ??=
      run.row.position === 0
        ? []
        : store
            .newestRuns(session.id, windowOf(run.row.position + 1, profileOf(session, run).limits.history))
            .filter(({ runId }) => runId !== run.row.id)
    return run.earlier
  }

  /** The texts that the principal had read: a model all that it was given, a client the results of its own earlier calls. */
  function sourcesFor(session: LiveSession, run: ActiveRun, { toolUseId }: ToolCall): Sources {
    const { isForeign, hasModel } = rightsOf(principalIn(run))
    // A command is the operator's own words.
    if (!isForeign && !hasModel) return { results: [], operatorTexts: [] }
    const entries = [...earlierEntries(session, run), ...run.entries]
    const sources = sourcesOf(entries, toolUseId, isForeign, tellingEntries)
    const { read = [] } = ('asked' in run.origin && run.origin.asked) || {}
    const resources = read.map((text) => ({ toolName: 'resource', toolUseId: 'resource', text }))
    return { ...sources, results: [...resources, ...sources.results] }
  }

  /** The newest of an operator's conversation. */
  const tellingEntries = (sessionId: string): StoredEntry[] =>
    store.session(sessionId)?.source === 'chat' ? store.newestRuns(sessionId, mostRunsRemembered, tellingTypes) : []

  /** Runs all calls at once, and changes to the same thing one after the other in the order of the calls. */
  async function settleCalls(session: LiveSession, run: ActiveRun, open: ToolCall[]) {
    const principal = principalIn(run)
    const lastOf = new Map<string, Promise<void>>()
    const outcomes = await Promise.allSettled(
      open.map((call) => {
        const locks = parts.tools.locksOf(call)
        const earlier = locks.flatMap((lock) => lastOf.get(lock) ?? [])
        const settled = parts.tools.settle(call, {
          ...contextOf(session, run),
          principal,
          append(entry) {
            if (entry.type === 'tool_result') delete run.progress[entry.toolUseId]
            const entries = [...run.entries, session.append(run, entry)]
            if (entry.type === 'tool_result' && !rightsOf(principal).hasModel) endWith(session, run, entries)
          },
          abortedBy: () => run.abortedBy,
          before: earlier.length === 0 ? undefined : Promise.all(earlier),
          isRehearsal: () => session.isRehearsal,
          sources: () => sourcesFor(session, run, call),
        })
        // A call's failure does not keep later calls from beginning.
        const isOver = settled.catch(() => {})
        for (const lock of locks) lastOf.set(lock, isOver)
        return settled.catch((error: unknown) => {
          // The failure cannot be stored, so the run ends and withdraws its cards.
          run.abort.abort()
          throw error
        })
      }),
    )
    const fault = outcomes.find((outcome) => outcome.status === 'rejected')
    if (fault !== undefined) throw fault.reason
  }

  /** Stores a turn, with the run's end in the same transaction when nothing follows. */
  function keepTurn(session: LiveSession, run: ActiveRun, turn: Extract<Draft, { type: 'assistant' }>) {
    store.atomically(() => {
      if (run.isPartialSaved) store.savePartial(run.row.id, '')
      endWith(session, run, [...run.entries, session.append(run, turn)])
    })
    parts.used(turn)
  }

  /** Stores the run's end with the last of `entries`, in its transaction, where nothing follows. */
  function endWith(session: LiveSession, run: ActiveRun, entries: readonly StoredEntry[]) {
    const step = nextStep(entries, turnsOf(session, run))
    if (step.type !== 'end' || run.abort.signal.aborted) return
    keepEnd(session, run, { type: 'done', ...spentOn(entries, costOf), stopReason: step.stopReason })
  }

  /** Stores the last entry, and the session's exact `seq` when no other run is going on. */
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
      // The end cannot be stored, so the next start resumes the run. Watchers must still hear that it is over now.
      parts.report(error, `run ${run.row.id} could not be ended`)
      const message = 'This could not be stored: the disk may be full. It is taken up again at the next start.'
      session.emit(run.row.id, 'chat:error', { at: clock.now(), error: message, code: 'storage_failed' })
    }
  }

  async function call(session: LiveSession, run: ActiveRun): Promise<void> {
    run.show = await store.together(() => {
      run.row.position = store.addRun(run.row)
      return begin(session, run)
    })
    await go(session, run)
  }

  return { begin, call, go }
}

/** Runs of an earlier conversation in which a text of the memory may have been said. */
const mostRunsRemembered = 200

type Last = Extract<Draft, { type: 'done' | 'error' }>

const hasEnded = ({ entries }: ActiveRun) => ['done', 'error'].includes(entries.at(-1)?.type ?? '')

const chosenFor = (origin: Origin) => ('text' in origin ? origin.model : undefined)
