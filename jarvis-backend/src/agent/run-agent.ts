import {
  type ContextReport,
  type EntryOf,
  JarvisError,
  type ModelFacts,
  noUsage,
  type Principal,
  type Recalled,
} from 'protocol'
import type { Agents } from '../agents/agent.ts'
import type { Clock } from '../lib/clock.ts'
import type { ActiveRun, RunProfile } from './active-run.ts'
import type { Attachments } from './attachments.ts'
import type { BudgetKeeper, Reservation, Slices } from './budgets.ts'
import type { StreamRedactor } from './call-model.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { FactMaker } from './context/facts/index.ts'
import { createFolding } from './context/folding.ts'
import type { Window } from './context/next-fold.ts'
import { contextWords } from './context/words.ts'
import type { Model, ModelChoice, ModelImage, ModelRequest, ModelSink, Turn } from './model.ts'
import { nextStep } from './next-step.ts'
import { isMessage, type Origin, openingOf } from './origin.ts'
import { duringRehearsal } from './rehearsal.ts'
import { stuckWords } from './repeats.ts'
import { createRunEnds } from './run/ends.ts'
import { createRunFacts } from './run/facts.ts'
import { createGone, type GoneBecause } from './run/gone.ts'
import { createFollow, type Guide } from './run/guide.ts'
import { createRunReading } from './run/reading.ts'
import { createSettleCalls } from './run/settle-calls.ts'
import { stopWords } from './run/stop-words.ts'
import { createTurns } from './run/turns.ts'
import type { LiveSession } from './sessions/live-session.ts'
import { titleOf, untitled } from './sessions/title.ts'
import type { Draft, StoredEntry, StoredSession, TranscriptStore } from './sessions/transcript-store.ts'
import { type CostOf, spentOn } from './spent.ts'
import { openTodo } from './todo.ts'
import { createTokenPump } from './token-pump.ts'
import { saying, type ToolRunner } from './tool-runner.ts'

export type RunParts = {
  store: TranscriptStore
  /** A turn keeps the model that it began with. */
  models: ModelChoice
  agents: Agents
  costOf: CostOf
  budgets: BudgetKeeper
  tools: ToolRunner
  /** How much a model reads and writes at once. */
  windowOf(model: Model): Window
  /** What answers where a model fails, in order. */
  fallbacksOf(model: Model): readonly Model[]
  /** Told of a request that a server seems to have cut. @returns what a person is told, the first time */
  cutOff(model: Model, cut: NonNullable<Turn['cut']>): string | undefined
  /** Told of an answer in which a model wrote calls of these tools as text. */
  wrote(model: Model, toolNames: readonly string[]): void
  /** What a person is told of tools that were left out for a model since this was asked last. */
  leftOutNow(model: Model): string | undefined
  /** Told how much a model reads at once, by its own server. */
  learnWindow(model: Model, tokens: number): void
  /** Told that a model takes no tools, by its own server. */
  learnTalksOnly(model: Model): void
  /** What a model can do, as far as is known; its server is asked before its first question. */
  factsOf(model: Model): Promise<ModelFacts>
  /** What fills the window of a session's model. */
  contextReport(sessionId: string): ContextReport
  /** Make what is kept of folded entries. */
  makers: readonly FactMaker[]
  /** Leads the runs of plans. */
  guide: Guide
  /** A picture that a tool of the session gave, or a person attached. */
  image(sessionId: string, id: string): ModelImage | undefined
  attachments: Attachments
  skills: {
    /** Whether `/name` is a skill, and why it cannot be used if so; undefined where there is none of that name. */
    standing(agent: string, name: string): { problem?: string } | undefined
    /** Its text for a message of that session; what to tell the model where it cannot be used any more. */
    opening(agent: string, name: string, sessionId: string): Extract<Draft, { type: 'skill' }> | string
  }
  clock: Clock
  goneBecause: GoneBecause
  /** Whether what somebody wrote counts as the words of whoever asks. */
  speaksFor(by: string, asker: Principal): boolean
  /** The name of whoever writes a message, an answer or a note, where several people write in the conversation. */
  speaker(sessionId: string, by: string): string | undefined
  /** Lends child runs a part of what their parents may use. */
  slices: Slices
  /** Whether a child run may call that tool at all: one that starts no further runs. */
  mayChild(toolName: string): boolean
  /** Whether that tool only reads, whatever the policy says. */
  isRead(toolName: string): boolean
  /** Whether that tool asks the operator a question. */
  asks(toolName: string): boolean
  /** The profile of a run that begins now. `askedBy`: the agent whose child run it is. */
  profile(session: Partial<Pick<StoredSession, 'effort'>> & { agent: string; askedBy?: string }): RunProfile
  /** The cluster summary for a new message. */
  context(asker: Principal): string
  /** Recalls passages for a message. Never rejects and never takes long. */
  /** `problem`: why nothing could be recalled. */
  recall(message: string, agent: string, asker: Principal): Promise<{ items: Recalled[]; problem?: string }>
  /** Told of each reply of a model. */
  used(turn: Pick<EntryOf<'assistant'>, 'model' | 'usage' | 'isUsagePartial'>): void
  /** Told of each run that has ended. */
  ended(sessionId: string, entries: readonly StoredEntry[], agent: string): void
  redact: { text(text: string): string; value<T>(value: T): T; stream(): StreamRedactor }
  generate(
    model: Model,
    request: ModelRequest,
    sink: ModelSink,
    signal: AbortSignal,
    onRetry: (notice: Notice) => void,
    mayRetry: Reservation['again'],
  ): Promise<Turn>
  report(error: unknown, message: string): void
}

