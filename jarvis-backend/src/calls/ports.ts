import type {
  Approvals,
  AttachedTier,
  Card,
  ConfirmationRow,
  Decision,
  Grant,
  Image,
  Tier,
  ToolCall,
  ToolInput,
} from 'protocol'
import type { Receipt } from '../signing/receipt.ts'
import type { ToolImage } from '../tools/tool.ts'

/** `callKey`: what is the same for calls that are the same to a person. `seenAt`: when an operator's screen first had it. */
export type StoredConfirmation = {
  card: Card
  sessionId: string
  runId: string
  bindingHash: string
  callKey: string
  seenAt?: number
}
/** `replacedBy`: as in the transcript's `confirm_resolved`. */
export type Resolution = {
  decision: Decision
  by: string
  note?: string
  replacedBy?: string
  /** The operator's own call in place of the denied one, with its real arguments; `toolUseId`: that call's. */
  alternative?: Pick<ToolCall, 'toolUseId' | 'toolName' | 'toolInput' | 'malformed'>
  at: number
  /** The channel that it came over; absent: the dashboard, a program or the command line. */
  via?: string
  /** Of an approval that was signed. */
  receipt?: Receipt
}
/** The right to run one call, once. */
export type Claim = {
  toolUseId: string
  sessionId: string
  runId: string
  toolName: string
  /** Redacted: enough to look for what became of it. */
  toolInput: ToolInput
  tier: Tier
  bindingHash: string
  at: number
}

