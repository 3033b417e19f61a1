import { legible, type Redactor } from '../gate/index.ts'
import type { Cluster } from '../homelab/ports.ts'
import { type Clock, sleep } from '../lib/clock.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Execution, ExecutionStore } from './ports.ts'
import { type Reconciled, reconcile } from './reconcile.ts'
import type { Came, Done } from './run-tool.ts'

type RecoveryParts = {
  executions: ExecutionStore
  redactor: Redactor
  clock: Clock
  cluster: Cluster
  catalog: Pick<Catalog, 'get'>
  /** What became of the files that a call changes, once nothing changes them any more; undefined where none were begun. */
  applied(toolUseId: string): Promise<Reconciled | undefined>
  /** What a change left of a guest, in sentences; empty for a guest that the cluster does not list. @throws the signal's reason */
  leftOf(vmid: number, signal: AbortSignal): Promise<string>
}

/** How long a restarted server looks for a call's outcome before it says that it does not know. */
const lookForMs = 30_000
/** How often, and after what time each, one looks for a call whose answer was lost just now. */
const mostLooks = 3
const lookAgainMs = 3_000
/** How long it reads what a change left that failed or may have. */
const readLeftMs = 10_000
export const mayHaveRun = 'It may have run or not: look at the state before asking for it again.'

/** Finds out what became of a call that was claimed and has no result. Such a call is looked for, and never run again. */
export function createRecovery(parts: RecoveryParts) {
  const { executions, redactor, clock, cluster, catalog } = parts

  /** @returns undefined where the tool is gone, or its arguments do not say it. */
  function endingOf({ toolName, toolInput }: Execution) {
    try {
      return catalog.get(toolName)?.ending?.(toolInput)
    } catch {
      return undefined
    }
  }

  /** Says what a change left that was not done, or is not known to be done. */
  async function withLeft(found: Reconciled, claimed: Execution): Promise<Reconciled> {
    const ending = endingOf(claimed)
    const vmid = ending !== undefined && 'vmid' in ending ? ending.vmid : undefined
    if (found.outcome === 'done' || vmid === undefined) return found
    const limit = new AbortController()
    const disarm = clock.after(readLeftMs, () => limit.abort(new Error('late')))
    try {
      const left = await parts.leftOf(vmid, limit.signal)
      return { ...found, text: `${found.text} ${redactor.text(legible(left))}`.trim() }
    } catch {
      return { ...found, text: `${found.text} What it left of ${vmid} could not be read.`.trim() }
    } finally {
      disarm()
    }
  }

  /** Asks the cluster, for a bounded time. */
  async function seek(toolUseId: string, claimed: Execution): Promise<Reconciled> {
    const ending = endingOf(claimed)
    if (ending !== undefined && 'applies' in ending)
      return (
        (await parts.applied(toolUseId)) ?? {
          outcome: 'failed',
          text: 'No file was changed: JARVIS ended before that.',
        }
      )
    const limit = new AbortController()
    const disarm = clock.after(lookForMs, () => limit.abort(new Error('The cluster did not say in time.')))
    try {
      const { outcome, text, upid } = await reconcile(
        ending,
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
      const found = await seek(toolUseId, claimed)
      if (found.outcome !== 'unknown' || looks === mostLooks || signal.aborted) return withLeft(found, claimed)
      try {
        await sleep(clock, lookAgainMs, signal)
      } catch {
        return withLeft(found, claimed)
      }
    }
  }

  return {
    look: async (toolUseId: string, claimed: Execution) => withLeft(await seek(toolUseId, claimed), claimed),
    findOut,
  }
}

/** A lost answer is no failure: where the cluster shows what became of the call, that is its outcome. */
export function foundOut(lost: Done, { outcome, text }: Reconciled): Came {
  const all = outcome === 'unknown' ? `${lost.output.text} ${mayHaveRun} ${text}` : `${lost.output.text} ${text}`
  // A person reads the summary alone: it says what happened before it says where to look.
  const summary = outcome === 'unknown' ? `${lost.output.summary} ${text}`.trim() : text || lost.output.summary
  return { ...lost, output: { text: all.trim(), summary, isError: outcome !== 'done' }, outcome }
}

/** What came of a call that an earlier process has begun. */
export function foundLater({ outcome, text }: Reconciled, durationMs: number): Came {
  const isUnknown = outcome === 'unknown'
  const output = {
    text: `JARVIS was restarted while this ran. ${isUnknown ? `${mayHaveRun} ` : ''}${text}`.trim(),
    summary: isUnknown ? `I do not know whether this ran. ${text}` : text,
    isError: outcome !== 'done',
  }
  return { output, outcome, durationMs, found: text }
}
