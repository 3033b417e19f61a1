import type { Principal, ToolCall } from 'protocol'
import { Mistake } from '../gate/index.ts'
import { newId } from '../lib/ids.ts'
import { createBreaker } from './breaker.ts'
import type { CallContext, Walk } from './call.ts'
import { faithful } from './faithful.ts'
import { locksOf } from './judge.ts'
import type { Reconciled } from './reconcile.ts'
import { mayHaveRun } from './recover.ts'
import type { Done } from './run-tool.ts'
import type { Step } from './states.ts'
import { createJudging } from './steps/judge.ts'
import { createLooking } from './steps/look.ts'
import type { StepParts } from './steps/parts.ts'
import { createRunning } from './steps/run.ts'
import { createTakeUp } from './steps/take-up.ts'
import { createTurn } from './steps/turn.ts'
import { createWait } from './steps/wait.ts'

/** The door to every effect: judges, asks, claims, journals, runs, and settles each call exactly once. */
export type Executor = {
  /** Resolves once the call has its result, refusal or denial in the transcript. Never rejects for a call's own fault. */
  settle(call: ToolCall, context: CallContext): Promise<void>
  /**
   * Runs a call that only reads, for JARVIS itself: in no transcript, and unless it is `isQuiet`, in the journal.
   * @throws Mistake where it would not run at once
   */
  read(
    call: Pick<ToolCall, 'toolName' | 'toolInput'>,
    context: { principal: Principal; signal: AbortSignal; isQuiet?: boolean },
  ): Promise<Done>
  /** Looks again for a call's unknown outcome. @throws JarvisError `not_found`, `already_decided`. */
  check(toolUseId: string): Promise<Reconciled>
  /** The locks of a call: two calls with a common lock run one after the other. */
  locksOf(call: ToolCall): readonly string[]
  /** Resolves once no tool is running. */
  idle(): Promise<void>
}

export function createExecutor(parts: StepParts): Executor {
  const { ways, executions, report } = parts
  const breaker = createBreaker(() => parts.world().policy.limits.breaker, parts.clock.now)
  const takeUp = createTakeUp(parts)
  const { judge, follow } = createJudging(parts, breaker)
  const running = createRunning(parts, breaker)
  const looking = createLooking(parts)

  /**
   * The way of a call after its verdict, in this order. `states.ts` says where each step leads; `ways.take` goes there,
   * and writes claim, decision, result, journal and transcript of a step in one transaction.
   */
  const go: Record<NonNullable<Step['then']>, (walk: Walk) => Step | Promise<Step>> = {
    wait: createWait(parts, takeUp),
    turn: createTurn(parts, follow),
    read: running.read,
    run: running.run,
    look: (walk) => (parts.catalog.get(walk.call.toolName)?.outlives ? running.again(walk) : looking.look(walk)),
  }

  return {
    async settle(asked, context) {
      const tool = parts.catalog.get(asked.toolName)
      const call = tool === undefined ? asked : { ...asked, toolInput: faithful(tool.input, asked.toolInput) }
      const walk: Walk = { state: 'new', call, context, isNext: context.before === undefined }
      void context.before?.then(() => {
        walk.isNext = true
      })
      try {
        const free = ways.untilFree()
        if (free !== undefined) await free
        let step = takeUp(walk) ?? (await judge(walk))
        while (step.then !== undefined) {
          const free = ways.untilFree()
          if (free !== undefined) await free
          step = await go[step.then](walk)
        }
      } catch (error) {
        report(error, call.toolName)
        const truth = executions.get(call.toolUseId) === undefined ? 'Nothing was run.' : mayHaveRun
        ways.fail(call, context, `Something went wrong inside JARVIS; the log says more. ${truth}`)
      } finally {
        walk.reservation?.release()
        running.left(walk)
      }
    },
    async read({ toolName, toolInput }, { principal, signal, isQuiet = false }) {
      const ready = await parts.seeingJudge(toolName, toolInput, undefined, principal)
      if (ready.kind !== 'ready')
        throw new Mistake(ready.kind === 'invalid' ? ready.message : `${toolName} is refused: ${ready.verdict.reason}`)
      if (ready.verdict.tier !== 'green')
        throw new Mistake(`${toolName} asks here, so it is not read: ${ready.verdict.reason}`)
      const call = { type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput } as const
      const walk: Walk = { state: 'reading', call, ready, context: alone(principal, signal) }
      try {
        const done = await running.alone(walk)
        if (!isQuiet) ways.noteRead(walk, done)
        return done
      } finally {
        running.left(walk)
      }
    },
    check: looking.check,
    locksOf: ({ toolName, toolInput }) =>
      // A read delays no other call, so its effects are not computed here.
      parts.catalog.get(toolName)?.touches.every(({ kind }) => kind === 'read')
        ? []
        : locksOf(parts.effectsOf(toolName, toolInput)),
    idle: running.idle,
  }
}

/** The context of a call that is in no session. */
const alone = (principal: Principal, signal: AbortSignal): CallContext => ({
  sessionId: '',
  runId: '',
  principal,
  signal,
  before: undefined,
  append() {},
  kin: () => [],
  progress() {},
  abortedBy: () => principal.name,
  isRehearsal: () => false,
  sources: () => ({ results: [], operatorTexts: [] }),
})
