import type { Cluster } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import { type Card, type Entry, JarvisError, type Requester, type ToolCall } from '../protocol/index.ts'
import { describe, inputHash, type Redactor, type World } from '../safety/index.ts'
import type { Confirmations } from './confirmations.ts'
import type { Judge, Judgement } from './judge.ts'
import type { Claim, Execution, ExecutionStore, Journal, Outcome, StoredConfirmation, Transactions } from './ports.ts'
import { type Reconciled, reconcile } from './reconcile.ts'
import type { ToolOutput } from './tool.ts'

type Place = 'seq' | 'runId' | 'at'
/** What a call adds to its session's transcript. */
export type CallEntry = Entry extends infer E
  ? E extends { type: 'tool_use' | 'tool_result' | 'confirm_needed' | 'confirm_resolved' | 'blocked' }
    ? Omit<E, Place>
    : never
  : never

export type CallContext = {
  sessionId: string
  runId: string
  requestedBy: Requester
  /** Aborted: a call that waits is withdrawn, one that runs is no longer waited for. */
  signal: AbortSignal
  /** Who aborted, for the record. */
  abortedBy(): string
  append(entry: CallEntry): void
  progress(toolUseId: string, message: string): void
  /** Settles when the earlier changes to the same guest have; a change starts only then. */
  before: Promise<unknown> | undefined
}

/** The door to every effect: judges, asks, claims, journals, runs, and settles each call exactly once. */
export type Executor = {
  /** Resolves once the call has its result, refusal or denial in the transcript. Never rejects for a call's own fault. */
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** Looks again for a call whose outcome is not known. @throws JarvisError `not_found`, `already_decided`. */
  check(toolUseId: string): Promise<Checked>
  /** Resolves once no tool is running. */
  idle(): Promise<void>
}
export type Checked = Reconciled

type Done = { output: ToolOutput; outcome: Outcome; durationMs: number }
type ReconciledEntry = Omit<Extract<Entry, { type: 'reconciled' }>, Place>
/** How long a restarted server looks for a call's outcome before it says that it does not know. */
const lookForMs = 30_000
const mayHave = 'It may have run or not: look at the state before asking for it again.'

type Asked = NonNullable<ReturnType<Confirmations['get']>>
type Ready = Extract<Judgement, { kind: 'ready' }>

