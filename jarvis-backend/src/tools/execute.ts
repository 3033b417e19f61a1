import { JarvisError, type ToolCall } from '../protocol/index.ts'
import { inputHash, type World } from '../safety/index.ts'
import { createAsking } from './ask.ts'
import { type CallContext, driftOf, type Ready } from './call.ts'
import type { Confirmations } from './confirmations.ts'
import type { Judge, Judgement } from './judge.ts'
import type { Claim, Outcome } from './ports.ts'
import type { Reconciled } from './reconcile.ts'
import { createRecovery, mayHaveRun, type RecoveryParts } from './recover.ts'
import type { ToolOutput } from './tool.ts'

/** The door to every effect: judges, asks, claims, journals, runs, and settles each call exactly once. */
export type Executor = {
  /** Resolves once the call has its result, refusal or denial in the transcript. Never rejects for a call's own fault. */
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** Looks again for a call whose outcome is not known. @throws JarvisError `not_found`, `already_decided`. */
  check(toolUseId: string): Promise<Reconciled>
  /** Resolves once no tool is running. */
  idle(): Promise<void>
}
type Done = { output: ToolOutput; outcome: Outcome; durationMs: number }

export function createExecutor(
  parts: RecoveryParts & {
    judge: Judge
    world: () => World
    confirmations: Confirmations
    /** A tool failed in a way it did not name. */
    report(error: unknown, toolName: string): void
  },
): Executor {
  const { judge, confirmations, executions, journal, transactions, redactor, clock } = parts

  let running = 0
  const onIdle: (() => void)[] = []
  const { recover, check } = createRecovery(parts)
  const { ask, resume } = createAsking({ ...parts, record, claimOf, runClaimed, change, fail })

  async function settle(call: ToolCall, context: CallContext): Promise<void> {
    try {
      await attempt(call, context)
    } catch (error) {
      parts.report(error, call.toolName)
      const truth = executions.get(call.toolUseId) === undefined ? 'Nothing was run.' : mayHaveRun
      fail(call, context, `Something went wrong inside JARVIS; the log says more. ${truth}`)
    }
  }

  async function attempt(call: ToolCall, context: CallContext): Promise<void> {
    const { toolUseId, toolName } = call
    const claimed = executions.get(toolUseId)
    if (claimed !== undefined) {
      await recover(call, claimed, context)
      return
    }
    if (call.malformed !== undefined) {
      fail(call, context, `The arguments of ${toolName} could not be read: ${call.malformed}`)
      return
    }
    const judgement = judge(toolName, call.toolInput)
    const asked = confirmations.get(toolUseId)
    if (asked !== undefined) {
      await resume(call, judgement, asked, context)
      return
    }
    switch (judgement.kind) {
      case 'invalid':
        fail(call, context, judgement.message)
        return
      case 'blocked':
        refuse(call, context, judgement)
        return
      case 'ready':
        if (judgement.verdict.tier === 'green') await read(call, judgement, context)
        else if (judgement.verdict.tier === 'yellow') await change(call, judgement, context)
        else await ask(call, judgement, context)
        return
      default:
        judgement satisfies never
    }
  }

  function refuse(call: ToolCall, context: CallContext, { verdict }: Extract<Judgement, { kind: 'blocked' }>) {
    transactions.atomically(() => {
      journal.append('refusal', record(call, context, verdict.rule))
      context.append({
        type: 'blocked',
        toolUseId: call.toolUseId,
        toolName: call.toolName,
        toolInput: redactor.value(call.toolInput),
        reason: redactor.text(verdict.reason),
        rule: verdict.rule,
        tier: 'black',
      })
    })
  }

  /** A call that never started: its result says why. */
  function fail(call: ToolCall, context: CallContext, message: string) {
    transactions.atomically(() => {
      journal.append('refusal', record(call, context, 'not_run'))
      const result = redactor.text(message)
      context.append({
        type: 'tool_result',
        toolUseId: call.toolUseId,
        result,
        isError: true,
        summary: result,
        durationMs: 0,
      })
    })
  }

  /** Runs the call and keeps what came of it, counted until that is stored. */
  async function perform(call: ToolCall, ready: Ready, context: CallContext, keep: (done: Done) => void) {
    running += 1
    try {
      started(call, ready, context)
      const done = await run(call, ready, context)
      transactions.atomically(() => {
        keep(done)
        finished(call, done, context)
      })
    } finally {
      running -= 1
      if (running === 0) for (const done of onIdle.splice(0)) done()
    }
  }

  async function read(call: ToolCall, ready: Ready, context: CallContext) {
    await perform(call, ready, context, ({ outcome }) =>
      journal.append('call', { ...record(call, context, ready.verdict.rule), tier: 'green', outcome }),
    )
  }

  async function change(call: ToolCall, ready: Ready, context: CallContext) {
    await context.before
    if (context.signal.aborted) {
      fail(call, context, 'Stopped before it began. Nothing was run.')
      return
    }
    const current = judge(call.toolName, call.toolInput)
    if (current.kind !== 'ready' || current.hash !== ready.hash || current.verdict.tier !== ready.verdict.tier) {
      fail(call, context, `${driftOf(current)} Nothing was run.`)
      return
    }
    transactions.durably(() => {
      const claim = claimOf(call, ready, context)
      executions.claim(claim)
      journal.append('execution', { ...record(call, context, ready.verdict.rule), ...claim })
    })
    await runClaimed(call, ready, context)
  }

  async function runClaimed(call: ToolCall, ready: Ready, context: CallContext) {
    await perform(call, ready, context, ({ outcome, output, durationMs }) => {
      executions.settle(call.toolUseId, clock.now(), outcome)
      journal.append('result', {
        toolUseId: call.toolUseId,
        sessionId: context.sessionId,
        toolName: call.toolName,
        outcome,
        durationMs,
        summary: redactor.text(output.summary),
      })
    })
  }

  /** Runs the tool within its time-out; whatever it throws is an output that the model can read. */
  async function run(call: ToolCall, { tool, input }: Ready, context: CallContext): Promise<Done> {
    const startedAt = clock.now()
    const stop = new AbortController()
    const onAbort = () => stop.abort(context.signal.reason)
    context.signal.addEventListener('abort', onAbort, { once: true })
    if (context.signal.aborted) onAbort()
    const disarm = clock.after(tool.timeoutMs, () => {
      const limit = Math.round(tool.timeoutMs / 1000)
      stop.abort(new Error(`It took longer than ${limit} s. Whether it still goes on is not known.`))
    })
    let output: ToolOutput
    try {
      output = await Promise.race([
        tool.run(input, {
          signal: stop.signal,
          // A tool that was left behind says nothing more.
          onProgress: (message) => {
            if (!stop.signal.aborted) context.progress(call.toolUseId, redactor.text(message))
          },
          onTask: (upid) => executions.noteTask(call.toolUseId, upid),
        }),
        // A tool that ignores its signal is left behind.
        new Promise<never>((_, reject) => {
          const giveUp = () => reject(stop.signal.reason)
          if (stop.signal.aborted) giveUp()
          else stop.signal.addEventListener('abort', giveUp, { once: true })
        }),
      ])
    } catch (error) {
      if (!stop.signal.aborted && !(error instanceof JarvisError)) parts.report(error, tool.name)
      const text = context.signal.aborted
        ? 'Stopped waiting for it. What had already begun on the cluster goes on.'
        : error instanceof Error
          ? error.message
          : String(error)
      output = { text, summary: text, isError: true }
    } finally {
      context.signal.removeEventListener('abort', onAbort)
      disarm()
    }
    // A read that was left behind changed nothing, so there is nothing not to know.
    const isLeft = stop.signal.aborted && tool.tier !== 'green'
    const outcome = isLeft ? 'unknown' : output.isError === true ? 'failed' : 'done'
    return { output, outcome, durationMs: clock.now() - startedAt }
  }

  function started(call: ToolCall, ready: Ready, context: CallContext) {
    const { toolUseId, toolName } = call
    context.append({
      type: 'tool_use',
      toolUseId,
      toolName,
      toolInput: redactor.value(ready.input),
      tier: ready.verdict.tier,
    })
  }

  function finished(call: ToolCall, { output, outcome, durationMs }: Done, context: CallContext) {
    context.append({
      type: 'tool_result',
      toolUseId: call.toolUseId,
      result: redactor.text(output.text) || '(no output)',
      isError: output.isError === true,
      summary: redactor.text(output.summary),
      durationMs,
      ...(outcome === 'unknown' && { isUnknown: true }),
      ...(output.data === undefined ? {} : { data: redactor.value(output.data) }),
    })
  }

  function record(call: ToolCall, context: CallContext, rule: string) {
    return {
      toolUseId: call.toolUseId,
      sessionId: context.sessionId,
      toolName: call.toolName,
      toolInput: redactor.value(call.toolInput),
      inputHash: inputHash(call.toolInput),
      requestedBy: context.requestedBy,
      rule,
    }
  }

  function claimOf(call: ToolCall, { verdict, hash }: Ready, { sessionId, runId }: CallContext): Claim {
    return {
      toolUseId: call.toolUseId,
      sessionId,
      runId,
      toolName: call.toolName,
      toolInput: redactor.value(call.toolInput),
      tier: verdict.tier,
      bindingHash: hash,
      at: clock.now(),
    }
  }

  return {
    settle,
    check,
    idle: () =>
      new Promise((done) => {
        if (running === 0) done()
        else onIdle.push(done)
      }),
  }
}
