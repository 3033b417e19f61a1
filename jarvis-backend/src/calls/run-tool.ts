import { type Asking, JarvisError, type QuestionResolution } from 'protocol'
import { legible, legibleValue, Mistake } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts'
import type { Outcome } from './ports.ts'
import { createLimit } from './time-limit.ts'

/**
 * `isFault`: the tool itself failed: what it returns is an answer, even a bad one. Undefined where that cannot be told.
 * `isLost`: a change was asked for, and the answer did not come.
 */
export type Done = {
  output: ToolOutput
  outcome: Outcome
  durationMs: number
  isFault: boolean | undefined
  isLost: boolean
  /** The data of exactly this output without secrets, where that was made already. */
  safe?: { of: ToolOutput; data: ToolOutput['data'] }
}

/** What came of a call. `found`: what the cluster shows of a call that an earlier process began. */
export type Came = Pick<Done, 'output' | 'outcome' | 'durationMs' | 'safe'> & { found?: string }

/** Mistakes of the caller's, which say nothing of the tool. */
const mistakes: readonly string[] = ['not_found', 'invalid_request', 'conflict']

/** Waits for a tool within its time-out; whatever it throws is an output that the model can read. */
export async function runTool(
  tool: Pick<Tool, 'name' | 'tier' | 'timeoutMs'>,
  run: (context: ToolContext) => Promise<ToolOutput>,
  parts: Omit<ToolContext, 'signal' | 'ask'> & {
    /** Asks an operator; the tool's time stands still meanwhile. */
    ask?: (asking: Asking, signal: AbortSignal) => Promise<QuestionResolution>
    /** Somebody stopped the run. */
    signal: AbortSignal
    clock: Clock
    /** Reports a tool's unexpected exception. */
    report(error: unknown, toolName: string): void
  },
): Promise<Done> {
  const { signal, clock } = parts
  const startedAt = clock.now()
  const { ask } = parts
  const stop = new AbortController()
  const onAbort = () => stop.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const limit = createLimit(clock, tool.timeoutMs, () => {
    const limitS = Math.round(tool.timeoutMs / 1000)
    stop.abort(new Error(`It took longer than ${limitS} s, so JARVIS no longer waits. It may still be going on.`))
  })
  let output: ToolOutput
  let isFault: boolean | undefined = false
  let isLost = false
  // A change that is stopped before its turn was refused there; a read has none.
  const isTooLate = signal.aborted && tool.tier === 'green'
  try {
    if (isTooLate) throw signal.reason
    output = await Promise.race([
      run({
        signal: stop.signal,
        // A tool that was left behind says nothing more.
        onProgress: (message) => {
          if (!stop.signal.aborted) parts.onProgress(message)
        },
        onTask: parts.onTask,
        ...(ask && {
          ask: (asking, signal) =>
            limit.paused(() =>
              ask(asking, signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])),
            ),
        }),
      }),
      // A tool that ignores its signal is left behind.
      new Promise<never>((_, reject) => {
        const giveUp = () => reject(stop.signal.reason)
        if (stop.signal.aborted) giveUp()
        else stop.signal.addEventListener('abort', giveUp, { once: true })
      }),
    ])
  } catch (error) {
    const isMistake = error instanceof Mistake || (error instanceof JarvisError && mistakes.includes(error.code))
    if (!stop.signal.aborted && !isMistake && !(error instanceof JarvisError)) parts.report(error, tool.name)
    isFault = signal.aborted || isMistake ? undefined : true
    isLost = error instanceof JarvisError && error.code === 'outcome_unknown' && tool.tier !== 'green'
    const text = isTooLate
      ? 'Stopped before it began. Nothing was run.'
      : signal.aborted
        ? 'Stopped waiting for it. What had already begun on the cluster goes on.'
        : error instanceof Error
          ? error.message
          : String(error)
    output = { text, summary: text, isError: true }
  } finally {
    signal.removeEventListener('abort', onAbort)
    limit.end()
  }
  // A call that only reads cannot have an unknown outcome.
  const isLeft = stop.signal.aborted && tool.tier !== 'green'
  const outcome = isLeft || isLost ? 'unknown' : output.isError === true ? 'failed' : 'done'
  return { output: readable(output), outcome, durationMs: clock.now() - startedAt, isFault, isLost }
}

/** Whatever a tool answers was written by others: nothing in it drives a terminal, hides or turns what is read. */
function readable(output: ToolOutput): ToolOutput {
  const { text, summary, data } = output
  const plain = { text: legible(text), summary: legible(summary) }
  return { ...output, ...plain, ...(data !== undefined && { data: legibleValue(data) }) }
}
