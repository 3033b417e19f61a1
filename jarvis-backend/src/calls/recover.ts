import { legible, type Redactor } from '../gate/index.ts'
import type { Cluster } from '../homelab/ports.ts'
import { type Clock, sleep } from '../lib/clock.ts'
import { type Entry, JarvisError, type ToolCall } from '../protocol/index.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { CallContext } from './call.ts'
import type { Execution, ExecutionStore, Journal, Transactions } from './ports.ts'
import { type Reconciled, reconcile } from './reconcile.ts'

type ReconciledEntry = Omit<Extract<Entry, { type: 'reconciled' }>, 'seq' | 'runId' | 'at'>

export type RecoveryParts = {
  executions: ExecutionStore
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  cluster: Cluster
  catalog: Pick<Catalog, 'get'>
  /** Adds a line to a session's transcript when no run of it is at work. */
  note(sessionId: string, runId: string, entry: ReconciledEntry): void
}

/** How long a restarted server looks for a call's outcome before it says that it does not know. */
const lookForMs = 30_000
/** How often, and after what time each, one looks for a call whose answer was lost just now. */
const mostLooks = 3
const lookAgainMs = 3_000
export const mayHaveRun = 'It may have run or not: look at the state before asking for it again.'

/** What becomes of a call that was claimed and left no result: it is looked for, and never run again. */
export function createRecovery(parts: RecoveryParts) {
  const { executions, journal, transactions, redactor, clock, cluster, catalog, note } = parts

  /** A claim without a result: the process died in between. It may have run, so it is never run again, only looked for. */
  async function recover(call: ToolCall, claimed: Execution, context: CallContext) {
    context.progress(call.toolUseId, 'Looking what became of it')
    const { outcome, text } = await look(call.toolUseId, call, claimed)
    const isUnknown = outcome === 'unknown'
    const result = `JARVIS was restarted while this ran. ${isUnknown ? `${mayHaveRun} ` : ''}${text}`.trim()
    transactions.atomically(() => {
      const at = clock.now()
      executions.settle(call.toolUseId, at, outcome)
      const { toolUseId, toolName } = call
      journal.append('result', {
        toolUseId,
        sessionId: context.sessionId,
        toolName,
        requestedBy: context.requestedBy,
        outcome,
        summary: text,
      })
      context.append({
        type: 'tool_result',
        toolUseId: call.toolUseId,
        result,
        isError: outcome !== 'done',
        summary: isUnknown ? `I do not know whether this ran. ${text}` : text,
        durationMs: at - claimed.startedAt,
        ...(isUnknown && { isUnknown }),
      })
    })
  }

  /** @returns undefined where the tool is gone, or its arguments do not say it. */
  function endingOf({ toolName, toolInput }: Pick<ToolCall, 'toolName' | 'toolInput'>) {
    try {
      return catalog.get(toolName)?.ending?.(toolInput)
    } catch {
      return undefined
    }
  }

  /** Asks the cluster, for a bounded time. */
  async function look(
    toolUseId: string,
    call: Pick<ToolCall, 'toolName' | 'toolInput'>,
    claimed: Execution,
  ): Promise<Reconciled> {
    const limit = new AbortController()
    const disarm = clock.after(lookForMs, () => limit.abort(new Error('The cluster did not say in time.')))
    try {
      const { outcome, text, upid } = await reconcile(
        endingOf(call),
        claimed,
        executions.others(toolUseId),
        cluster,
        clock,
        limit.signal,
      )
      if (upid !== undefined && claimed.upid === undefined) executions.noteTask(toolUseId, upid)
      return { outcome, text: redactor.text(legible(text)) }
    } catch (error) {
      return {
        outcome: 'unknown',
        text: redactor.text(legible(error instanceof Error ? error.message : String(error))),
      }
    } finally {
      disarm()
    }
  }

  /** For a call that is still being settled: a task may show a moment later than its request was made. */
  async function findOut(toolUseId: string, signal: AbortSignal): Promise<Reconciled> {
    const claimed = executions.get(toolUseId)
    if (claimed === undefined) return { outcome: 'unknown', text: '' }
    for (let looks = 1; ; looks += 1) {
      const found = await look(toolUseId, claimed, claimed)
      if (found.outcome !== 'unknown' || looks === mostLooks || signal.aborted) return found
      try {
        await sleep(clock, lookAgainMs, signal)
      } catch {
        return found
      }
    }
  }

  async function check(toolUseId: string): Promise<Reconciled> {
    const claimed = executions.get(toolUseId)
    if (claimed === undefined) throw new JarvisError('not_found', 'That call never started.')
    if (claimed.outcome !== 'unknown') throw new JarvisError('already_decided', 'What became of it is known.')
    const { toolName, sessionId, runId } = claimed
    const { outcome, text } = await look(toolUseId, claimed, claimed)
    if (outcome !== 'unknown') {
      transactions.atomically(() => {
        executions.settle(toolUseId, clock.now(), outcome)
        journal.append('result', { toolUseId, sessionId, toolName, outcome, summary: text })
        note(sessionId, runId, { type: 'reconciled', toolUseId, toolName, outcome, text })
      })
    }
    return { outcome, text }
  }

  return { recover, check, findOut }
}
