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

/**
 * A card as it is stored. `callKey`: equal for two calls that a person would call the same. `seenAt`: the time when an operator's screen first
 * showed it, Unix ms.
 */
export type StoredConfirmation = {
  card: Card
  sessionId: string
  runId: string
  bindingHash: string
  callKey: string
  seenAt?: number
}
/** The end of a card. `replacedBy`: as in the transcript's `confirm_resolved`. */
export type Resolution = {
  decision: Decision
  by: string
  note?: string
  replacedBy?: string
  /** The operator's own call in place of the denied one, with its real arguments; `toolUseId`: that call's. */
  alternative?: Pick<ToolCall, 'toolUseId' | 'toolName' | 'toolInput' | 'malformed'>
  at: number
  /** The channel that the decision came over; absent: the dashboard, a program or the command line. */
  via?: string
  /** The receipt of a signed approval. */
  receipt?: Receipt
}
/** The right to run one call, once. */
export type Claim = {
  toolUseId: string
  sessionId: string
  runId: string
  toolName: string
  /** Redacted. They suffice to look for the outcome. */
  toolInput: ToolInput
  tier: Tier
  bindingHash: string
  at: number
}

export interface ConfirmationStore {
  add(confirmation: StoredConfirmation): void
  get(toolUseId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** Returns the newest card of a call. */
  ofCall(callId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** Returns the newest denial of the same call: in one of the runs, or of a session or token since a time, Unix ms. */
  denied(
    callKey: string,
    where: { runIds: readonly string[] } | { sessionId: string; since: number } | { token: string; since: number },
  ): Resolution | undefined
  /** Takes the denials of the same call in the same session back. @returns false if no denial counts. */
  lift(toolUseId: string, at: number): boolean
  /** Decides the card, compare-and-set. @returns false when it was decided before. */
  resolve(toolUseId: string, resolution: Resolution): boolean
  /** Stores the approvals that the card shows. */
  setApprovals(toolUseId: string, approvals: Approvals): void
  /** Lists the cards that wait: of one session, or all. */
  pending(sessionId?: string): StoredConfirmation[]
  /** Lists the cards that no operator's screen has shown yet. */
  unseen(sessionId?: string): StoredConfirmation[]
  /** Stores that a screen shows the card, and its new time to expire. Both Unix ms. */
  see(toolUseId: string, at: number, expiresAt: number): void
  /** Lists pending cards, soonest to expire first, then cards decided since `since`, newest first. */
  list(since: number): ConfirmationRow[]
  pendingCounts(): Map<string, number>
}

/** A permission given beforehand. `uses`: the most uses; `usesLeft`: the uses that remain. */
export type StoredGrant = Grant & { key: string }

export interface GrantStore {
  add(grant: StoredGrant): void
  /** Lists grants that have not ended, oldest first. */
  live(): StoredGrant[]
  /** Returns a grant that covers `key` at that time and has more than the `reserved` uses left; the soonest to expire. */
  covering(key: string, at: number, reserved: (id: string) => number): StoredGrant | undefined
  /** Takes one use, compare-and-set. @returns the uses that remain; undefined if there is none to take. */
  use(id: string, key: string, at: number): number | undefined
  /** Ends the grant. @returns the grant; undefined if it had ended before. */
  end(id: string, at: number): StoredGrant | undefined
}

/** The outcome of a call. `unknown`: it may have run, and the cluster does not tell. */
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
  /** Stores the cluster's task of the call, once it is known. */
  noteTask(toolUseId: string, upid: string): void
  settle(toolUseId: string, at: number, outcome: Outcome): void
  /** Returns the tasks of the calls that began since then, Unix ms. */
  upids(since: number): ReadonlySet<string>
  /**
   * Tells of other calls on the same guest. `upids`: the tasks known to be theirs. `open`: the number of calls without a task and without a
   * certain outcome.
   */
  others(toolUseId: string): { upids: ReadonlySet<string>; open: number }
}

/** Pictures that tools gave. Each is stored once a session and deleted with the session. */
export interface ImageStore {
  keep(sessionId: string, image: ToolImage): Image
  get(sessionId: string, id: string): ToolImage | undefined
}

/** The tamper-evident record. `body` is redacted before it gets here. */
export interface Journal {
  append(kind: JournalKind, body: Record<string, unknown>): void
}
/** The facts that the journal proves. A row of another table could have been written by anybody. */
export interface JournalProof {
  /** Returns the hash that the card's approval is bound to; undefined if the journal has no approval of it. */
  approvedHash(toolUseId: string): string | undefined
  /** Lists the approvals of a card that several people approve, if bound to that hash. `isAlone`: an owner broke the glass. */
  approvals(toolUseId: string, bindingHash: string): { person: string; isAlone: boolean; receipt?: Receipt }[]
  /** Returns the entry of the call's begin. */
  execution(toolUseId: string): Record<string, unknown> | undefined
  /** Returns the entry of the grant's making. */
  grant(id: string): Record<string, unknown> | undefined
  /** Returns the entry of a signing key's last enrolment; undefined if it was removed since. @param type `passkey` */
  signer(type: string, id: string): Record<string, unknown> | undefined
  /** As `signer`, also for a key that was removed since. */
  enrolment(type: string, id: string): Record<string, unknown> | undefined
  /** Returns the entry of the card's decision. */
  decision(toolUseId: string): Record<string, unknown> | undefined
  /** Returns whether a key of that type was ever enrolled for the person. */
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
  /** As `atomically`. The transaction is on disk before it returns. */
  durably<T>(work: () => T): T
  /** Does the work soon, in one transaction with other work. @returns the result of the work, once it is committed. */
  together<T>(work: () => T): Promise<T>
  /**
   * Called before the first write after an `await`. @param forever waits without limit, for writes that must not be lost
   * @returns undefined if the database can be written now; else a promise that resolves then, or rejects with `storage_failed` after a minute
   */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Calls `run` once the open transaction has been committed; at once if no transaction is open. */
  afterCommit(run: () => void): void
}

/** A tier that an operator gave to one definition of an attached server's tool. `changedAt`: the time when the definition changed. */
export type AttachedTierRow = {
  toolName: string
  hash: string
  tier: AttachedTier
  setBy: string
  setAt: number
  changedAt?: number
}

/** The sign-ins of attached servers, each sealed. */
export interface AttachedSignInStore {
  /** Returns the texts by server. A row that cannot be opened is undefined. */
  all(): Map<string, string | undefined>
  keep(server: string, text: string): void
  forget(server: string): void
}

/** The store of attached servers: their last list of tools, and the tiers of the tools. */
export interface AttachedStore {
  /** Returns the last list of tools; undefined if it was made under another `origin`. */
  listed(server: string, origin: string): unknown
  keepListed(server: string, origin: string, tools: unknown): void
  tiers(server: string): AttachedTierRow[]
  setTier(server: string, row: AttachedTierRow): void
  /**
   * Returns the program that an owner allowed. `by` is empty for a program that ran before programs had to be allowed; `hash` is then the hash
   * of its origin.
   */
  allowed(server: string): { hash: string; by: string } | undefined
  /** @param at Unix ms */
  allow(server: string, program: { hash: string; by: string; at: number }): void
  disallow(server: string): void
  /** Removes all rows of a server. */
  forget(server: string): void
}