export interface ConfirmationStore {
  add(confirmation: StoredConfirmation): void
  get(toolUseId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** The newest card of a call. */
  ofCall(callId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** The newest denial of the same call: in one of the runs, or in a session since a time. */
  denied(
    callKey: string,
    where: { runIds: readonly string[] } | { sessionId: string; since: number } | { token: string; since: number },
  ): Resolution | undefined
  /** Takes the denials of the same call in the same session back. @returns false where none counts. */
  lift(toolUseId: string, at: number): boolean
  /** Compare-and-set. @returns false when it was decided before. */
  resolve(toolUseId: string, resolution: Resolution): boolean
  /** What its card says of those who approved it. */
  setApprovals(toolUseId: string, approvals: Approvals): void
  pending(sessionId?: string): StoredConfirmation[]
  /** Those that no operator's screen has had yet. */
  unseen(sessionId?: string): StoredConfirmation[]
  see(toolUseId: string, at: number, expiresAt: number): void
  /** Pending ones, soonest to expire first, then those decided since `since`, newest first. */
  list(since: number): ConfirmationRow[]
  pendingCounts(): Map<string, number>
}

/** A permission given beforehand. `uses`: how often at most; `usesLeft`: how often still. */
export type StoredGrant = Grant & { key: string }

export interface GrantStore {
  add(grant: StoredGrant): void
  /** Those that have not ended, oldest first. */
  live(): StoredGrant[]
  /** One that covers `key` at that time and has more than the `reserved` uses left; the soonest to expire. */
  covering(key: string, at: number, reserved: (id: string) => number): StoredGrant | undefined
  /** Takes one use, compare-and-set. @returns how many are left; undefined where there is none to take. */
  use(id: string, key: string, at: number): number | undefined
  /** @returns what it was; undefined where it had ended before. */
  end(id: string, at: number): StoredGrant | undefined
}

/** `unknown`: it may have run, and the cluster does not say. */
export type Outcome = 'done' | 'failed' | 'unknown'
export type Execution = Pick<Claim, 'sessionId' | 'runId' | 'toolName' | 'toolInput'> & {
  startedAt: number
  upid?: string
  outcome?: Outcome
}

export interface ExecutionStore {
  /** @throws when the call was claimed before: a call never runs twice. */
  claim(claim: Claim): void
  get(toolUseId: string): Execution | undefined
  /** The cluster's task, once it is known. */
  noteTask(toolUseId: string, upid: string): void
  settle(toolUseId: string, at: number, outcome: Outcome): void
  /** The tasks of the calls that began since then. */
  upids(since: number): ReadonlySet<string>
  /** Other calls on that guest: the tasks known to be theirs, and how many have none and no certain outcome. */
  others(toolUseId: string): { upids: ReadonlySet<string>; open: number }
}

/** Pictures that tools gave, each once a session, gone with it. */
export interface ImageStore {
  keep(sessionId: string, image: ToolImage): Image
  get(sessionId: string, id: string): ToolImage | undefined
}

/** The tamper-evident record. `body` is redacted before it gets here. */
export interface Journal {
  append(kind: JournalKind, body: Record<string, unknown>): void
}
/** What the journal vouches for, where a row beside it could have been written by anybody. */
export interface JournalProof {
  /** The hash that the card's approval is bound to; undefined where the journal has no approval of it. */
  approvedHash(toolUseId: string): string | undefined
  /** Who said yes to a card that several people approve, where it was bound to that hash. `isAlone`: an owner broke the glass. */
  approvals(toolUseId: string, bindingHash: string): { person: string; isAlone: boolean; receipt?: Receipt }[]
  /** What was written when the call began. */
  execution(toolUseId: string): Record<string, unknown> | undefined
  /** What was written when the grant was made. */
  grant(id: string): Record<string, unknown> | undefined
  /** What was written when a signing key was enrolled last. @param type `passkey` */
  signer(type: string, id: string): Record<string, unknown> | undefined
  /** The same, also of a key that was removed since. */
  enrolment(type: string, id: string): Record<string, unknown> | undefined
  /** What was written when the card was decided. */
  decision(toolUseId: string): Record<string, unknown> | undefined
  /** Whether a key of that type was ever enrolled for the person. */
  hadSigner(type: string, person: string): boolean
}
export type JournalKind =
  | 'access_refused'
  | 'call'
  | 'refusal'
  | 'approval'
  | 'decision'
  | 'execution'
  | 'change'
  | 'result'
  | 'grant'
  | 'person'
  | 'sign_in'
  | 'signer'
  | 'token'
  | 'session'
  | 'policy'
  | 'restore'
  | 'prune'
  | 'terminal'
  | 'channel'
  | 'drill'
  | 'plan'
  | 'question'
  | 'runbook'
  | 'skill'
  | 'agent'
  | 'alert'
  | 'job'
  | 'memory'
  | 'settings'
  | 'mcp_server'
  | 'setup'

export interface Transactions {
  atomically<T>(work: () => T): T
  /** On disk before it returns. */
  durably<T>(work: () => T): T
  /** Soon, in one transaction with others. @returns what it returns, once it is committed. */
  together<T>(work: () => T): Promise<T>
  /**
   * Asked before the first write after an `await`. @param forever for what must be stored
   * @returns undefined where it can be written now; else what resolves then, or rejects with `storage_failed` after a minute
   */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Calls `run` once the transaction that is open has been committed; at once where none is. */
  afterCommit(run: () => void): void
}

/** A tier an operator gave to one definition of an attached server's tool. `changedAt`: it was another one from then on. */
export type AttachedTierRow = {
  toolName: string
  hash: string
  tier: AttachedTier
  setBy: string
  setAt: number
  changedAt?: number
}

/** The sign-ins of attached servers, each sealed. */
export type AttachedSignInStore = {
  /** By server. A row that cannot be opened is undefined. */
  all(): Map<string, string | undefined>
  keep(server: string, text: string): void
  forget(server: string): void
}

/** What is kept of attached servers: what they listed last, and what their tools may do. */
export interface AttachedStore {
  /** The tools as they were listed; undefined where that was under another `origin`. */
  listed(server: string, origin: string): unknown
  keepListed(server: string, origin: string, tools: unknown): void
  tiers(server: string): AttachedTierRow[]
  setTier(server: string, row: AttachedTierRow): void
  /** The program that an owner allowed; `by` is empty for one that ran before programs waited, and `hash` is then its origin's. */
  allowed(server: string): { hash: string; by: string } | undefined
  /** @param at Unix ms */
  allow(server: string, program: { hash: string; by: string; at: number }): void
  disallow(server: string): void
  /** All of a server. */
  forget(server: string): void
}
