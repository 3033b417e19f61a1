import type { Asking, QuestionResolution } from 'protocol'
import { rightsOf } from '../../agent/principal.ts'
import { legible, named, observedBy } from '../../gate/index.ts'
import type { Breaker } from '../breaker.ts'
import { askerOf, missing, type Walk } from '../call.ts'
import { type Done, runTool } from '../run-tool.ts'
import type { Step } from '../states.ts'
import type { StepParts } from './parts.ts'

/** Runs calls, and knows which are running. A call counts as running until `left`, when its outcome is stored. */
export function createRunning(parts: StepParts, breaker: Pick<Breaker, 'began' | 'ended'>) {
  const { ways, executions, redactor, clock, report } = parts
  const running = new Set<Walk>()
  const onIdle: (() => void)[] = []
  /** Their outcome is stored, whatever a tool that was left behind still does. */
  const over = new WeakSet<Walk>()

  /** A call that waits for an answer does not count as running: the next start goes on with its question. */
  async function ask(walk: Walk, asking: Asking, signal: AbortSignal): Promise<QuestionResolution> {
    rest(walk)
    try {
      return await parts.questions.ask(asking, walk.context, { toolUseId: walk.call.toolUseId, signal })
    } finally {
      if (!over.has(walk)) running.add(walk)
    }
  }

  function rest(walk: Walk) {
    if (running.delete(walk) && running.size === 0) for (const done of onIdle.splice(0)) done()
  }

  /** A failure to tell keeps no call from running. */
  function tellObserved({ call: { toolName, toolUseId }, context, ready = missing() }: Walk) {
    try {
      const { input, effects, target, tool } = ready
      const [rule] = observedBy({ toolName, baseTier: tool.tier, input }, effects, parts.world())
      if (rule === undefined) return
      const on = target.kind === 'none' ? '' : ` on ${named(target.id)}`
      const { kind, name } = context.principal
      const sentence = `${named(toolName)} runs${on}, asked for by ${kind} ${named(name)}: ${String(rule.because)}`
      parts.observed({ toolUseId, sessionId: context.sessionId, sentence: redactor.text(sentence) })
    } catch (error) {
      report(error, toolName)
    }
  }

  async function runIt(walk: Walk): Promise<Done> {
    const { call, context, ready = missing() } = walk
    const { toolUseId, toolName } = call
    const { target, preview } = ready
    const { tool, input } = ready.tool.standsFor?.(ready.input as never) ?? ready
    const { isForeign, hasModel, hasOperator } = rightsOf(context.principal)
    const more = parts.changes.contextOf(toolUseId, ready.tool.undoes?.(ready.input as never))
    const decided = walk.asked && parts.confirmations.ofCall(toolUseId)?.resolution
    const approvedBy = walk.reservation?.grant.by ?? (decided?.decision === 'approved' ? decided.by : undefined)
    const { sessionId, runId, loadedSkills } = context
    const sees = parts.sightOf(context.principal)
    const asker = {
      isForeign,
      hasModel,
      asker: context.principal,
      sessionId,
      runId,
      ...(loadedSkills && { loadedSkills }),
      ...(approvedBy !== undefined && { approvedBy }),
      ...(ready.repeatsOthers && { repeatsOthers: ready.repeatsOthers }),
      ...(sees && { sees }),
    }
    if (ready.tool.outlives !== true) running.add(walk)
    breaker.began(toolName, target.node)
    const done = await runTool(
      ready.tool,
      (toolContext) =>
        tool.run(input, { ...toolContext, ...more, ...asker, toolUseId, target, ...(preview && { preview }) }),
      {
        signal: context.signal,
        clock,
        report,
        onProgress: (message) => context.progress(toolUseId, redactor.text(legible(message))),
        onTask: (upid) => executions.noteTask(toolUseId, upid),
        ...(hasOperator && context.sessionId !== '' && { ask: (asking, signal) => ask(walk, asking, signal) }),
      },
    )
    breaker.ended(toolName, target.node, done.isFault, redactor.text(done.output.summary))
    // The text is remembered, so that storing it in one transaction takes no time.
    await redactor.later(done.output.text)
    return { ...done, safe: { of: done.output, data: await redactor.later(done.output.data) } }
  }

  /** Runs a change. Its outcome is true, so it is stored however long that takes. */
  async function change(walk: Walk): Promise<Done> {
    const done = await runIt(walk)
    const free = ways.untilFree('forever')
    if (free !== undefined) await free
    return done
  }

  return {
    /** Runs a read whose outcome is stored nowhere. */
    alone: runIt,
    async read(walk: Walk): Promise<Step> {
      const isTold = ways.startSoon(walk, walk.context)
      isTold.catch(() => {})
      tellObserved(walk)
      const step = await ways.takeSoon(walk, { type: 'answered', done: await runIt(walk) })
      await isTold
      return step
    },
    async run(walk: Walk): Promise<Step> {
      tellObserved(walk)
      const done = await change(walk)
      // The cluster does not know what an attached server did.
      if (!done.isLost || walk.ready?.tool.attached !== undefined) return ways.take(walk, { type: 'answered', done })
      walk.lost = done
      return ways.take(walk, { type: 'lost' })
    },
    /** Repeats a call that an earlier process had begun, and that only waits for what goes on. */
    async again(walk: Walk): Promise<Step> {
      const { toolName, toolInput } = walk.call
      const judged = await parts.seeingJudge(toolName, toolInput, walk.context.sources, askerOf(walk.context))
      if (judged.kind !== 'ready') throw new Error(judged.verdict.reason)
      walk.ready = judged
      return ways.take(walk, { type: 'found', done: await change(walk) })
    },
    left(walk: Walk) {
      over.add(walk)
      rest(walk)
    },
    idle: () =>
      new Promise<void>((done) => {
        if (running.size === 0) done()
        else onIdle.push(done)
      }),
  }
}
