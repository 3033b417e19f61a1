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
import type { Receipt } from 'signing/receipt'
import type { ToolImage } from '../tools/tool.ts'

/**
 * A card as it is stored. `callKey`: equal for two calls that a person would call the same. `seenAt`: when an operator's screen first showed the
 * card, Unix ms.
 */
export type StoredConfirmation = {
  card: Card
  sessionId: string
  runId: string
  bindingHash: string
  callKey: string
  seenAt?: number
}
/** The end of a card. `replacedBy`: as in the transcript entry `confirm_resolved`. */
export type Resolution = {
  decision: Decision
  by: string
  note?: string
  replacedBy?: string
  /** The operator's own call in place of the denied one, with its arguments before redaction. `toolUseId`: the id of this own call. */
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
  /** The arguments, redacted. They are enough to find out the outcome. */
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
  /** Returns the newest denial of the same call: in one of these runs, or in this session or by this token since a time, Unix ms. */
  denied(
    callKey: string,
    where: { runIds: readonly string[] } | { sessionId: string; since: number } | { token: string; since: number },
  ): Resolution | undefined
  /** Takes back the denials of the same call in the same session. @returns false if there was none to take back */
  lift(toolUseId: string, at: number): boolean
  /** Decides the card, compare-and-set. @returns false if the card was decided before */
  resolve(toolUseId: string, resolution: Resolution): boolean
  /** Stores the approvals that the card shows. */
  setApprovals(toolUseId: string, approvals: Approvals): void
  /** Lists the cards that still wait: of one session, or of all. */
  pending(sessionId?: string): StoredConfirmation[]
  /** Lists waiting cards that no operator's screen has shown yet. */
  unseen(sessionId?: string): StoredConfirmation[]
  /** Records that a screen shows the card, and the card's new expiry time. Both Unix ms. */
  see(toolUseId: string, at: number, expiresAt: number): void
  /** Lists pending cards, soonest to expire first, then cards decided since `since`, newest first. */
  list(since: number): ConfirmationRow[]
  pendingCounts(): Map<string, number>
}

/** A grant as it is stored. `uses`: the maximum number of uses; `usesLeft`: the number that remains. */
export type StoredGrant = Grant & { key: string }

export interface GrantStore {
  add(grant: StoredGrant): void
  /** Lists grants that have not ended, oldest first. */
  live(): StoredGrant[]
  /** Returns a grant that covers `key` at that time and has more uses left than are `reserved`. If several do, returns the one that expires first. */
  covering(key: string, at: number, reserved: (id: string) => number): StoredGrant | undefined
  /** Takes one use, compare-and-set. @returns the number of uses that remain; undefined if none was left */
  use(id: string, key: string, at: number): number | undefined
  /** Ends the grant. @returns the grant; undefined if it had ended before. */
  end(id: string, at: number): StoredGrant | undefined
}

/** The outcome of a call. `unknown`: the call may have run, and the cluster does not show it. */
export type Outcome = 'done' | 'failed' | 'unknown'
export type Execution = Pick<Claim, 'sessionId' | 'runId' | 'toolName' | 'toolInput'> & {
  startedAt: number
  upid?: string
  outcome?: Outcome
}

export interface ExecutionStore {
  /** Claims a call. @throws if the call was claimed before, because a call never runs twice */
  claim(claim: Claim): void
  get(toolUseId: string): Execution | undefined
  /** Stores the cluster's task of the call, once it is known. */
  noteTask(toolUseId: string, upid: string): void
  settle(toolUseId: string, at: number, outcome: Outcome): void
  /** Returns the UPIDs of the tasks of calls that began since then, Unix ms. */
  upids(since: number): ReadonlySet<string>
  /**
   * Describes other calls on the same guest. `upids`: the tasks known to belong to them. `open`: the number of these calls that have neither a known
   * task nor a certain outcome.
   */
  others(toolUseId: string): { upids: ReadonlySet<string>; open: number }
}

/** Images that tools returned. Each image is stored once per session and deleted with the session. */
export interface ImageStore {
  keep(sessionId: string, image: ToolImage): Image
  get(sessionId: string, id: string): ToolImage | undefined
}

/** The tamper-evident record. The caller redacts `body`. */
export interface Journal {
  append(kind: JournalKind, body: Record<string, unknown>): void
}
/** Facts that the journal proves. Rows of other tables prove nothing, because anybody with access to the database could have written them. */
export interface JournalProof {
  /** Returns the hash that the card's approval is bound to; undefined if the journal has no approval of the card. */
  approvedHash(toolUseId: string): string | undefined
  /**
   * Lists the approvals of a card that needs several people, if they are bound to this hash. `isAlone`: an owner approved alone by breaking the
   * glass.
   */
  approvals(toolUseId: string, bindingHash: string): { person: string; isAlone: boolean; receipt?: Receipt }[]
  /** Returns the journal entry about the start of the call. */
  execution(toolUseId: string): Record<string, unknown> | undefined
  /** Returns the journal entry about the creation of the grant. */
  grant(id: string): Record<string, unknown> | undefined
  /** Returns the journal entry about a signing key's last enrolment; undefined if the key was removed since. @param type `passkey` */
  signer(type: string, id: string): Record<string, unknown> | undefined
  /** Same as `signer`, but also for a key that was removed since. */
  enrolment(type: string, id: string): Record<string, unknown> | undefined
  /** Returns the journal entry about the card's decision. */
  decision(toolUseId: string): Record<string, unknown> | undefined
  /** Returns true if a key of this type was ever enrolled for the person. */
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
  | 'feedback'

export interface Transactions {
  atomically<T>(work: () => T): T
  /** Same as `atomically`, but returns only after the transaction is on disk. */
  durably<T>(work: () => T): T
  /** Does the work soon, in one transaction together with other work. @returns the result of the work, once it is committed */
  together<T>(work: () => T): Promise<T>
  /**
   * Waits until the database can be written. Called before the first write after an `await`. @param forever waits without limit, for writes that
   * must not be lost
   * @returns undefined if the database can be written now; otherwise a promise that resolves when it can, or rejects with `storage_failed` after a
   * minute
   */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Calls `run` once the open transaction has been committed; at once if no transaction is open. */
  afterCommit(run: () => void): void
}

/** The tier that an operator gave to one definition of an attached server's tool. `changedAt`: when the definition changed. */
export type AttachedTierRow = {
  toolName: string
  hash: string
  tier: AttachedTier
  setBy: string
  setAt: number
  changedAt?: number
}

/** The stored sign-ins of attached servers. Each text is encrypted. */
export interface AttachedSignInStore {
  /** Returns the texts by server. A text that cannot be decrypted is undefined. */
  all(): Map<string, string | undefined>
  keep(server: string, text: string): void
  forget(server: string): void
}

/** The store of attached servers: their last list of tools, and the tiers of the tools. */
export interface AttachedStore {
  /** Returns the server's last list of tools; undefined if it was read under another `origin`. */
  listed(server: string, origin: string): unknown
  keepListed(server: string, origin: string, tools: unknown): void
  tiers(server: string): AttachedTierRow[]
  setTier(server: string, row: AttachedTierRow): void
  /**
   * Returns the program that an owner allowed. `by` is empty for a program that already ran before programs needed an owner's permission; `hash` is
   * then the hash of its origin.
   */
  allowed(server: string): { hash: string; by: string } | undefined
  /** @param at Unix ms */
  allow(server: string, program: { hash: string; by: string; at: number }): void
  disallow(server: string): void
  /** Removes all rows of a server. */
  forget(server: string): void
}
