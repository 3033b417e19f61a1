import { sleep } from 'node-kit/clock'
import type { Asking, QuestionResolution } from 'protocol'
import { rightsOf } from '../../agent/principal.ts'
import { legible, named, observedBy } from '../../gate/index.ts'
import type { Tool, ToolOutput } from '../../tools/tool.ts'
import type { Breaker } from '../breaker.ts'
import { askedBy, missing, type Walk } from '../call.ts'
import { type Done, runTool } from '../run-tool.ts'
import type { Step } from '../states.ts'
import type { StepParts } from './parts.ts'

/** Pauses before a plan's read is tried again, ms. */
const readPausesMs = [500, 3_000]

const isPlan = ({ kind }: { kind: string }) => kind === 'plan' || kind === 'client_plan'

/** A server's tool reports every fault as an answer with `isError`; JARVIS's own tools throw, and answer so what the caller can mend. */
export const isFaultOf = ({ attached }: Pick<Tool, 'attached'>, { isFault, output }: Done): boolean | undefined =>
  isFault === false && attached !== undefined ? output.isError === true : isFault

/** Runs calls, and knows which are running. A call counts as running until `left` is called, after its outcome was stored. */
export class Running {
  readonly #parts: StepParts
  readonly #breaker: Pick<Breaker, 'began' | 'ended'>
  readonly #running = new Set<Walk>()
  readonly #onIdle: (() => void)[] = []
  /** Calls whose outcome is stored. The tool of such a call may still work, if it ignored its signal. */
  readonly #over = new WeakSet<Walk>()

  constructor(parts: StepParts, breaker: Pick<Breaker, 'began' | 'ended'>) {
    this.#parts = parts
    this.#breaker = breaker
  }

  async read(walk: Walk): Promise<Step> {
    const { ways } = this.#parts
    const isTold = ways.startSoon(walk, walk.context)
    isTold.catch(() => {})
    this.#tellObserved(walk)
    const step = await ways.takeSoon(walk, { type: 'answered', done: await this.alone(walk) })
    await isTold
    return step
  }

  async run(walk: Walk): Promise<Step> {
    const { ways } = this.#parts
    this.#tellObserved(walk)
    const done = await this.#change(walk)
    // An attached server's changes leave no record in the cluster, so there is no outcome to find there.
    if (!done.isLost || walk.ready?.tool.attached !== undefined) return ways.take(walk, { type: 'answered', done })
    walk.lost = done
    return ways.take(walk, { type: 'lost' })
  }

