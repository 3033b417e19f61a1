import type { PlanStep, ToolInput } from 'protocol'
import { undoFacts, undoOf } from '../calls/changes/change.ts'
import { faithful } from '../calls/faithful.ts'
import type { Judgement, SeeingJudge } from '../calls/judgement.ts'
import type { LookAgain } from '../calls/look-again.ts'
import type { Done } from '../calls/run-tool.ts'
import { describe, Mistake, type Redactor, type World } from '../gate/index.ts'
import { spanOf } from '../lib/words.ts'
import { wordsOfCondition } from '../runbooks/expressions.ts'
import { fillArgs, fillCheck, fillList, isWanted, NotKnown, type Scope } from '../runbooks/fill.ts'
import type { Step } from '../runbooks/procedure.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Whose } from '../tools/tool.ts'
import { type Draft, dependsOn, numbered } from './draft.ts'
import { inputsOf } from './inputs.ts'
import { type Made, madeOf } from './made.ts'
import { most, type PlannedCheck, type Request } from './planned.ts'
import { PlanProblem, placeWords } from './problem.ts'

export type PlannerParts = {
  catalog: Pick<Catalog, 'get'>
  world: () => World
  judge: SeeingJudge
  lookAgain: LookAgain
  /** Runs a call that only reads. */
  read(call: { toolName: string; toolInput: ToolInput }, by: string, signal: AbortSignal, whose?: Whose): Promise<Done>
  redactor: Redactor
  policyHash(): string | undefined
}

export { Mistake, PlanProblem }

type Ready = Extract<Judgement, { kind: 'ready' }>
/** A read that runs while the plan is made. */
type Read = { step: Step; toolInput: ToolInput; when: string | undefined }

/**
 * Makes plans: runs the reads that come before any change, fills all values in, leaves out what does not apply, and has
 * each call that is left judged. Nothing is changed.
 */
