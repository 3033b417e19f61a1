import { spanOf } from 'node-kit/words'
import type { PlanStep, ToolInput, UndoFacts } from 'protocol'
import { undoFacts, undoOf } from '../calls/changes/change.ts'
import { faithful } from '../calls/faithful.ts'
import type { Judgement, Ready, SeeingJudge } from '../calls/judgement.ts'
import type { LookAgain } from '../calls/look-again.ts'
import type { Done } from '../calls/run-tool.ts'
import { describe, Mistake, type Redactor, type World } from '../gate/index.ts'
import { type Condition, wordsOfCondition } from '../runbooks/expressions.ts'
import { fillArgs, fillCheck, fillList, isWanted, NotKnown, type Scope } from '../runbooks/fill.ts'
import type { Step } from '../runbooks/procedure.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Whose } from '../tools/tool.ts'
import { type Draft, dependsOn, numbered } from './draft.ts'
import { inputsOf } from './inputs.ts'
import { type Made, madeOf } from './made.ts'
import { most, type PlannedCheck, type Request } from './planned.ts'
import { type Place, PlanProblem, placeWords } from './problem.ts'

export type PlannerParts = {
  catalog: Pick<Catalog, 'get'>
  world: () => World
  judge: SeeingJudge
  lookAgain: LookAgain
  /** Runs a call that only reads, while the plan is made. */
  read(
    call: { toolName: string; toolInput: ToolInput },
    by: { name: string; whose?: Whose | undefined },
    signal: AbortSignal,
  ): Promise<Done>
  redactor: Redactor
  policyHash(): string | undefined
}

export { Mistake, PlanProblem }

/** A read that runs while the plan is made. `when`: the step’s condition and its outcome, as text. */
type Read = { step: Step; toolInput: ToolInput; when: string | undefined }

/** Makes plans. Nothing is changed while a plan is made. */
export class Planner {
  readonly #parts: PlannerParts

  constructor(parts: PlannerParts) {
    this.#parts = parts
  }

