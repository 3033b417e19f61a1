import { legible, legibleValue, type Redactor } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { ToolCall } from '../protocol/index.ts'
import type { ToolContext, ToolOutput } from '../tools/tool.ts'
import type { Breaker } from './breaker.ts'
import type { CallContext, Ready } from './call.ts'
import type { ExecutionStore, ImageStore, Journal, Transactions } from './ports.ts'
import type { Reconciled } from './reconcile.ts'
import type { Records } from './records.ts'
import { mayHaveRun } from './recover.ts'
import { rightsOf } from './rights.ts'
import { type Done, runTool } from './run-tool.ts'

/** Whatever a tool answers was written by others: nothing in it drives a terminal, hides or turns what is read. */
function readable(done: Done): Done {
  const { text, summary, data } = done.output
  const plain = {
    text: legible(text),
    summary: legible(summary),
    ...(data !== undefined && { data: legibleValue(data) }),
  }
  return { ...done, output: { ...done.output, ...plain } }
}

/** Runs calls that may run, and keeps what came of them. */
export function createPerformer(parts: {
  executions: ExecutionStore
  images: ImageStore
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  records: Records
  breaker: Breaker
  /** Asks the cluster what became of a call whose answer was lost. */
  findOut(toolUseId: string, signal: AbortSignal): Promise<Reconciled>
  /** Starts the tool. */
  run(ready: Ready, context: ToolContext): Promise<ToolOutput>
  report(error: unknown, toolName: string): void
}) {
  const { executions, journal, transactions, redactor, clock, records, breaker, report } = parts
  let running = 0
  const onIdle: (() => void)[] = []

  /** That it runs and what came of it are stored with whatever else is stored then, and in one commit where it is quick. */
  async function read(call: ToolCall, ready: Ready, context: CallContext) {
    const isTold = transactions.together(() => records.started(call, ready, context))
    isTold.catch(() => {})
    const keep = ({ outcome }: Done) => journal.append('call', { ...records.record(call, context, ready), outcome })
    await perform(call, ready, context, keep, transactions.together)
    await isTold
  }

  /** Runs a change whose claim is on disk, and with it that it runs. */
  async function runClaimed(call: ToolCall, ready: Ready, context: CallContext) {
    const { toolUseId, toolName } = call
    const keep = ({ outcome, output, durationMs }: Done) => {
      executions.settle(toolUseId, clock.now(), outcome)
      const summary = redactor.text(output.summary)
      const { requestedBy, sessionId } = context
      const on = ready.target.kind === 'none' ? {} : { target: redactor.value(ready.target) }
      journal.append('result', { toolUseId, sessionId, toolName, ...on, requestedBy, outcome, durationMs, summary })
    }
    await perform(call, ready, context, keep)
  }

  /** Counted as running until what came of it is stored. */
  async function perform(
    call: ToolCall,
    ready: Ready,
    context: CallContext,
    keep: (done: Done) => void,
    transact: (work: () => void) => unknown = transactions.atomically,
  ) {
    const { toolUseId, toolName } = call
    const { tool, target } = ready
    running += 1
    try {
      breaker.began(toolName, target.node)
      const { isForeign } = rightsOf(context.requestedBy.kind)
      const ended = await runTool(tool, (toolContext) => parts.run(ready, { ...toolContext, isForeign, target }), {
        signal: context.signal,
        clock,
        report,
        onProgress: (message) => context.progress(toolUseId, redactor.text(legible(message))),
        onTask: (upid) => executions.noteTask(toolUseId, upid),
      })
      // Of what happened elsewhere the cluster knows nothing.
      const isInCluster = tool.attached === undefined
      const done = readable(ended.isLost && isInCluster ? await foundOut(ended, toolUseId, context) : ended)
      const { output, outcome, durationMs, isFault } = done
      const summary = redactor.text(output.summary)
      breaker.ended(toolName, target.node, isFault, summary)
      await transact(() => {
        keep(done)
        const images = output.images?.map((image) => parts.images.keep(context.sessionId, image)) ?? []
        context.append({
          type: 'tool_result',
          toolUseId,
          result: redactor.text(output.text) || '(no output)',
          isError: output.isError === true,
          summary,
          durationMs,
          ...(outcome === 'unknown' && { isUnknown: true }),
          ...(output.data === undefined ? {} : { data: redactor.value(output.data) }),
          ...(images.length > 0 && { images }),
        })
      })
    } finally {
      running -= 1
      if (running === 0) for (const done of onIdle.splice(0)) done()
    }
  }

  /** A lost answer is no failure: where the cluster shows what became of the call, that is its outcome. */
  async function foundOut(lost: Done, toolUseId: string, context: CallContext): Promise<Done> {
    context.progress(toolUseId, 'The answer was lost: looking what became of it')
    const { outcome, text } = await parts.findOut(toolUseId, context.signal)
    const all = outcome === 'unknown' ? `${lost.output.text} ${mayHaveRun} ${text}` : `${lost.output.text} ${text}`
    // A person reads the summary alone: it says what happened before it says where to look.
    const summary = outcome === 'unknown' ? `${lost.output.summary} ${text}`.trim() : text || lost.output.summary
    const output = { text: all.trim(), summary, isError: outcome !== 'done' }
    return { ...lost, output, outcome }
  }

  return {
    read,
    runClaimed,
    /** Resolves once no tool is running. */
    idle: () =>
      new Promise<void>((done) => {
        if (running === 0) done()
        else onIdle.push(done)
      }),
  }
}