export function createExecutor(parts: {
  judge: Judge
  world: () => World
  confirmations: Confirmations
  executions: ExecutionStore
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  cluster: Cluster
  /** Adds a line to a session's transcript when no run of it is at work. */
  note(sessionId: string, runId: string, entry: ReconciledEntry): void
  /** A tool failed in a way it did not name. */
  report(error: unknown, toolName: string): void
}): Executor {
  const { judge, confirmations, executions, journal, transactions, redactor, clock } = parts

  let running = 0
  const onIdle: (() => void)[] = []

  async function settle(call: ToolCall, context: CallContext): Promise<void> {
    try {
      await attempt(call, context)
    } catch (error) {
      parts.report(error, call.toolName)
      const mayHaveRun = executions.get(call.toolUseId) !== undefined
      fail(
        call,
        context,
        `Something went wrong inside JARVIS; the log says more. ${mayHaveRun ? mayHave : 'Nothing was run.'}`,
      )
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

  /** A claim without a result: the process died in between. It may have run, so it is never run again, only looked for. */
  async function recover(call: ToolCall, claimed: Execution, context: CallContext) {
    context.progress(call.toolUseId, 'Looking what became of it')
    const { outcome, text } = await look(call, claimed)
    const isUnknown = outcome === 'unknown'
    const result = `JARVIS was restarted while this ran. ${isUnknown ? `${mayHave} ` : ''}${text}`.trim()
    transactions.atomically(() => {
      const at = clock.now()
      executions.settle(call.toolUseId, at, outcome)
      journal.append('result', { toolUseId: call.toolUseId, outcome, summary: text })
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

  /** Asks the cluster, for a bounded time. */
  async function look(call: Pick<ToolCall, 'toolName' | 'toolInput'>, claimed: Execution): Promise<Reconciled> {
    const limit = new AbortController()
    const disarm = clock.after(lookForMs, () => limit.abort(new Error('The cluster did not say in time.')))
    try {
      const { outcome, text } = await reconcile(call, claimed, parts.cluster, clock, limit.signal)
      return { outcome, text: redactor.text(text) }
    } catch (error) {
      return { outcome: 'unknown', text: redactor.text(error instanceof Error ? error.message : String(error)) }
    } finally {
      disarm()
    }
  }

  async function check(toolUseId: string): Promise<Checked> {
    const claimed = executions.get(toolUseId)
    if (claimed === undefined) throw new JarvisError('not_found', 'That call never started.')
    if (claimed.outcome !== 'unknown') throw new JarvisError('already_decided', 'What became of it is known.')
    const { toolName, sessionId, runId } = claimed
    const { outcome, text } = await look(claimed, claimed)
    if (outcome !== 'unknown') {
      transactions.atomically(() => {
        executions.settle(toolUseId, clock.now(), outcome)
        journal.append('result', { toolUseId, outcome, summary: text })
        parts.note(sessionId, runId, { type: 'reconciled', toolUseId, toolName, outcome, text })
      })
    }
    return { outcome, text }
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
    await perform(call, ready, context, ({ outcome, output }) => {
      executions.settle(call.toolUseId, clock.now(), outcome)
      journal.append('result', { toolUseId: call.toolUseId, outcome, summary: redactor.text(output.summary) })
    })
  }

  /** Puts the call before a person and waits. */
  function ask(call: ToolCall, ready: Ready, context: CallContext): Promise<void> {
    const card = cardOf(call, ready, context)
    const confirmation = { card, sessionId: context.sessionId, runId: context.runId, bindingHash: ready.hash }
    let decided = Promise.resolve()
    transactions.atomically(() => {
      journal.append('call', { ...record(call, context, ready.verdict.rule), tier: 'red', bindingHash: ready.hash })
      decided = awaitDecision(confirmation, call, ready, context)
      context.append({ type: 'confirm_needed', ...card })
    })
    return decided
  }

  /** Goes on with a call that was put before a person earlier, before a restart. */
  async function resume(call: ToolCall, current: Judgement, asked: Asked, context: CallContext) {
    const stands = current.kind === 'ready' && current.hash === asked.bindingHash
    if (asked.resolution === undefined) {
      if (stands) await awaitDecision(asked, call, current, context)
      else withdraw(call, driftOf(current), context)
    } else if (asked.resolution.decision === 'approved') {
      if (stands) await change(call, current, context)
      else fail(call, context, `${driftOf(current)} Nothing was run.`)
    } else {
      const { at: _, ...resolution } = asked.resolution
      context.append({ type: 'confirm_resolved', toolUseId: call.toolUseId, ...resolution })
    }
  }

  function withdraw(call: ToolCall, note: string, context: CallContext) {
    transactions.atomically(() => {
      confirmations.cancel(call.toolUseId, 'jarvis', note)
      context.append({ type: 'confirm_resolved', toolUseId: call.toolUseId, decision: 'cancelled', by: 'jarvis', note })
    })
  }

  function awaitDecision(
    confirmation: StoredConfirmation,
    call: ToolCall,
    ready: Ready,
    context: CallContext,
  ): Promise<void> {
    const { toolUseId, toolName } = call
    let isNext = context.before === undefined
    void context.before?.then(() => {
      isNext = true
    })
    return new Promise<void>((settled, failed) => {
      const onAbort = () => {
        try {
          confirmations.cancel(toolUseId, context.abortedBy())
        } catch (error) {
          failed(error)
        }
      }
      confirmations.ask(confirmation, {
        recheck() {
          const current = judge(toolName, call.toolInput)
          return current.kind === 'ready' && current.hash === ready.hash ? undefined : driftOf(current)
        },
        claim: () => (isNext ? claimOf(call, ready, context) : undefined),
        record({ at: _, ...resolution }) {
          context.append({ type: 'confirm_resolved', toolUseId, ...resolution })
        },
        resolved({ decision }, claimed) {
          context.signal.removeEventListener('abort', onAbort)
          if (decision !== 'approved') settled()
          else (claimed ? runClaimed(call, ready, context) : change(call, ready, context)).then(settled, failed)
        },
      })
      if (context.signal.aborted) onAbort()
      else context.signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  function cardOf(call: ToolCall, { verdict, target, input }: Ready, context: CallContext): Card {
    const createdAt = clock.now()
    return {
      toolUseId: call.toolUseId,
      toolName: call.toolName,
      toolInput: redactor.value(input),
      tier: 'red',
      rule: verdict.rule,
      target,
      ...describe({ toolName: call.toolName, input }, target, parts.world(), verdict, createdAt),
      requestedBy: context.requestedBy,
      createdAt,
      expiresAt: confirmations.firstExpiry(context.sessionId, createdAt),
    }
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
    const outcome = stop.signal.aborted ? 'unknown' : output.isError === true ? 'failed' : 'done'
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

  const record = (call: ToolCall, context: CallContext, rule: string) => ({
    toolUseId: call.toolUseId,
    sessionId: context.sessionId,
    toolName: call.toolName,
    toolInput: redactor.value(call.toolInput),
    inputHash: inputHash(call.toolInput),
    requestedBy: context.requestedBy,
    rule,
  })

  const claimOf = (call: ToolCall, { verdict, hash }: Ready, { sessionId, runId }: CallContext): Claim => ({
    toolUseId: call.toolUseId,
    sessionId,
    runId,
    toolName: call.toolName,
    toolInput: redactor.value(call.toolInput),
    tier: verdict.tier,
    bindingHash: hash,
    at: clock.now(),
  })

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

/** Why a call that was in order when it was asked is not any more. */
const driftOf = (current: Judgement) =>
  current.kind === 'invalid'
    ? `The target has changed since: ${current.message}`
    : current.kind === 'blocked'
      ? `The rules refuse it now: ${current.verdict.reason}`
      : 'The target is no longer what it was when this was asked.'
