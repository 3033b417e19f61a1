import { legible, type World } from '../gate/index.ts'
import { JarvisError, type ToolCall } from '../protocol/index.ts'
import { createBreaker } from './breaker.ts'
import { type CallContext, missing, type Ready, type Way } from './call.ts'
import { createBefore } from './confirmations/before.ts'
import type { Confirmations } from './confirmations/confirmations.ts'
import { replacing, standingOf } from './confirmations/drift.ts'
import type { Grants } from './confirmations/grants.ts'
import { type createEffectsOf, type Judge, type Judgement, locksOf, type SeeingJudge } from './judge.ts'
import type { LookAgain } from './look-again.ts'
import type { Execution, JournalProof } from './ports.ts'
import { createRateLimit } from './rate-limit.ts'
import type { Reconciled } from './reconcile.ts'
import { createRecovery, foundLater, foundOut, mayHaveRun } from './recover.ts'
import { rightsOf } from './rights.ts'
import { type Done, runTool } from './run-tool.ts'
import { type Event, type Step, stateOf } from './states.ts'
import type { Ways } from './way.ts'

/** The door to every effect: judges, asks, claims, journals, runs, and settles each call exactly once. */
export type Executor = {
  /** Resolves once the call has its result, refusal or denial in the transcript. Never rejects for a call's own fault. */
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** Looks again for a call's unknown outcome. @throws JarvisError `not_found`, `already_decided`. */
  check(toolUseId: string): Promise<Reconciled>
  /** The locks of a call: two calls with a common lock run one after the other. */
  locksOf(call: ToolCall): readonly string[]
  /** Resolves once no tool is running. */
  idle(): Promise<void>
}

/** A call on its way, with the state that its run keeps. */
type Walk = Way & {
  context: CallContext
  /** It was claimed by an earlier process. */
  claimed?: Execution
  /** The outcome when the request was sent and no answer came. */
  lost?: Done
  /** Its newest card was read from the store. */
  isTakenUp?: boolean
  /** Whether the call waited since its verdict, so that the verdict may be out of date. */
  isLater?: boolean
}

/** A verdict younger than this counts as current for a change that waited for nothing. */
const justJudgedMs = 250