  /**
   * Makes a plan: runs the reads that come before the first change, fills in all values, skips steps whose condition is false, and has each
   * remaining call judged.
   * @throws PlanProblem with the steps made before the problem and their outputs; Mistake for an input
   */
  async make(request: Request, by: string, signal: AbortSignal): Promise<Made> {
    const { procedure, inputs } = request
    const { cluster } = this.#parts.world()
    const given = inputsOf(procedure.inputs, inputs, { ...cluster, storages: cluster.storages ?? [] })
    const making = new PlanMaking(this.#parts, { whose: request.whose ?? {}, scope: new Map(given), by, signal })
    return madeOf(this.#parts, request, { given, draft: await making.draftOf(procedure.steps) })
  }
}

/** Makes one plan: goes through the steps in order and adds them to the draft. */
class PlanMaking {
  readonly #parts: PlannerParts
  readonly #by: string
  readonly #signal: AbortSignal
  /** The inputs, and the outputs of the reads so far, by name. */
  readonly #scope: Map<string, unknown>
  readonly #draft: Draft
  /** Reads that will run next, at the same time. */
  #waiting: Read[] = []

  constructor(
    parts: PlannerParts,
    { whose, scope, by, signal }: { whose: Whose; scope: Map<string, unknown>; by: string; signal: AbortSignal },
  ) {
    this.#parts = parts
    this.#by = by
    this.#signal = signal
    this.#scope = scope
    this.#draft = { whose, steps: [], script: [], calls: [], read: [], bound: [], targets: [], numbers: new Map() }
  }

  /** Runs the reads, fills in the values of the other steps, and has these steps judged. @throws PlanProblem */
  async draftOf(steps: readonly Step[]): Promise<Draft> {
    try {
      await this.#goThrough(steps)
    } catch (error) {
      if (error instanceof PlanProblem) error.steps = this.#draft.steps
      throw error
    }
    return this.#draft
  }

  async #goThrough(steps: readonly Step[]): Promise<void> {
    let hasChanged = false
    for (const step of steps) {
      const isRead = this.#toolOf(step.toolName)?.tier === 'green'
      const isNow = isRead && !hasChanged && step.verify === undefined && !this.#asksWeb(step.toolName)
      const isPlain = isNow && step.each === undefined && step.when === undefined
      const isAmong = this.#waiting.length < most.readsAtOnce && isPlain && !restsOn(step, this.#waiting)
      if (!isAmong) await this.#readWaiting()
      try {
        for (const within of scopesOf(step, this.#scope)) await this.#take(step, within, { isNow, isPlain })
      } catch (error) {
        throw atStep(step, error)
      }
      if (!isRead) hasChanged = true
    }
    await this.#readWaiting()
  }

  /**
   * Adds a step, or one item of a repeated step. `isNow`: it is read while the plan is made. `isPlain`: it may be read at the same time as others.
   */
  async #take(step: Step, within: Scope, { isNow, isPlain }: { isNow: boolean; isPlain: boolean }): Promise<void> {
    this.#signal.throwIfAborted()
    const { steps } = this.#draft
    const when = step.when && this.#wanted(step.when, within)
    if (when?.holds === false) {
      // Items of a repeated step whose condition is false are left out and not shown as skipped.
      if (step.each === undefined) steps.push(this.#skipped(step, steps.length + 1, when.words))
      return
    }
    if (steps.length + this.#waiting.length >= most.steps)
      throw new PlanProblem(step, `This comes to more than ${most.steps} steps, which nobody reads on one card.`)
    const toolInput = this.#taken(step.toolName, fillArgs(step.args, within, step.mustBeThere))
    const read = { step, toolInput, when: when?.words }
    if (isPlain) this.#waiting.push(read)
    else if (isNow) await this.#readNow([read])
    else await this.#callLater(read, within)
  }

  /** Evaluates a condition. Its words may contain values that were read. */
  #wanted(condition: Condition, scope: Scope) {
    const { holds, words } = isWanted(condition, scope)
    return { holds, words: this.#parts.redactor.text(words) }
  }

  async #readWaiting(): Promise<void> {
    const reads = this.#waiting
    this.#waiting = []
    await this.#readNow(reads)
  }

  /** Runs reads at the same time, and stores their outputs in the order of the reads. */
  async #readNow(reads: readonly Read[]): Promise<void> {
    const { redactor, read } = this.#parts
    const draft = this.#draft
    const done = await Promise.allSettled(
      reads.map(({ step, toolInput }) =>
        read({ toolName: step.toolName, toolInput }, { name: this.#by, whose: draft.whose }, this.#signal),
      ),
    )
    for (const [at, { step, toolInput, when }] of reads.entries()) {
      const came = done[at]
      if (came?.status !== 'fulfilled') throw atStep(step, came?.reason)
      const { output } = came.value
      const line = redactor.text(output.summary)
      if (output.isError === true) throw new PlanProblem(step, `${step.toolName} could not be read: ${line}`)
      const number = numbered(step, draft)
      draft.steps.push({
        number,
        title: step.title,
        tier: 'green' as const,
        toolName: step.toolName,
        toolInput: redactor.value(toolInput),
        sentence: this.#titleOf(step.toolName),
        when,
        read: line,
        state: 'done' as const,
      })
      draft.read.push({ toolName: step.toolName, toolUseId: `read:${number}`, text: output.text, asked: toolInput })
      if (step.as !== undefined) this.#scope.set(step.as, output.data)
    }
  }

  /** Adds a call that will be made when the plan runs. */
  async #callLater({ step, toolInput, when }: Read, scope: Scope): Promise<void> {
    const now = await this.#judgement(step.toolName, toolInput)
    if (now.kind === 'ready') {
      const verify = await this.#checkOf(step, scope)
      return this.#addCall({ step, toolInput, when }, { ready: now, verify, scope })
    }
    const waits =
      now.kind === 'invalid' && step.takesBack !== undefined && this.#draft.targets.includes(step.takesBack.target)
    if (!waits) throw refusedAt(step, now)
    this.#askLater(step, toolInput, now.message)
  }

  #addCall(
    { step, toolInput, when }: Read,
    { ready, verify, scope }: { ready: Ready; verify: PlannedCheck | undefined; scope: Scope },
  ): void {
    const { redactor } = this.#parts
    const { toolName, title } = step
    const draft = this.#draft
    const number = numbered(step, draft)
    const { after, onFailure } = dependsOn(step, draft)
    const { verdict } = ready
    const isRead = verdict.tier === 'green'
    draft.steps.push({
      number,
      title,
      tier: verdict.tier as PlanStep['tier'],
      toolName,
      toolInput: redactor.value(ready.input),
      ...redactor.value(this.#wordsOf(step, ready, scope)),
      ...(verify && { check: `${wordsOfCondition(verify.until)} within ${spanOf(verify.withinMs / 1000)}` }),
      when,
      ...(onFailure && { onFailure }),
      state: 'waits',
    })
    const rest = { ...after, ...(onFailure && { onFailure }), ...(verify && { verify }) }
    draft.script.push({ number, toolName, toolInput, isRead, ...rest })
    draft.calls.push({ number, toolName, toolInput, at: placeWords(step) })
    draft.bound.push(boundOf(ready, verify))
    if (ready.target.kind !== 'none' && !isRead) draft.targets.push(ready.target.id)
  }

  /** Returns the texts about a call for the card: a sentence and, for a change, the state before and after, and the undo. */
  #wordsOf(step: Step, ready: Ready, scope: Scope) {
    const { toolName } = step
    const { verdict, effects, preview } = ready
    if (verdict.tier === 'green') return { sentence: this.#titleOf(toolName) }
    const { redactor } = this.#parts
    const world = this.#parts.world()
    const redacted = redactor.value([...effects])
    const { sentence = this.#titleOf(toolName), ...said } = describe(
      { toolName, effects: redacted, verdict },
      world,
      world.now,
    )
    const undo = undoWords(step, undoFacts(undoOf(ready, world, redactor)), scope)
    return {
      sentence,
      now: preview?.now ?? said.now,
      then: preview?.then ?? said.then,
      affects: preview?.affects ?? said.affects,
      ...(undo && { undo }),
    }
  }

  /** Adds a step that cannot be judged until an earlier step has changed the same thing. It shows its own card when its turn comes. */
  #askLater(step: Step, toolInput: ToolInput, because: string): void {
    const { redactor } = this.#parts
    const { toolName, title, takesBack } = step
    const draft = this.#draft
    const number = numbered(step, draft)
    const { after, onFailure } = dependsOn(step, draft)
    const sentence = takesBack?.sentence ?? this.#titleOf(toolName)
    draft.steps.push({
      number,
      title,
      tier: 'red' as const,
      toolName,
      toolInput: redactor.value(toolInput),
      ...redactor.value({ sentence, then: 'asks by itself in its turn' }),
      isLater: true as const,
      when: redactor.text(because),
      ...(onFailure && { onFailure }),
      state: 'waits' as const,
    })
    draft.script.push({ number, toolName, toolInput, isRead: false, ...after, ...(onFailure && { onFailure }) })
    draft.calls.push({ number, toolName, toolInput, at: placeWords(step), isLater: true })
    draft.bound.push({ later: { toolName, toolInput } })
  }

  async #checkOf(step: Step, scope: Scope): Promise<PlannedCheck | undefined> {
    const { verify } = step
    if (verify === undefined) return undefined
    const filled = fillCheck(verify, scope, step.mustBeThere)
    const check = { ...filled, toolInput: this.#taken(filled.toolName, filled.toolInput) }
    const { line = step.line } = verify
    const place = { ...step, ...(line !== undefined && { line }) }
    if (this.#asksWeb(check.toolName))
      throw new PlanProblem(place, `${check.toolName} asks the web, and a check asks the house.`)
    const now = await this.#judgement(check.toolName, check.toolInput)
    if (now.kind !== 'ready') throw refusedAt(place, now)
    if (now.verdict.tier !== 'green') throw new PlanProblem(place, `${check.toolName} asks here: ${now.verdict.reason}`)
    return check
  }

  /** Judges a call, after the things it depends on were read again. The texts contain nothing that the asker may not see. */
  async #judgement(toolName: string, toolInput: ToolInput): Promise<Judgement> {
    const { judge, lookAgain } = this.#parts
    const asker = { ...this.#draft.whose, kind: planKind(this.#draft.whose) }
    const first = await judge(toolName, toolInput, { asker })
    if (first.kind === 'ready') await lookAgain({ toolName, toolInput }, first.target, { whose: asker })
    return await judge(toolName, toolInput, { asker })
  }

  #skipped({ title, toolName }: Step, number: number, when: string): PlanStep {
    const tier = this.#toolOf(toolName)?.tier ?? 'green'
    const sentence = this.#titleOf(toolName)
    const step = { number, title, toolName, toolInput: {}, sentence, when, state: 'skipped' as const }
    return { ...step, tier: tier === 'black' ? 'red' : tier }
  }

  /** Converts arguments to the form that their tool takes, so that the card, the approval and the call have the same arguments. */
  #taken(toolName: string, toolInput: ToolInput): ToolInput {
    const tool = this.#toolOf(toolName)
    return tool === undefined ? toolInput : faithful(tool.input, toolInput)
  }

  /**
   * True for a tool that sends requests to the web. A URL or a query can carry out text that was read. Therefore such a tool does not run while the
   * plan is made, but only in a plan that was judged with its asker’s sources.
   */
  #asksWeb(toolName: string): boolean {
    return this.#toolOf(toolName)?.touches.some(({ on }) => on === 'web') === true
  }