  /** Repeats a call that an earlier process had started. Used only for calls that just wait for work that goes on elsewhere. */
  async again(walk: Walk): Promise<Step> {
    const { ways, seeingJudge } = this.#parts
    const { toolName, toolInput } = walk.call
    const judged = await seeingJudge(toolName, toolInput, askedBy(walk.context))
    if (judged.kind !== 'ready') throw new Error(judged.verdict.reason)
    walk.ready = judged
    return ways.take(walk, { type: 'found', done: await this.#change(walk) })
  }

  /** Runs a call. The caller stores the outcome. */
  async alone(walk: Walk): Promise<Done> {
    const { redactor, clock, executions, report } = this.#parts
    const { call, context, ready = missing() } = walk
    const { toolUseId, toolName } = call
    const { target, preview } = ready
    const { tool, input } = ready.tool.standsFor?.(ready.input as never) ?? ready
    const { hasOperator } = rightsOf(context.principal)
    const own = this.#contextOf(walk)
    if (ready.tool.outlives !== true) this.#running.add(walk)
    const asked = { person: false }
    const once = () =>
      runTool(
        ready.tool,
        (toolContext) => tool.run(input, { ...toolContext, ...own, toolUseId, target, ...(preview && { preview }) }),
        {
          signal: context.signal,
          clock,
          report,
          onProgress: (message) => context.progress(toolUseId, redactor.text(legible(message))),
          onTask: (upid) => executions.noteTask(toolUseId, upid),
          ...(hasOperator &&
            context.sessionId !== '' && {
              ask: (asking, signal) => {
                asked.person = true
                return this.#ask(walk, asking, signal)
              },
            }),
        },
      )
    // A verdict that is not green allows one run. JARVIS's own reads alone are known to change nothing by a second one.
    const isRetried = isPlan(context.principal) && ready.verdict.tier === 'green' && ready.tool.attached === undefined
    this.#breaker.began(toolName, target.node)
    const came = await (isRetried ? this.#withRetries(walk, once) : once())
    this.#breaker.ended(toolName, {
      node: target.node,
      // A call that asked a person may have ended by the person's answer.
      isFault: asked.person ? came.isFault : isFaultOf(ready.tool, came),
      error: redactor.text(came.output.summary),
    })
    const done = { ...came, output: this.#withFiles(came.output, context.sessionId) }
    // Redact the output now and cache the result, so that the transaction that stores the text is short.
    await redactor.later(done.output.text)
    return { ...done, safe: { of: done.output, data: await redactor.later(done.output.data) } }
  }

  /** Runs a plan's read again after a fault, because a passing fault would stop the whole plan. */
  async #withRetries({ call, context }: Walk, once: () => Promise<Done>): Promise<Done> {
    const { clock, redactor } = this.#parts
    for (const pauseMs of readPausesMs) {
      const done = await once()
      if (done.isFault !== true || context.signal.aborted) return done
      context.progress(call.toolUseId, `${redactor.text(legible(done.output.summary))} It is read again.`)
      await sleep(clock, pauseMs, context.signal).catch(() => {})
      if (context.signal.aborted) return done
    }
    return once()
  }

  /** Call it when the call's outcome is stored, or when it will never have one. */
  left(walk: Walk): void {
    this.#over.add(walk)
    this.#rest(walk)
  }

  /** Resolves once no call is running. */
  idle(): Promise<void> {
    return new Promise<void>((done) => {
      if (this.#running.size === 0) done()
      else this.#onIdle.push(done)
    })
  }

  /** Runs a change. Then waits without limit until the database is free, because the outcome of a change must be stored. */
  async #change(walk: Walk): Promise<Done> {
    const done = await this.alone(walk)
    const free = this.#parts.ways.untilFree('forever')
    if (free !== undefined) await free
    return done
  }

  /** Keeps the files that a tool received, and names them in its text. Without a session there is no place for them. */
  #withFiles({ received = [], ...output }: ToolOutput, sessionId: string): ToolOutput {
    if (received.length === 0 || sessionId === '') return output
    try {
      const files = this.#parts.keepFiles(sessionId, received)
      const lost = received.length - files.length
      const words = [
        ...files.map((path) => `A file came with it and is kept as session/${path}.`),
        ...(lost > 0 ? [`${lost} more came and could not be kept.`] : []),
      ]
      return { ...output, text: [output.text, ...words].join('\n'), files: [...(output.files ?? []), ...files] }
    } catch (error) {
      this.#parts.report(error, 'the files of an answer could not be kept')
      return { ...output, text: `${output.text}\nFiles came with it and could not be kept.` }
    }
  }

  /** Returns the facts about this call that the tool gets: the asker, the session, and the person who approved the call. */
  #contextOf({ call: { toolUseId }, context, ready = missing(), asked, reservation }: Walk) {
    const { changes, confirmations, sightOf } = this.#parts
    const { isForeign, hasModel } = rightsOf(context.principal)
    const more = changes.contextOf(toolUseId, ready.tool.undoes?.(ready.input as never))
    const decided = asked && confirmations.ofCall(toolUseId)?.resolution
    const approvedBy = reservation?.grant.by ?? (decided?.decision === 'approved' ? decided.by : undefined)
    const { sessionId, runId, loadedSkills } = context
    const sees = sightOf(context.principal)
    return {
      ...more,
      isForeign,
      hasModel,
      asker: context.principal,
      sessionId,
      runId,
      ...(loadedSkills && { loadedSkills }),
      ...(approvedBy !== undefined && { approvedBy }),
      repeatsOthers: ready.repeatsOthers,
      ...(sees && { sees }),
    }
  }

  /** Asks a person. A call that waits for an answer does not count as running, because the next start of JARVIS continues with its question. */
  async #ask(walk: Walk, asking: Asking, signal: AbortSignal): Promise<QuestionResolution> {
    this.#rest(walk)
    try {
      return await this.#parts.questions.ask(asking, walk.context, { toolUseId: walk.call.toolUseId, signal })
    } finally {
      if (!this.#over.has(walk)) this.#running.add(walk)
    }
  }

  #rest(walk: Walk): void {
    if (this.#running.delete(walk) && this.#running.size === 0) for (const done of this.#onIdle.splice(0)) done()
  }

  /** Announces a call that one of the operator's rules names. If the announcement fails, the call still runs. */
  #tellObserved({ call: { toolName, toolUseId }, context, ready = missing() }: Walk): void {
    const { redactor, world, observed, report } = this.#parts
    try {
      const { input, effects, target, tool } = ready
      const [rule] = observedBy({ toolName, baseTier: tool.tier, input }, effects, world())
      if (rule === undefined) return
      const on = target.kind === 'none' ? '' : ` on ${named(target.id)}`
      const { kind, name } = context.principal
      const sentence = `${named(toolName)} runs${on}, asked for by ${kind} ${named(name)}: ${String(rule.because)}`
      observed({ toolUseId, sessionId: context.sessionId, sentence: redactor.text(sentence) })
    } catch (error) {
      report(error, toolName)
    }
  }
}
