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

/** A reply's model and tokens, for whoever counts them. */
export type ModelUse = Pick<EntryOf<'assistant'>, 'model' | 'usage' | 'isUsagePartial'>

/** The models that runs call, and what is learned of them. `providers/` implements it. */
export interface RunModels {
  readonly choice: ModelChoice
  costOf: CostOf
  /** How much a model reads and writes at once. */
  windowOf(model: Model): Window
  /** The models that answer when this one fails, in order. */
  fallbacksOf(model: Model): readonly Model[]
  /** The known abilities of a model. The model's server is asked before its first question. */
  factsOf(model: Model): Promise<ModelFacts>
  /** A server seems to have cut a request. @returns the notice for a person, the first time */
  cutOff(model: Model, cut: NonNullable<Turn['cut']>): string | undefined
  /** A model wrote calls of these tools as text. */
  wrote(model: Model, toolNames: readonly string[]): void
  /** The notice for a person about tools that were left out for this model since the last call of this method. */
  leftOutNow(model: Model): string | undefined
  /** The server said how many tokens the model reads at once. */
  learnWindow(model: Model, tokens: number): void
  /** The server said that the model takes no tools. */
  learnTalksOnly(model: Model): void
  /** A model replied. Called once for each stored reply. */
  used(use: ModelUse): void
  answered(model: Model): void
  failed(model: Model, error: unknown): void
}

/** The tools, as far as a run must know them before the gate does. */
export interface ToolFacts {
  has(toolName: string): boolean
  /** True if the tool only reads, whatever the policy says. */
  isRead(toolName: string): boolean
  /** True if the tool asks the operator a question. */
  asks(toolName: string): boolean
  /** True if a child run may call the tool: it starts no further runs. */
  mayChild(toolName: string): boolean
}

/** The texts and limits that a run begins with. */
export interface Prompts {
  /** The profile of a run that begins now. `askedBy`: the agent whose child run it is. */
  profile(session: Partial<Pick<StoredSession, 'effort'>> & { agent: string; askedBy?: string }): RunProfile
  /** The cluster summary for a new message, as far as the asker may see it. */
  context(asker: Principal): string
  /** Recalls passages for a message. Never rejects and never takes long. `problem`: why nothing could be recalled. */
  recall(message: string, agent: string, asker: Principal): Promise<{ items: Recalled[]; problem?: string }>
}

/** The skills that a person names in a message. */
export interface NamedSkills {
  /** Says whether `/name` is a skill. `problem`: why it cannot be used. Undefined: there is no skill of that name. */
  standing(agent: string, name: string): { problem?: string } | undefined
  /** The skill's text for a message of that session; a sentence for the model if the skill cannot be used any more. */
  opening(agent: string, name: string, sessionId: string): Extract<Draft, { type: 'skill' }> | string
}

/**
 * Says why whoever asked at `since`, Unix ms, may not ask any more; undefined if they may. `looksOnly`: the right to look is enough. `sessionId`: the
 * session in which a person wrote to a model.
 */
export type GoneBecause = (
  asker: Principal,
  since: number,
  right: { looksOnly: boolean; sessionId?: string | undefined },
) => string | undefined

/** The people and programs that runs work for. */
export interface Askers {
  goneBecause: GoneBecause
  /** True if words that `by` wrote count as the asker's own. */
  speaksFor(by: string, asker: Principal): boolean
  /** The writer's name, in a conversation of several people; undefined in any other. */
  speaker(sessionId: string, by: string): string | undefined
}

/** The cards and questions that wait for a person. */
export interface WaitingCards {
  pending(sessionId: string): Card[]
  questions(sessionId: string): Question[]
  /** An operator has the cards of the session before them. */
  seen(sessionId: string): void
  /** Withdraws a card. */
  cancel(toolUseId: string, by: string, note: string): void
}

/** Hears what happens to runs and sessions. */
export interface RunListener {
  /** A run has ended. */
  ended(sessionId: string, entries: readonly StoredEntry[], agent: string): void
  /** A run begins that acts for a program, or for another person than the first owner. */
  othersBegan(): void
  /** A session's title changed, or whether a run goes on in it. */
  changed(sessionId: string): void
  /** A session was deleted. */
  removed(sessionId: string): void
  /** Journals who turned rehearsal on or off, in the transaction that changes it. */
  rehearsal(change: { sessionId: string; isRehearsal: boolean; by: string }): void
}

/** Decides the calls of a run without a model, from the stored entries alone, so that a restart goes on at the same place. */
export interface Guide {
  /**
   * The next calls, or the run's last words. May read the cluster and wait before it answers.
   * @param signal aborts when the run is stopped, or the server
   */
  next(
    plan: string,
    entries: readonly StoredEntry[],
    signal: AbortSignal,
  ): Promise<{ type: 'calls'; calls: readonly ToolCall[] } | { type: 'end'; words: string }>
  /** A person or a fault stopped the run. @returns its last words */
  stopped(plan: string, entries: readonly StoredEntry[], by: string): string
}

/** Removes secrets from text that arrives in pieces; may hold back a tail that could be the start of one. */
export type StreamRedactor = { push(delta: string): string; flush(): string }

export interface RunRedaction {
  text(text: string): string
  value<T>(value: T): T
  stream(): StreamRedactor
}

/** Everything that the parts of a run need. Each part picks what it uses. */
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
  /** Make the facts that are kept of folded entries. */
  makers: readonly FactMaker[]
  /** Leads the runs of plans. */
  guide: Guide
  listener: RunListener
  /** Says what fills the window of a session's model. */
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
  /** Absent: nobody is told, and every retry is allowed. */
  retries?: {
    tell(notice: { message: string; retryInMs: number }): void
    /** As `Reservation.again`. */
    may(spent: Usage | undefined, isLost: boolean): boolean
  }
}
