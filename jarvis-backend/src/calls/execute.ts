import type { Principal, ToolCall } from 'protocol'
import { Mistake } from '../gate/index.ts'
import { newId } from '../lib/ids.ts'
import { CircuitBreaker } from './breaker.ts'
import { type CallContext, missing, type Walk } from './call.ts'
import { faithful } from './faithful.ts'
import { locksOf } from './judge.ts'
import type { Reconciled } from './reconcile.ts'
import { mayHaveRun } from './recover.ts'
import type { Done } from './run-tool.ts'
import type { Step } from './states.ts'
import { Judging } from './steps/judge.ts'
import { Looking } from './steps/look.ts'
import type { StepParts } from './steps/parts.ts'
import { Running } from './steps/run.ts'
import { Turn } from './steps/turn.ts'
import { CardWait } from './steps/wait.ts'

/** The door to every effect: judges, asks, claims, journals, runs, and settles each call exactly once. */
export interface Executor {
  /** Resolves once the call has its result, refusal or denial in the transcript. Never rejects for a call's own fault. */
  settle(call: ToolCall, context: CallContext): Promise<void>
  /**
   * Runs a call that only reads, for JARVIS itself. The call is in no transcript. It is in the journal, unless `isQuiet` is set.
   * @throws Mistake if the call would not run at once
   */
  read(
    call: Pick<ToolCall, 'toolName' | 'toolInput'>,
    context: { principal: Principal; signal: AbortSignal; isQuiet?: boolean },
  ): Promise<Done>
  /** Tries again to find out a call's unknown outcome. @throws JarvisError `not_found`, `already_decided`. */
  check(toolUseId: string): Promise<Reconciled>
  /** The locks of a call: two calls with a common lock run one after the other. */
  locksOf(call: ToolCall): readonly string[]
  /** Resolves once no tool is running. */
  idle(): Promise<void>
}

/** Takes each call from step to step. The table in `states.ts` defines where a step leads. `Ways` writes each step in one transaction. */
export class CallExecutor implements Executor {
  readonly #parts: StepParts
  readonly #judging: Judging
  readonly #cardWait: CardWait
  readonly #turn: Turn
  readonly #running: Running
  readonly #looking: Looking

  constructor(parts: StepParts) {
    const breaker = new CircuitBreaker(() => parts.world().policy.limits.breaker, parts.clock.now)
    this.#parts = parts
    this.#judging = new Judging(parts, breaker)
    this.#cardWait = new CardWait(parts)
    this.#turn = new Turn(parts, this.#judging)
    this.#running = new Running(parts, breaker)
    this.#looking = new Looking(parts)
  }

  async settle(asked: ToolCall, context: CallContext): Promise<void> {
    const { ways, executions, catalog, report } = this.#parts
    const tool = catalog.get(asked.toolName)
    const call = tool === undefined ? asked : { ...asked, toolInput: faithful(tool.input, asked.toolInput) }
    const walk: Walk = { state: 'new', call, context, isNext: context.before === undefined }
    void context.before?.then(() => {
      walk.isNext = true
    })
    try {
      const free = ways.untilFree()
      if (free !== undefined) await free
      let step = this.#cardWait.takeUp(walk) ?? (await this.#judging.judge(walk))
      while (step.then !== undefined) {
        const free = ways.untilFree()
        if (free !== undefined) await free
        step = await this.#go(step.then, walk)
      }
    } catch (error) {
      report(error, call.toolName)
      const truth = executions.get(call.toolUseId) === undefined ? 'Nothing was run.' : mayHaveRun
      ways.fail(call, context, `Something went wrong inside JARVIS; the log says more. ${truth}`)
    } finally {
      walk.reservation?.release()
      this.#running.left(walk)
    }
  }

  async read(
    { toolName, toolInput }: Pick<ToolCall, 'toolName' | 'toolInput'>,
    { principal, signal, isQuiet = false }: { principal: Principal; signal: AbortSignal; isQuiet?: boolean },
  ): Promise<Done> {
    const { ways, seeingJudge } = this.#parts
    const ready = await seeingJudge(toolName, toolInput, { asker: principal })
    if (ready.kind !== 'ready')
      throw new Mistake(ready.kind === 'invalid' ? ready.message : `${toolName} is refused: ${ready.verdict.reason}`)
    if (ready.verdict.tier !== 'green')
      throw new Mistake(`${toolName} asks here, so it is not read: ${ready.verdict.reason}`)
    const call = { type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput } as const
    const walk: Walk = { state: 'reading', call, ready, context: alone(principal, signal) }
    try {
      const done = await this.#running.alone(walk)
      if (!isQuiet) ways.noteRead(walk, done)
      return done
    } finally {
      this.#running.left(walk)
    }
  }

  check(toolUseId: string): Promise<Reconciled> {
    return this.#looking.check(toolUseId)
  }

  locksOf({ toolName, toolInput }: ToolCall): readonly string[] {
    const { catalog, effectsOf } = this.#parts
    // A call that only reads needs no lock, so its effects are not computed here.
    return catalog.get(toolName)?.touches.every(({ kind }) => kind === 'read')
      ? []
      : locksOf(effectsOf(toolName, toolInput))
  }

  idle(): Promise<void> {
    return this.#running.idle()
  }

  /** Runs the work that follows a step (`then`), and returns the next step. */
  #go(then: NonNullable<Step['then']>, walk: Walk): Step | Promise<Step> {
    switch (then) {
      case 'wait':
        return this.#cardWait.wait(walk)
      case 'turn':
        return this.#turn.take(walk)
      case 'read':
        return this.#running.read(walk)
      case 'run':
        return this.#running.run(walk)
      case 'look':
        return this.#parts.catalog.get(walk.call.toolName)?.outlives
          ? this.#running.again(walk)
          : this.#looking.look(walk)
      default:
        then satisfies never
        return missing()
    }
  }
}

/** The context of a call that belongs to no session. */
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