  #titleOf(toolName: string): string {
    return this.#toolOf(toolName)?.title ?? toolName
  }

  #toolOf(toolName: string) {
    return this.#parts.catalog.get(toolName)
  }
}

const refusedAt = (place: Place, now: Exclude<Judgement, { kind: 'ready' }>) =>
  new PlanProblem(place, now.kind === 'invalid' ? now.message : `Refused: ${now.verdict.reason}`)

/** Returns the facts of a call that become part of the plan’s hash, so that the approval holds only for them. */
function boundOf({ hash, verdict, target }: Ready, verify: PlannedCheck | undefined) {
  const { name, status, lock, haState, madeAt, identity } = target
  const { tier, rule } = verdict
  return { hash, tier, rule, name, status, lock, haState, madeAt, guest: identity?.id, verify }
}

/** Returns the undo of a step. If JARVIS knows no undo call, adds the undo that the runbook names. */
function undoWords({ undo: own }: Step, undo: UndoFacts, scope: Scope) {
  if (undo.kind === 'call' || own === undefined || own === 'none') return undo
  const input = fillArgs(own.args, scope)
  return { ...undo, sentence: `${undo.sentence} The runbook says: ${own.toolName} ${JSON.stringify(input)}.` }
}

/** Returns the kind of principal that makes a plan’s reads. A client’s plan has no more access than the client. */
export const planKind = ({ isClient }: Whose): string => (isClient ? 'client_plan' : 'plan')

/** Adds the step to an error’s message, if a person can correct the error. Returns other errors unchanged. */
function atStep(step: Step, error: unknown): unknown {
  if (error instanceof PlanProblem) return error
  return error instanceof NotKnown || error instanceof Mistake ? new PlanProblem(step, error.message) : error
}

/** True if a step takes a value from a read in `waiting`, or must come after one. */
function restsOn({ args, after = [] }: Step, waiting: readonly Read[]): boolean {
  const text = JSON.stringify(args)
  const names = (as: string) => text.includes(`$${as}`) || text.includes(`$\{${as}`)
  return waiting.some(({ step: { as, number } }) => after.includes(number) || (as !== undefined && names(as)))
}

/** Returns the scopes for filling in a step: one, or for a repeated step one for each item of its list. */
function scopesOf(step: Step, scope: Scope): Scope[] {
  if (step.each === undefined) return [scope]
  const items = fillList(step.each, scope)
  if (items.length > most.items) throw new PlanProblem(step, `${items.length} items are more than ${most.items}.`)
  return items.map((item) => new Map([...scope, ['item', item]]))
}