export function createExecutor(
  parts: Parameters<typeof createRecovery>[0] & {
    ways: Ways
    judge: Judge
    seeingJudge: SeeingJudge
    effectsOf: ReturnType<typeof createEffectsOf>
    world: () => World
    confirmations: Confirmations
    grants: Grants
    lookAgain: LookAgain
    proof: JournalProof
    /** Reports a tool's unexpected exception. */
    report(error: unknown, toolName: string): void
  },
): Executor {
  const { ways, world, confirmations, executions, redactor, clock, report } = parts
  const breaker = createBreaker(() => world().policy.limits.breaker, clock.now)
  const rateLimit = createRateLimit(() => world().policy.limits.rates, clock.now)
  const recovery = createRecovery(parts)
  const before = createBefore(parts)
  const running = new Set<Walk>()
  const onIdle: (() => void)[] = []

  async function settle(call: ToolCall, context: CallContext): Promise<void> {
    const walk: Walk = { state: 'new', call, context, isNext: context.before === undefined }
    void context.before?.then(() => {
      walk.isNext = true
    })
    try {
      let step = await begin(walk)
      while (step.then !== undefined) step = await go[step.then](walk)
    } catch (error) {
      report(error, call.toolName)
      const truth = executions.get(call.toolUseId) === undefined ? 'Nothing was run.' : mayHaveRun
      ways.fail(call, context, `Something went wrong inside JARVIS; the log says more. ${truth}`)
    } finally {
      walk.reservation?.release()
      if (running.delete(walk) && running.size === 0) for (const done of onIdle.splice(0)) done()
    }
  }

  const take = (walk: Walk, event: Event): Step => ways.take(walk, event) ?? missing()

  async function begin(walk: Walk): Promise<Step> {
    const { call, context } = walk
    const { toolUseId, toolName } = call
    const claimed = executions.get(toolUseId)
    if (claimed !== undefined) {
      Object.assign(walk, { state: 'running', claimed })
      return take(walk, { type: 'resumed' })
    }
    if (call.malformed !== undefined) {
      const message = `The arguments of ${toolName} could not be read: ${call.malformed}`
      return take(walk, { type: 'held', message })
    }
    const asked = takeUp(walk)
    if (asked !== undefined) return asked
    if (parts.cluster.catchUp !== undefined) await parts.cluster.catchUp()
    const judged = await parts.seeingJudge(toolName, call.toolInput, context.sources, context.principal)
    const held =
      judged.kind === 'ready'
        ? (rateLimit.take(context, toolName, judged.tool.tier !== 'green') ??
          breaker.refusal(toolName, judged.target.node))
        : undefined
    return held === undefined ? dispatch(walk, judged) : take(walk, { type: 'held', message: held, judged })
  }

  /** Resumes a call whose card was stored before; undefined when it has no card. */
  function takeUp(walk: Walk): Step | undefined {
    const stored = confirmations.ofCall(walk.call.toolUseId)
    if (stored === undefined) return undefined
    const { resolution, ...asked } = stored
    Object.assign(walk, { state: stateOf(resolution?.decision), asked, isTakenUp: true })
    return take(walk, { type: 'resumed' })
  }

  /** An approval checks the rest, because the cluster may not be known yet. */
  async function review({ call, context, asked }: Walk) {
    const judged = await parts.seeingJudge(call.toolName, call.toolInput, context.sources)
    const isUnread = judged.kind === 'blocked' && judged.target?.unitMissing !== undefined
    if (asked !== undefined && judged.kind === 'blocked' && !isUnread) confirmations.review(asked.card.toolUseId)
  }

  /** Returns the step that a call's verdict leads to. */
  function dispatch(walk: Walk, judgement: Judgement): Step {
    const { call, context } = walk
    walk.reservation?.release()
    walk.reservation = undefined
    const isRehearsal = context.isRehearsal()
    const event = { type: 'judged', judgement, isRehearsal } as const
    if (isRehearsal || judgement.kind !== 'ready' || judgement.verdict.tier !== 'red') return take(walk, event)
    const denied = before.denied(call, judgement, context)
    if (denied === undefined) walk.reservation = before.reserve(call, judgement, context)
    return take(walk, { ...event, denied, isGranted: walk.reservation !== undefined })
  }

  /** The action for each step; it returns the next step. */
  const go: Record<NonNullable<Step['then']>, (walk: Walk) => Step | Promise<Step>> = {
    wait(walk) {
      // The card may be decided before this call begins to wait for it.
      if (confirmations.ofCall(walk.call.toolUseId)?.resolution !== undefined) return takeUp(walk) ?? missing()
      const { asked = missing() } = walk
      const waited = confirmations.wait(Object.assign(walk, { asked }))
      if (walk.isTakenUp) void review(walk).catch((error: unknown) => report(error, walk.call.toolName))
      return waited
    },
    async turn(walk) {
      const problem = await comesItsTurn(walk)
      if (problem !== undefined) return take(walk, { type: 'held', message: problem })
      return walk.state === 'approved' ? approvedTurn(walk) : dueTurn(walk)
    },
    async read(walk) {
      const isTold = ways.startSoon(walk, walk.context)
      isTold.catch(() => {})
      const step = await ways.takeSoon(walk, { type: 'answered', done: await run(walk) })
      await isTold
      return step
    },
    async run(walk) {
      const done = await run(walk)
      // The cluster does not know what an attached server did.
      if (!done.isLost || walk.ready?.tool.attached !== undefined) return take(walk, { type: 'answered', done })
      walk.lost = done
      return take(walk, { type: 'lost' })
    },
    async look(walk) {
      const { call, context, lost, claimed } = walk
      const { toolUseId, toolName, toolInput } = call
      if (lost !== undefined) {
        context.progress(toolUseId, 'The answer was lost: looking what became of it')
        const done = foundOut(lost, await recovery.findOut(toolUseId, context.signal))
        return take(walk, { type: 'found', done })
      }
      context.progress(toolUseId, 'Looking what became of it')
      const begun = claimed ?? missing()
      const found = await recovery.look(toolUseId, { ...begun, toolName, toolInput })
      return take(walk, { type: 'found', done: foundLater(found, clock.now() - begun.startedAt) })
    },
  }

  /** Runs the call. It counts as running until its outcome is stored. */
  async function run(walk: Walk): Promise<Done> {
    const { call, context, ready = missing() } = walk
    const { toolUseId, toolName } = call
    const { tool, input, target } = ready
    const { isForeign } = rightsOf(context.principal)
    running.add(walk)
    breaker.began(toolName, target.node)
    const done = await runTool(tool, (toolContext) => tool.run(input, { ...toolContext, isForeign, target }), {
      signal: context.signal,
      clock,
      report,
      onProgress: (message) => context.progress(toolUseId, redactor.text(legible(message))),
      onTask: (upid) => executions.noteTask(toolUseId, upid),
    })
    breaker.ended(toolName, target.node, done.isFault, redactor.text(done.output.summary))
    return done
  }

  const judgeNow = ({ call, context }: Walk) =>
    parts.judge(call.toolName, call.toolInput, context.sources, context.principal)

  /** A call that needs no person runs by its verdict, or is judged again. */
  function dueTurn(walk: Walk): Step {
    const { ready = missing(), context, isLater } = walk
    const current = isLater ? judgeNow(walk) : ready
    if (context.isRehearsal() || !isSame(ready, current)) return dispatch(walk, current)
    const step = ways.take(walk, { type: 'same' })
    walk.reservation?.release()
    // The grant has ended since.
    return step ?? dispatch(walk, ready)
  }

  /** An approved call runs, or gets a new card when it differs from the one shown. */
  function approvedTurn(walk: Walk): Step {
    const { asked = missing(), context, isTakenUp } = walk
    const standing = standingOf(asked.card, judgeNow(walk))
    const hash = isTakenUp ? parts.proof.approvedHash(asked.card.toolUseId) : undefined
    const isProven = !isTakenUp || (standing.kind === 'stands' && hash === standing.ready.hash)
    const unproven = isProven ? undefined : replacing('The journal has no approval of this card, so it does not count.')
    return take(walk, { type: 'turn', standing, unproven, isRehearsal: context.isRehearsal() })
  }

  /**
   * Waits for the earlier changes to the same guest, and then reads the cluster again.
   * @returns why the call must not run; undefined where it may
   */
  async function comesItsTurn(walk: Walk): Promise<string | undefined> {
    const { call, context, state, asked, ready } = walk
    const { target } = (state === 'approved' ? asked?.card : ready) ?? missing()
    if (context.before !== undefined) await context.before
    const looking = context.signal.aborted
      ? undefined
      : parts.lookAgain(call, target, context.before === undefined ? justJudgedMs : 0)
    try {
      await looking
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `What is so now could not be read, so nothing was run. ${why}`
    }
    walk.isLater = context.before !== undefined || looking !== undefined
    return context.signal.aborted ? 'Stopped before it began. Nothing was run.' : undefined
  }

  return {
    settle,
    async check(toolUseId) {
      const claimed = executions.get(toolUseId)
      if (claimed === undefined) throw new JarvisError('not_found', 'That call never started.')
      if (claimed.outcome !== 'unknown') throw new JarvisError('already_decided', 'What became of it is known.')
      const { toolName, toolInput, sessionId, runId } = claimed
      const { outcome, text } = await recovery.look(toolUseId, claimed)
      const call = { type: 'tool_call', toolUseId, toolName, toolInput } as const
      const finding = { sessionId, runId, outcome, text }
      ways.take({ state: 'unknown', call, context: undefined }, { type: 'checked', finding })
      return { outcome, text }
    },
    locksOf: ({ toolName, toolInput }) =>
      // A read delays no other call, so its effects are not computed here.
      parts.catalog.get(toolName)?.touches.every(({ kind }) => kind === 'read')
        ? []
        : locksOf(parts.effectsOf(toolName, toolInput)),
    idle: () =>
      new Promise<void>((done) => {
        if (running.size === 0) done()
        else onIdle.push(done)
      }),
  }
}

/** Whether the call's verdict and target are the same after it waited for its turn. */
const isSame = (ready: Ready, current: Judgement) =>
  current === ready ||
  (current.kind === 'ready' &&
    current.hash === ready.hash &&
    current.target.name === ready.target.name &&
    current.target.madeAt === ready.target.madeAt &&
    current.verdict.tier === ready.verdict.tier &&
    current.verdict.rule === ready.verdict.rule)
