import type { Cluster } from 'homelab-ports/ports'
import { sleep } from 'node-kit/clock'
import { legible, type Redactor } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Execution, ExecutionStore } from './ports.ts'
import { type Reconciled, reconcile } from './reconcile.ts'
import type { Came, Done } from './run-tool.ts'

export type RecoveryParts = {
  executions: ExecutionStore
  redactor: Redactor
  clock: Clock
  cluster: Cluster
  catalog: Pick<Catalog, 'get'>
  /** Returns the outcome for the files that a call changes, once the changes have ended; undefined if no change had begun. */
  applied(toolUseId: string): Promise<Reconciled | undefined>
  /**
   * Describes in sentences the state in which a change left a guest; empty for a guest that the cluster does not list. @throws the signal's reason
   */
  leftOf(vmid: number, signal: AbortSignal): Promise<string>
}

/** Time limit for one search for a call's outcome, ms. After it the outcome counts as unknown. */
const lookForMs = 30_000
/** For a call whose answer was lost just now: the maximum number of searches, and the pause between two of them, ms. */
const mostLooks = 3
const lookAgainMs = 3_000
/** Time limit for reading the state in which a failed or unknown change left a guest, ms. */
const readLeftMs = 10_000
export const mayHaveRun = 'It may have run or not: look at the state before asking for it again.'

/** Finds out the outcome of a call that was claimed and has no result. Only searches for the outcome; never runs the call again. */
export class Recovery {
  readonly #parts: RecoveryParts

  constructor(parts: RecoveryParts) {
    this.#parts = parts
  }

  async look(toolUseId: string, claimed: Execution): Promise<Reconciled> {
    return this.#withLeft(await this.#seek(toolUseId, claimed), claimed)
  }

  /** Finds the outcome of a call that is still being settled. Searches several times, because a task may appear a moment after its request. */
  async findOut(toolUseId: string, signal: AbortSignal): Promise<Reconciled> {
    const { executions, clock } = this.#parts
    const claimed = executions.get(toolUseId)
    if (claimed === undefined) return { outcome: 'unknown', text: '' }
    for (let looks = 1; ; looks += 1) {
      const found = await this.#seek(toolUseId, claimed)
      if (found.outcome !== 'unknown' || looks === mostLooks || signal.aborted) return this.#withLeft(found, claimed)
      try {
        await sleep(clock, lookAgainMs, signal)
      } catch {
        return this.#withLeft(found, claimed)
      }
    }
  }

  /** Searches for the outcome once, for a bounded time. */
  async #seek(toolUseId: string, claimed: Execution): Promise<Reconciled> {
    const { executions, redactor, clock, cluster, applied } = this.#parts
    const ending = this.#endingOf(claimed)
    if (ending !== undefined && 'applies' in ending)
      return (
        (await applied(toolUseId)) ?? {
          outcome: 'failed',
          text: 'No file was changed: JARVIS ended before that.',
        }
      )
    const limit = new AbortController()
    const disarm = clock.after(lookForMs, () => limit.abort(new Error('The cluster did not say in time.')))
    try {
      const call = { ending, claimed, others: executions.others(toolUseId) }
      const { outcome, text, upid } = await reconcile(call, { cluster, clock }, limit.signal)
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

  /** Adds the state in which the change left the guest, unless the change is known to be done. */
  async #withLeft(found: Reconciled, claimed: Execution): Promise<Reconciled> {
    const { redactor, clock, leftOf } = this.#parts
    const ending = this.#endingOf(claimed)
    const vmid = ending !== undefined && 'vmid' in ending ? ending.vmid : undefined
    if (found.outcome === 'done' || vmid === undefined) return found
    const limit = new AbortController()
    const disarm = clock.after(readLeftMs, () => limit.abort(new Error('late')))
    try {
      const left = await leftOf(vmid, limit.signal)
      return { ...found, text: `${found.text} ${redactor.text(legible(left))}`.trim() }
    } catch {
      return { ...found, text: `${found.text} What it left of ${vmid} could not be read.`.trim() }
    } finally {
      disarm()
    }
  }

  /** @returns undefined if the tool no longer exists, or if its arguments do not tell how to find the outcome */
  #endingOf({ toolName, toolInput }: Execution) {
    try {
      return this.#parts.catalog.get(toolName)?.ending?.(toolInput)
    } catch {
      return undefined
    }
  }
}

/** Returns the outcome of a call whose answer was lost. A lost answer is not a failure: the cluster may show the outcome. */
export function foundOut(lost: Done, { outcome, text }: Reconciled): Came {
  const all = outcome === 'unknown' ? `${lost.output.text} ${mayHaveRun} ${text}` : `${lost.output.text} ${text}`
  // A person reads only the summary, so it first says what happened, and then where to look.
  const summary = outcome === 'unknown' ? `${lost.output.summary} ${text}`.trim() : text || lost.output.summary
  return { ...lost, output: { text: all.trim(), summary, isError: outcome !== 'done' }, outcome }
}

/** Returns the outcome of a call that an earlier process of JARVIS had started. */
export function foundLater({ outcome, text }: Reconciled, durationMs: number): Came {
  const isUnknown = outcome === 'unknown'
  const output = {
    text: `JARVIS was restarted while this ran. ${isUnknown ? `${mayHaveRun} ` : ''}${text}`.trim(),
    summary: isUnknown ? `I do not know whether this ran. ${text}` : text,
    isError: outcome !== 'done',
  }
  return { output, outcome, durationMs, found: text }
}