export function createPlanner(parts: PlannerParts) {
  const { catalog, redactor } = parts

  /** Runs reads side by side, and keeps what they gave in their order. */
  async function readNow(
    reads: readonly Read[],
    scope: Map<string, unknown>,
    draft: Draft,
    by: string,
    signal: AbortSignal,
  ) {
    const done = await Promise.allSettled(
      reads.map(({ step, toolInput }) => parts.read({ toolName: step.toolName, toolInput }, by, signal, draft.whose)),
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
        sentence: titleOf(step.toolName),
        when,
        read: line,
        state: 'done' as const,
      })
      draft.read.push({ toolName: step.toolName, toolUseId: `read:${number}`, text: output.text, asked: toolInput })
      if (step.as !== undefined) scope.set(step.as, output.data)
    }
  }

  function skipped({ title, toolName }: Step, number: number, when: string): PlanStep {
    const tier = catalog.get(toolName)?.tier ?? 'green'
    const sentence = titleOf(toolName)
    const step = { number, title, toolName, toolInput: {}, sentence, when, state: 'skipped' as const }
    return { ...step, tier: tier === 'black' ? 'red' : tier }
  }

  /** An address or a query can carry out what was read, so the web is asked only by a plan that was judged with its asker's sources. */
  const asksWeb = (toolName: string) => catalog.get(toolName)?.touches.some(({ on }) => on === 'web') === true

  const titleOf = (toolName: string) => catalog.get(toolName)?.title ?? toolName

  async function judgement(toolName: string, toolInput: ToolInput, whose: Whose): Promise<Judgement> {
    // What a person may not see is not told of in what is wrong with a step.
    const asker = { ...whose, kind: planKind(whose) }
    const first = await parts.judge(toolName, toolInput, undefined, asker)
    if (first.kind === 'ready') {
      // What an approval rests on is read right before it.
      await parts.lookAgain({ toolName, toolInput }, first.target, 0, asker)
    }
    return await parts.judge(toolName, toolInput, undefined, asker)
  }

  /** Arguments as their tool takes them: the card, the approval and the call hold the same. */
  function taken(toolName: string, toolInput: ToolInput): ToolInput {
    const tool = catalog.get(toolName)
    return tool === undefined ? toolInput : faithful(tool.input, toolInput)
  }

  const refusedAt = (step: Step, now: Exclude<Judgement, { kind: 'ready' }>) =>
    new PlanProblem(step, now.kind === 'invalid' ? now.message : `Refused: ${now.verdict.reason}`)

  async function judged(step: Step, toolName: string, toolInput: ToolInput, whose: Whose): Promise<Ready> {
    const now = await judgement(toolName, toolInput, whose)
    if (now.kind === 'ready') return now
    throw refusedAt(step, now)
  }

  /** A step that cannot be judged before an earlier step has changed the same thing: it asks by itself in its turn. */
  function askLater(step: Step, toolInput: ToolInput, because: string, draft: Draft) {
    const { toolName, title, takesBack } = step
    const number = numbered(step, draft)
    const { after, onFailure } = dependsOn(step, draft)
    draft.steps.push({
      number,
      title,
      tier: 'red' as const,
      toolName,
      toolInput: redactor.value(toolInput),
      ...redactor.value({ sentence: takesBack?.sentence ?? titleOf(toolName), then: 'asks by itself in its turn' }),

      isLater: true as const,
      when: redactor.text(because),
      ...(onFailure && { onFailure }),
      state: 'waits' as const,
    })
    draft.script.push({ number, toolName, toolInput, isRead: false, ...after, ...(onFailure && { onFailure }) })
    draft.calls.push({ number, toolName, toolInput, at: placeWords(step), isLater: true })
    draft.bound.push({ later: { toolName, toolInput } })
  }

  async function checkOf(step: Step, scope: Scope, whose: Whose): Promise<PlannedCheck | undefined> {
    const { verify } = step
    if (verify === undefined) return undefined
    const filled = fillCheck(verify, scope, step.mustBeThere)
    const check = { ...filled, toolInput: taken(filled.toolName, filled.toolInput) }
    const { line = step.line } = verify
    const place = { ...step, ...(line !== undefined && { line }) }
    if (asksWeb(check.toolName))
      throw new PlanProblem(place, `${check.toolName} asks the web, and a check asks the house.`)
    const { verdict } = await judged(place, check.toolName, check.toolInput, whose)
    if (verdict.tier !== 'green') throw new PlanProblem(place, `${check.toolName} asks here: ${verdict.reason}`)
    return check
  }

  /** Adds a call that is made while the plan runs. */
  async function callLater(step: Step, toolInput: ToolInput, when: string | undefined, scope: Scope, draft: Draft) {
    const { toolName, title } = step
    const now = await judgement(toolName, toolInput, draft.whose)
    if (now.kind !== 'ready') {
      const waits =
        now.kind === 'invalid' && step.takesBack !== undefined && draft.targets.includes(step.takesBack.target)
      if (waits) return askLater(step, toolInput, now.message, draft)
      throw refusedAt(step, now)
    }
    const ready = now
    const verify = await checkOf(step, scope, draft.whose)
    const number = numbered(step, draft)
    const { after, onFailure } = dependsOn(step, draft)
    const world = parts.world()
    const { verdict, target, effects, preview, hash } = ready
    const isRead = verdict.tier === 'green'
    const { sentence = titleOf(toolName), ...said } = describe(
      { toolName, effects: redactor.value([...effects]), verdict },
      world,
      world.now,
    )
    const undo = isRead ? undefined : undoWords(step, undoFacts(undoOf(ready, world, redactor)), scope)
    draft.steps.push({
      number,
      title,
      tier: verdict.tier as PlanStep['tier'],
      toolName,
      toolInput: redactor.value(ready.input),
      ...redactor.value({
        sentence: isRead ? titleOf(toolName) : sentence,
        ...(!isRead && {
          now: preview?.now ?? said.now,
          then: preview?.then ?? said.then,
          affects: preview?.affects ?? said.affects,
        }),
        ...(undo && { undo }),
      }),
      ...(verify && { check: `${wordsOfCondition(verify.until)} within ${spanOf(verify.withinMs / 1000)}` }),
      ...(when !== undefined && { when }),
      ...(onFailure && { onFailure }),
      state: 'waits',
    })
    const rest = { ...after, ...(onFailure && { onFailure }), ...(verify && { verify }) }
    draft.script.push({ number, toolName, toolInput, isRead, ...rest })
    draft.calls.push({ number, toolName, toolInput, at: placeWords(step) })
    const { name, status, lock, haState, madeAt, identity } = target
    const guest = identity?.id
    draft.bound.push({
      hash,
      tier: verdict.tier,
      rule: verdict.rule,
      name,
      status,
      lock,
      haState,
      madeAt,
      guest,
      verify,
    })
    if (target.kind !== 'none' && !isRead) draft.targets.push(target.id)
  }

  function undoWords({ undo: own }: Step, undo: ReturnType<typeof undoFacts>, scope: Scope) {
    if (undo.kind === 'call' || own === undefined || own === 'none') return undo
    const input = fillArgs(own.args, scope)
    return { ...undo, sentence: `${undo.sentence} The runbook says: ${own.toolName} ${JSON.stringify(input)}.` }
  }

  /** Goes through the steps: runs what is read now, fills the rest in and has it judged. @throws PlanProblem */
  async function goThrough(
    { procedure }: Pick<Request, 'procedure'>,
    scope: Map<string, unknown>,
    draft: Draft,
    by: string,
    signal: AbortSignal,
  ) {
    let hasChanged = false
    let waiting: Read[] = []
    const readWaiting = async () => {
      const reads = waiting
      waiting = []
      await readNow(reads, scope, draft, by, signal)
    }
    for (const step of procedure.steps) {
      const isRead = catalog.get(step.toolName)?.tier === 'green'
      const isNow = isRead && !hasChanged && step.verify === undefined && !asksWeb(step.toolName)
      const isPlain = isNow && step.each === undefined && step.when === undefined
      const isAmong = waiting.length < most.readsAtOnce && isPlain && !restsOn(step, waiting)
      if (!isAmong) await readWaiting()
      try {
        for (const within of scopesOf(step, scope)) {
          signal.throwIfAborted()
          const when = step.when && isWanted(step.when, within)
          if (when?.holds === false) {
            // Of a repeated step, the items that it does not apply to are left out.
            if (step.each === undefined) draft.steps.push(skipped(step, draft.steps.length + 1, when.words))
            continue
          }
          if (draft.steps.length + waiting.length >= most.steps)
            throw new PlanProblem(step, `This comes to more than ${most.steps} steps, which nobody reads on one card.`)
          const toolInput = taken(step.toolName, fillArgs(step.args, within, step.mustBeThere))
          const read = { step, toolInput, when: when?.words }
          if (isPlain) waiting.push(read)
          else if (isNow) await readNow([read], scope, draft, by, signal)
          else await callLater(step, toolInput, when?.words, within, draft)
        }
      } catch (error) {
        throw atStep(step, error)
      }
      if (!isRead) hasChanged = true
    }
    await readWaiting()
  }

  /** @throws PlanProblem with what was found of the steps before; Mistake for an input */
  async function make(request: Request, by: string, signal: AbortSignal): Promise<Made> {
    const { procedure, inputs } = request
    const cluster = parts.world().cluster
    const given = inputsOf(procedure.inputs, inputs, { ...cluster, storages: cluster.storages ?? [] })
    const draft: Draft = {
      whose: request.whose ?? {},
      steps: [],
      script: [],
      calls: [],
      read: [],
      bound: [],
      targets: [],
      numbers: new Map(),
    }
    try {
      await goThrough(request, new Map(given), draft, by, signal)
    } catch (error) {
      if (error instanceof PlanProblem) error.steps = draft.steps
      throw error
    }
    return madeOf(parts, request, given, draft)
  }

  return { make }
}

export type Planner = ReturnType<typeof createPlanner>

/** The kind of principal that a plan's reads are made by. A client's reach no further than the client. */
export const planKind = ({ isClient }: Whose): string => (isClient ? 'client_plan' : 'plan')

/** An error at a step, which its words then name. */
function atStep(step: Step, error: unknown): unknown {
  if (error instanceof PlanProblem) return error
  return error instanceof NotKnown || error instanceof Mistake ? new PlanProblem(step, error.message) : error
}

/** Whether a step takes a value from a read that has not run yet, or comes after it. */
function restsOn({ args, after = [] }: Step, waiting: readonly Read[]): boolean {
  const text = JSON.stringify(args)
  const names = (as: string) => text.includes(`$${as}`) || text.includes(`$\{${as}`)
  return waiting.some(({ step: { as, number } }) => after.includes(number) || (as !== undefined && names(as)))
}

/** The scopes in which a step stands: one, or one for each item of its list. */
function scopesOf(step: Step, scope: Scope): Scope[] {
  if (step.each === undefined) return [scope]
  const items = fillList(step.each, scope)
  if (items.length > most.items) throw new PlanProblem(step, `${items.length} items are more than ${most.items}.`)
  return items.map((item) => new Map([...scope, ['item', item]]))
}
