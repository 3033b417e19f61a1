import type { Card, ContextReport, EntryOf, ModelFacts, Principal, Question, Recalled, ToolCall, Usage } from 'protocol'
import type { Agents } from '../agents/agent.ts'
import type { Clock } from '../lib/clock.ts'
import type { Attachments } from './attachments.ts'
import type { BudgetKeeper, Slices } from './budgets.ts'
import type { FactMaker } from './context/facts/index.ts'
import type { Window } from './context/next-fold.ts'
import type { Model, ModelChoice, ModelImage, ModelRequest, ModelSink, Turn } from './model.ts'
import type { RunProfile } from './run.ts'
import type { Draft, StoredEntry } from './sessions/entries.ts'
import type { StoredSession, TranscriptStore } from './sessions/transcript-store.ts'
import type { CostOf } from './spent.ts'
import type { ToolRunner } from './tool-runner.ts'

/** The model and the tokens of a reply, for counting. */
export type ModelUse = Pick<EntryOf<'assistant'>, 'model' | 'usage' | 'isUsagePartial'>

/** The models that runs call, and facts learned about them while they answer. `providers/` implements it. */
export interface RunModels {
  readonly choice: ModelChoice
  costOf: CostOf
  /** Returns a model’s context window, and the part of it that is reserved for the answer, tokens. */
  windowOf(model: Model): Window
  /** The models that answer when this one fails, in order. */
  fallbacksOf(model: Model): readonly Model[]
  /** Returns the known abilities of a model. Before the model’s first use, its server is asked for them. */
  factsOf(model: Model): Promise<ModelFacts>
  /** Records that a server seems to have cut a request. @returns the notice for a person, the first time only */
  cutOff(model: Model, cut: NonNullable<Turn['cut']>): string | undefined
  /** A model wrote calls of these tools as text. */
  wrote(model: Model, toolNames: readonly string[]): void
  /** Returns the notice for a person about tools that were newly left out for this model, since the last call of this method. */
  leftOutNow(model: Model): string | undefined
  /** Records the context window that the server reported, tokens. */
  learnWindow(model: Model, tokens: number): void
  /** Records that the server said the model takes no tools. */
  learnTalksOnly(model: Model): void
  /** Counts a reply’s tokens. Called once for each stored reply. */
  used(use: ModelUse): void
  answered(model: Model): void
  failed(model: Model, error: unknown): void
}

/** Facts about the tools that a run needs before the gate judges a call. */
export interface ToolFacts {
  has(toolName: string): boolean
  /** True if the tool only reads, whatever the policy says. */
  isRead(toolName: string): boolean
  /** True if the tool asks the operator a question. */
  asks(toolName: string): boolean
  /** True if a child run may call the tool. Tools that start further runs are excluded. */
  mayChild(toolName: string): boolean
}

/** The texts and limits with which a run begins. */
export interface Prompts {
  /** Returns the profile of a run that begins now. `askedBy`: the agent that asked for a child run; undefined for other runs. */
  profile(session: Partial<Pick<StoredSession, 'effort'>> & { agent: string; askedBy?: string }): RunProfile
  /** Returns the cluster summary for a new message, limited to the part that the asker may see. */
  context(asker: Principal): string
  /** Recalls passages of the memory for a message. Never rejects and never takes long. `problem`: the reason if nothing could be recalled. */
  recall(
    message: string,
    of: { agent: string; sessionId: string; asker: Principal },
  ): Promise<{ items: Recalled[]; problem?: string }>
}

/** The skills that a person names in a message. */
export interface NamedSkills {
  /** Returns the state of the skill `/name`. `problem`: the reason why it cannot be used. Undefined: no skill has this name. */
  standing(agent: string, name: string): { problem?: string } | undefined
  /** Returns the skill’s text for a message of this session; a sentence for the model if the skill can no longer be used. */
  opening(agent: string, name: string, sessionId: string): Extract<Draft, { type: 'skill' }> | string
}