type Notice = { message: string; retryInMs: number }

export type RunAgent = {
  /** Stores a run's first entries: the message, and the call where it is a command or came over MCP. @returns what shows them. */
  begin(session: LiveSession, run: ActiveRun): () => void
  /** An MCP client's call, from its beginning to its end. @throws what kept it from being stored */
  call(session: LiveSession, run: ActiveRun): Promise<void>
  /** Stops a run whose asker may not ask any more. */
  look(run: ActiveRun): void
  /** Does what `nextStep` says until the run has its last entry. Never rejects for a run's own fault. */
  go(session: LiveSession, run: ActiveRun): Promise<void>
}

export function createRunAgent(given: RunParts): RunAgent {
  const parts = { ...given, generate: keepingWhatCame(given) }
  const { store, costOf } = parts
  const facts = createRunFacts(parts)
  const { turnsOf, modelOf } = facts
  const ends = createRunEnds(parts, facts)
  const reading = createRunReading(store, facts, parts.attachments, parts.speaksFor)
  const settleCalls = createSettleCalls(parts, facts, reading, ends)
  const follow = createFollow(parts.guide, settleCalls, ends)
  const folding = createFolding(
    {
      ...parts,
      generate: (...args) =>
        parts.generate(
          ...args,
          () => {},
          () => true,
        ),
    },
    facts,
    reading,
  )
  const openStream = createTokenPump()
  const checkpoint = createCheckpoints(parts)
  const look = createGone(parts, facts)
  const turns = createTurns(parts, { facts, folding, ends, openStream, checkpoint })

  async function go(session: LiveSession, run: ActiveRun): Promise<void> {
    try {
      run.show?.()
      if (run.entries.length === 0) store.atomically(() => begin(session, run))()
      if (run.origin.kind === 'plan') return await follow(session, run, run.origin)
      if (run.origin.kind === 'command') await answerLine(session, run, run.origin.line)
      keepPartial(session, run)
      while (!hasEnded(run)) {
        const free = store.untilFree()
        if (free !== undefined) await free
        look(run)
        const step = nextStep(run.entries, turnsOf(session, run))
        if (step.type === 'settle_calls') {
          await settleCalls(session, run, step.calls)
        } else if (step.type === 'give_up' && !run.abort.signal.aborted) {
          await turns.last(session, run, { type: 'stuck', text: stuckWords(run.entries) })
        } else if (step.type === 'ask_again' && !run.abort.signal.aborted) {
          await turns.again(session, run, step)
        } else if (step.type !== 'call_model' || run.abort.signal.aborted) {
          const stopReason = step.type === 'end' && !run.abort.signal.aborted ? step.stopReason : 'aborted'
          const said = stopReason === 'stuck' || stopReason === 'budget' ? stopWords(run.entries) : goneWords(run)
          ends.end(session, run, { type: 'done', ...spentOn(run.entries, costOf), stopReason }, said)
          return
        } else {
          // Lets Engine.IO flush before the request is built.
          await new Promise(setImmediate)
          if (isMessage(run.origin)) await recall(session, run, run.origin.text)
          await turns.take(session, run, step.mayCallTools)
        }
      }
    } catch (error) {
      // The server is stopping and the next start resumes the run, so nothing is reported.
      if (run.modelAbort.signal.aborted && !run.abort.signal.aborted) return
      const free = store.untilFree()
      if (free !== undefined) await free.catch(() => {})
      ends.fail(session, run, error)
      if (run.origin.kind === 'plan') parts.guide.stopped(run.origin.plan, run.entries, 'jarvis')
    } finally {
      if (hasEnded(run) && isMessage(run.origin)) parts.ended(session.id, run.entries, run.agent)
    }
  }

  function begin(session: LiveSession, run: ActiveRun): () => void {
    const { row, origin } = run
    const given = () => {
      const summary = parts.context(facts.principalIn(run))
      const context = session.isRehearsal ? `${summary}\n\n${duringRehearsal}` : summary
      const todo = openTodo(store.newestTodo(session.id))
      const speaker = isMessage(origin) ? parts.speaker(session.id, origin.by) : undefined
      return { context, todo, speaker }
    }
    const first = openingOf(origin, given, (name) => parts.skills.opening(run.agent, name, session.id))
    const isNamed = 'text' in origin && session.title === untitled
    if (isNamed) session.rename(titleOf(origin.text))
    const kept = first.map((draft) => session.keep(run, draft))
    return () => {
      for (const { show } of kept) show()
      if (isNamed) session.emit(row.id, 'chat:title', { title: session.title })
    }
  }

  /** Answers a command such as `/dry-run on`, which took effect when it was sent. */
  async function answerLine(session: LiveSession, run: ActiveRun, line: Extract<Origin, { kind: 'command' }>['line']) {
    if ('ok' in line) {
      if (!line.ok) throw new JarvisError('invalid_request', line.problem)
    } else if (!run.entries.some(({ type }) => type === 'assistant')) {
      const { effort } = store.session(session.id) ?? {}
      const { isRehearsal, agent } = session
      const words = await line.answer({
        isRehearsal,
        agent,
        ...(effort && { effort }),
        fold: () => folding.asked(session, run),
        context: () => contextWords(parts.contextReport(session.id)),
      })
      session.append(run, saying(words))
    }
  }

  /** Before a message's first turn. */
  async function recall(session: LiveSession, run: ActiveRun, text: string) {
    if (run.entries.some(({ type }) => type === 'assistant' || type === 'recalled')) return
    const { items, problem } = await parts.recall(text, run.agent, facts.principalIn(run))
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

  async function call(session: LiveSession, run: ActiveRun): Promise<void> {
    run.show = await store.together(() => {
      run.row.position = store.addRun(run.row)
      return begin(session, run)
    })
    await go(session, run)
  }

  return { begin, call, go, look }
}

/** What a model answered was paid for, so it is stored however long another process holds the database. */
const keepingWhatCame =
  ({ generate, store }: RunParts): RunParts['generate'] =>
  async (...args) => {
    try {
      return await generate(...args)
    } finally {
      await store.untilFree('forever')
    }
  }

/** JARVIS's own words at the end of a run whose asker may not ask any more; none for any other run. */
const goneWords = ({ endedBecause }: ActiveRun): Draft[] =>
  endedBecause === undefined ? [] : [saying(`I stopped. ${endedBecause}`)]

const hasEnded = ({ entries }: ActiveRun) => ['done', 'error'].includes(entries.at(-1)?.type ?? '')
