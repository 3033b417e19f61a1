import type { CallToolResult } from '@modelcontextprotocol/server'
import { settles } from 'protocol/settles'
import type { CallOutcome, Calls } from '../../agent/calls.ts'
import { type KeptRun, type KeptRunStore, keptRunMs } from '../../agent/sessions/kept-runs.ts'
import type { StoredEntry } from '../../agent/sessions/transcript-store.ts'
import type { ApiToken } from '../../auth/api-tokens.ts'
import { toResult } from './call-result.ts'

/** Recommended interval between a client's polls, ms. */
const pollMs = 2_000
/** Maximum number of a token's calls in a list. */
const mostListed = 1_000

export type TasksParts = {
  calls: Pick<Calls, 'withdraw' | 'ending'>
  kept: KeptRunStore
  entriesOf(runId: string): readonly StoredEntry[]
  sessionOf(token: ApiToken): string
}

/** State of a call. `lost`: JARVIS was killed before it stored the call, or could not store its end. */
type Standing =
  | { kind: 'going'; isWaiting: boolean; at: number }
  | { kind: 'ended'; outcome: CallOutcome; isWithdrawn: boolean; at: number }
  | { kind: 'lost'; at: number }

/**
 * Presents calls as tasks of either specification. A task is a run and lives for 30 days or as long as its session, across restarts. A
 * call that waits for the operator is `working` too, because no client can decide it.
 */
export class Tasks {
  readonly #parts: TasksParts

  constructor(parts: TasksParts) {
    this.#parts = parts
  }

  /** A stored call of this token; undefined if there is none. */
  find(id: string, token: ApiToken): KeptRun | undefined {
    const run = this.#parts.kept.get(id)
    return run !== undefined && this.#isOf(token, run) ? run : undefined
  }

  list(token: ApiToken): KeptRun[] {
    const { kept, sessionOf } = this.#parts
    return kept.list(sessionOf(token), mostListed).filter((run) => this.#isOf(token, run))
  }

  hasEnded(run: KeptRun): boolean {
    return this.#standingOf(run).kind !== 'going'
  }

  /** Resolves when the call has ended. */
  async ending(run: KeptRun) {
    return this.#parts.calls.ending(run)
  }

  /** Withdraws the call's card or stops a read. @returns false when the call is changing something or has ended */
  withdraw(run: KeptRun, by: string): boolean {
    return this.#parts.calls.withdraw(run, by)
  }

  /** The result as `tools/call` would have returned it; undefined until the call has ended. */
  resultOf(run: KeptRun): CallToolResult | undefined {
    const standing = this.#standingOf(run)
    return standing.kind === 'ended' ? toResult(standing.outcome) : undefined
  }

  /** The task in the form of 2025-11-25: a failed, refused or denied call is `failed` and has a result. */
  older(run: KeptRun) {
    const standing = this.#standingOf(run)
    const isFailed = standing.kind === 'lost' || (standing.kind === 'ended' && toResult(standing.outcome).isError)
    return { ...olderHandle(run), ...told(standing, isFailed ? 'failed' : 'completed') }
  }

  /** Returns the task in the form of 2026-07-28. Its status is `failed` only for faults of JARVIS itself. */
  current(run: KeptRun) {
    const standing = this.#standingOf(run)
    return {
      ...currentHandle(run),
      ...told(standing, standing.kind === 'lost' ? 'failed' : 'completed'),
      ...endOf(standing),
    }
  }

  #standingOf(run: KeptRun): Standing {
    const entries = this.#parts.entriesOf(run.id)
    const at = entries.at(-1)?.at ?? run.at
    const outcome = entries.find(settles)
    if (outcome !== undefined) return { kind: 'ended', outcome, isWithdrawn: isWithdrawn(outcome, entries), at }
    if (this.#parts.calls.ending(run) === undefined) return { kind: 'lost', at }
    const last = entries.findLast(({ type }) => ['confirm_needed', 'confirm_resolved', 'tool_use'].includes(type))
    return { kind: 'going', isWaiting: last?.type === 'confirm_needed', at }
  }

  /** True if a call belongs to a token. Compares the times too, because an earlier token of the same name used the same session. */
  #isOf(token: ApiToken, { sessionId, at }: KeptRun): boolean {
    return sessionId === this.#parts.sessionOf(token) && at >= token.createdAt
  }
}

function endOf(standing: Standing) {
  if (standing.kind === 'lost') return { error: { code: -32_603, message: lostText } }
  return standing.kind === 'ended' && !standing.isWithdrawn ? { result: toResult(standing.outcome) } : {}
}

const lostText = 'JARVIS lost this call before it could write down what became of it.'

/** True if a call was withdrawn before it began, or a read was stopped. A stopped change has a result instead. */
const isWithdrawn = (outcome: CallOutcome, entries: readonly StoredEntry[]) =>
  outcome.type === 'confirm_resolved'
    ? outcome.decision === 'cancelled'
    : entries.some((entry) => entry.type === 'tool_use' && entry.tier === 'green') &&
      entries.some((entry) => entry.type === 'done' && entry.stopReason === 'aborted')

function told(standing: Standing, ended: 'failed' | 'completed') {
  const lastUpdatedAt = new Date(standing.at).toISOString()
  if (standing.kind === 'lost') return { status: ended, statusMessage: lostText, lastUpdatedAt }
  if (standing.kind === 'ended') return { status: standing.isWithdrawn ? 'cancelled' : ended, lastUpdatedAt }
  const statusMessage = standing.isWaiting ? 'Waits for the operator in the JARVIS dashboard.' : 'Is being run.'
  return { status: 'working', statusMessage, lastUpdatedAt }
}

const begun = ({ id, at }: Pick<KeptRun, 'id' | 'at'>) => {
  const createdAt = new Date(at).toISOString()
  return { taskId: id, status: 'working', createdAt, lastUpdatedAt: createdAt }
}
export const olderHandle = (run: Pick<KeptRun, 'id' | 'at'>) => ({
  ...begun(run),
  ttl: keptRunMs,
  pollInterval: pollMs,
})
export const currentHandle = (run: Pick<KeptRun, 'id' | 'at'>) => ({
  ...begun(run),
  ttlMs: keptRunMs,
  pollIntervalMs: pollMs,
})