/**
 * Returns the reason why the person or program that asked at `since`, Unix ms, may not ask any more; undefined if it still may. `looksOnly`: a right
 * to read is enough. `sessionId`: set if a person wrote the message in this session; the person must then still have access to it.
 */
export type GoneBecause = (
  asker: Principal,
  since: number,
  right: { looksOnly: boolean; sessionId?: string | undefined },
) => string | undefined

/** The people and programs that runs work for. */
export interface Askers {
  goneBecause: GoneBecause
  /** True if text that `by` wrote counts as the asker’s own words. */
  speaksFor(by: string, asker: Principal): boolean
  /** Returns the writer’s name if several people write in the conversation; otherwise undefined. */
  speaker(sessionId: string, by: string): string | undefined
}

/** The cards and questions that wait for a person. */
export interface WaitingCards {
  pending(sessionId: string): Card[]
  questions(sessionId: string): Question[]
  /** Reports that an operator is shown the session’s cards. */
  seen(sessionId: string): void
  /** Withdraws a card. */
  cancel(toolUseId: string, by: string, note: string): void
}

/** Is told what happens to runs and sessions. */
export interface RunListener {
  /** The run of a person’s message has ended. */
  ended(sessionId: string, entries: readonly StoredEntry[], agent: string): void
  /** A run begins that acts for a program, or for a person other than the first owner. */
  othersBegan(): void
  /** A session’s title changed, or a run in it began or ended. */
  changed(sessionId: string): void
  /** A session was deleted. */
  removed(sessionId: string): void
  /** Journals that rehearsal was turned on or off, and by whom, in the transaction that changes it. */
  rehearsal(change: { sessionId: string; isRehearsal: boolean; by: string }): void
}

/**
 * Decides the next calls of a plan’s run without a model. It reads only the stored entries, so that the run continues at the same place after a
 * restart.
 */
export interface Guide {
  /**
   * Returns the next calls, or the run’s closing text. May read the cluster, and may wait before it answers.
   * @param signal aborts when the run or the server is stopped
   */
  next(
    plan: string,
    entries: readonly StoredEntry[],
    signal: AbortSignal,
  ): Promise<{ type: 'calls'; calls: readonly ToolCall[] } | { type: 'end'; words: string }>
  /** Records that a person or a fault stopped the run. @returns the run’s closing text */
  stopped(plan: string, entries: readonly StoredEntry[], by: string): string
}

/** Removes secrets from text that arrives in pieces. May hold back the end of the text, if a secret could begin there. */
export type StreamRedactor = { push(delta: string): string; flush(): string }

export interface RunRedaction {
  text(text: string): string
  value<T>(value: T): T
  stream(): StreamRedactor
}

/** All dependencies of a run’s parts. Each part picks the ones it uses. */
export type RunParts = {
  store: TranscriptStore
  models: RunModels
  agents: Agents
  budgets: BudgetKeeper & { readonly slices: Slices }
  tools: ToolRunner
  toolFacts: ToolFacts
  prompts: Prompts
  skills: NamedSkills
  askers: Askers
  /** A picture that a tool of the session gave, or that a person attached. */
  image(sessionId: string, id: string): ModelImage | undefined
  attachments: Attachments
  /** Functions that extract facts from folded entries; the facts stay in the conversation. */
  makers: readonly FactMaker[]
  /** Decides the calls of plans’ runs. */
  guide: Guide
  listener: RunListener
  /** Reports how full the window of a session’s model is, and of what. */
  contextReport(sessionId: string): ContextReport
  generate: Generate
  clock: Clock
  redact: RunRedaction
  report(error: unknown, message: string): void
}

/** Asks a model, with retries. */
export type Generate = (model: Model, asked: Asked) => Promise<Turn>

export type Asked = {
  request: ModelRequest
  sink: ModelSink
  signal: AbortSignal
  /** Undefined: nobody is told of a retry, and every retry is allowed. */
  retries?: {
    tell(notice: { message: string; retryInMs: number }): void
    /** As `Reservation.again`. */
    may(spent: Usage | undefined, isLost: boolean): boolean
  }
}
