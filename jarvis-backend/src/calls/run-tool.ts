import { type Asking, JarvisError, type QuestionResolution } from 'protocol'
import { legible, legibleValue, Mistake } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts'
import type { Outcome } from './ports.ts'
import { TimeLimit } from './time-limit.ts'

/**
 * The end of a tool's run. `isFault`: true if the tool threw an error, false if it returned an output, even a bad one; undefined if the end says
 * nothing about the tool. `isLost`: a change was requested, and no answer came.
 */
export type Done = {
  output: ToolOutput
  outcome: Outcome
  durationMs: number
  isFault: boolean | undefined
  isLost: boolean
  /** The redacted data of exactly this output, if it was redacted already. */
  safe?: { of: ToolOutput; data: ToolOutput['data'] }
}

/** The outcome of a call. `found`: the cluster's record of a call that an earlier process started, in words. */
export type Came = Pick<Done, 'output' | 'outcome' | 'durationMs' | 'safe'> & { found?: string }

/** Errors that are the caller's mistakes and say nothing about the tool. */
const mistakes: readonly string[] = ['not_found', 'invalid_request', 'conflict']

/** Runs a tool and waits for it, at most for its time-out. An error that the tool throws becomes an output that the model can read. */
export async function runTool(
  tool: Pick<Tool, 'name' | 'tier' | 'timeoutMs'>,
  run: (context: ToolContext) => Promise<ToolOutput>,
  parts: Omit<ToolContext, 'signal' | 'ask'> & {
    /** Asks an operator. The tool's time-out pauses meanwhile. */
    ask?: (asking: Asking, signal: AbortSignal) => Promise<QuestionResolution>
    /** Aborts if somebody stops the run. */
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
  const limit = new TimeLimit(clock, tool.timeoutMs, () => {
    const limitS = Math.round(tool.timeoutMs / 1000)
    stop.abort(new Error(`It took longer than ${limitS} s, so JARVIS no longer waits. It may still be going on.`))
  })
  let output: ToolOutput
  let isFault: boolean | undefined = false
  let isLost = false
  // A stopped read is ended here. A change that was stopped before its turn was refused earlier; a read has no turn.
  const isTooLate = signal.aborted && tool.tier === 'green'
  try {
    if (isTooLate) throw signal.reason
    output = await Promise.race([
      run({
        signal: stop.signal,
        // After an abort the tool's progress is no longer reported.
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
      // Stops waiting for a tool that ignores its signal.
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

/** Makes control and bidirectional characters visible, which could drive a terminal or hide text. Strangers may have written a tool's answer. */
function readable(output: ToolOutput): ToolOutput {
  const { text, summary, data } = output
  const plain = { text: legible(text), summary: legible(summary) }
  return { ...output, ...plain, ...(data !== undefined && { data: legibleValue(data) }) }
}
