import { undoFacts, undoOf } from '../calls/changes/change.ts'
import type { Judgement, SeeingJudge } from '../calls/judge.ts'
import type { LookAgain } from '../calls/look-again.ts'
import type { Done } from '../calls/run-tool.ts'
import { describe, Mistake, type Redactor, type World } from '../gate/index.ts'
import { hashOf } from '../lib/canonical.ts'
import { spanOf } from '../lib/words.ts'
import type { PlanStep, ToolInput } from '../protocol/index.ts'
import { wordsOfCondition } from '../runbooks/expressions.ts'
import { fillArgs, fillCheck, fillList, isWanted, NotKnown, type Scope } from '../runbooks/fill.ts'
import type { Step } from '../runbooks/procedure.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Leads } from '../tools/tool.ts'
import { inputsOf } from './inputs.ts'
import { most, type PlannedCheck, type Request, type Script, type ScriptStep } from './planned.ts'

/** Why no plan can be made, and at which step and line of its runbook. */
export class PlanProblem extends Mistake {
  readonly step: number
  readonly line: number
  /** What was found of the steps before. */
  steps: readonly PlanStep[] = []
  constructor(step: Pick<Step, 'number' | 'title' | 'line'>, message: string) {
    super(`step ${step.number} "${step.title}", line ${step.line}: ${message}`)
    this.step = step.number
    this.line = step.line
  }
}

/** What its approval binds, in words. */
export type Binding = { what: string; value: string }
export type Made = { leads: Leads; binds: Binding[] }

export type PlannerParts = {
  catalog: Pick<Catalog, 'get'>
  world: () => World
  judge: SeeingJudge
  lookAgain: LookAgain
  /** Runs a call that only reads. */
  read(call: { toolName: string; toolInput: ToolInput }, by: string, signal: AbortSignal): Promise<Done>
  redactor: Redactor
  policyHash(): string | undefined
}

export { Mistake }

type Ready = Extract<Judgement, { kind: 'ready' }>
/** What is collected while the steps are gone through. */
type Draft = {
  steps: PlanStep[]
  script: ScriptStep[]
  calls: Leads['calls'][number][]
  read: Leads['read'][number][]
  bound: unknown[]
  targets: string[]
}

/**
 * Makes plans: runs the reads that come before any change, fills all values in, leaves out what does not apply, and has
 * each call that is left judged. Nothing is changed.
 */
export function createPlanner(parts: PlannerParts) {
  const { catalog, redactor } = parts

  async function readNow(
    step: Step,
    toolInput: ToolInput,
    when: string | undefined,
    draft: Draft,
    by: string,
    signal: AbortSignal,
  ) {
    const { output } = await parts.read({ toolName: step.toolName, toolInput }, by, signal)
    const line = redactor.text(output.summary)
    if (output.isError === true) throw new PlanProblem(step, `${step.toolName} could not be read: ${line}`)
    const number = draft.steps.length + 1
    draft.steps.push({
      ...{ number, title: step.title, tier: 'green' as const, toolName: step.toolName },
      toolInput: redactor.value(toolInput),
      sentence: titleOf(step.toolName),
      ...(when !== undefined && { when }),
      ...{ read: line, state: 'done' as const },
    })
    draft.read.push({ toolName: step.toolName, toolUseId: `read:${number}`, text: output.text, asked: toolInput })
    return output.data
  }

  function skipped({ title, toolName }: Step, number: number, when: string): PlanStep {
    const tier = catalog.get(toolName)?.tier ?? 'green'
    const sentence = titleOf(toolName)
    const step = { number, title, toolName, toolInput: {}, sentence, when, state: 'skipped' as const }
    return { ...step, tier: tier === 'black' ? 'red' : tier }
  }

  const titleOf = (toolName: string) => catalog.get(toolName)?.title ?? toolName

  async function judged(step: Step, toolName: string, toolInput: ToolInput): Promise<Ready> {
    const first = await parts.judge(toolName, toolInput)
    if (first.kind === 'ready') {
      // What an approval rests on is read right before it.
      await parts.lookAgain({ toolName, toolInput }, first.target)
    }
    const now = await parts.judge(toolName, toolInput)
    if (now.kind === 'ready') return now
    throw new PlanProblem(step, now.kind === 'invalid' ? now.message : `Refused: ${now.verdict.reason}`)
  }

  async function checkOf(step: Step, scope: Scope): Promise<PlannedCheck | undefined> {
    const { verify } = step
    if (verify === undefined) return undefined
    const check = fillCheck(verify, scope)
    const { verdict } = await judged({ ...step, line: verify.line }, check.toolName, check.toolInput)
    if (verdict.tier !== 'green')
      throw new PlanProblem({ ...step, line: verify.line }, `${check.toolName} asks here: ${verdict.reason}`)
    return check
  }

  /** Adds a call that is made while the plan runs. */
  async function callLater(step: Step, toolInput: ToolInput, when: string | undefined, scope: Scope, draft: Draft) {
    const { toolName, title } = step
    const ready = await judged(step, toolName, toolInput)
    const verify = await checkOf(step, scope)
    const number = draft.steps.length + 1
    const world = parts.world()
    const { verdict, target, effects, preview, hash } = ready
    const isRead = verdict.tier === 'green'
    const { sentence = titleOf(toolName), ...said } = describe(
      toolName,
      redactor.value([...effects]),
      world,
      verdict,
      world.now,
    )
    const undo = isRead ? undefined : undoWords(step, undoFacts(undoOf(ready, world, redactor)), scope)
    draft.steps.push({
      ...{ number, title, tier: verdict.tier as PlanStep['tier'], toolName, toolInput: redactor.value(ready.input) },
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
      state: 'waits',
    })
    draft.script.push({ number, toolName, toolInput, isRead, ...(verify && { verify }) })
    draft.calls.push({ number, toolName, toolInput, at: `step ${step.number} "${title}", line ${step.line}` })
    const { name, status, lock, haState, madeAt } = target
    draft.bound.push({ hash, tier: verdict.tier, rule: verdict.rule, name, status, lock, haState, madeAt, verify })
    if (target.kind !== 'none' && !isRead) draft.targets.push(target.id)
  }

  function undoWords({ undo: own }: Step, undo: ReturnType<typeof undoFacts>, scope: Scope) {
    if (undo.kind === 'call' || own === undefined || own === 'none') return undo
    const input = fillArgs(own.args, scope)
    return { ...undo, sentence: `${undo.sentence} The runbook says: ${own.toolName} ${JSON.stringify(input)}.` }
  }

  /** @throws PlanProblem with what was found of the steps before; Mistake for an input */
  async function make(request: Request, by: string, signal: AbortSignal): Promise<Made> {
    const { procedure, inputs, runbook } = request
    const cluster = parts.world().cluster
    const given = inputsOf(procedure.inputs, inputs, { ...cluster, storages: cluster.storages ?? [] })
    const scope = new Map<string, unknown>(given)
    const draft: Draft = { steps: [], script: [], calls: [], read: [], bound: [], targets: [] }
    let hasChanged = false
    for (const step of procedure.steps) {
      try {
        const isRead = catalog.get(step.toolName)?.tier === 'green'
        const isNow = isRead && !hasChanged && step.verify === undefined
        for (const within of scopesOf(step, scope)) {
          signal.throwIfAborted()
          const when = step.when && isWanted(step.when, within)
          if (when?.holds === false) {
            // Of a repeated step, the items that it does not apply to are left out.
            if (step.each === undefined) draft.steps.push(skipped(step, draft.steps.length + 1, when.words))
            continue
          }
          if (draft.steps.length >= most.steps)
            throw new PlanProblem(step, `This comes to more than ${most.steps} steps, which nobody reads on one card.`)
          const toolInput = fillArgs(step.args, within)
          if (isNow) {
            const data = await readNow(step, toolInput, when?.words, draft, by, signal)
            if (step.as !== undefined) scope.set(step.as, data)
          } else await callLater(step, toolInput, when?.words, within, draft)
        }
        if (!isRead) hasChanged = true
      } catch (error) {
        const problem =
          error instanceof PlanProblem
            ? error
            : error instanceof NotKnown || error instanceof Mistake
              ? new PlanProblem(step, error.message)
              : undefined
        if (problem === undefined) throw error
        problem.steps = draft.steps
        throw problem
      }
    }
    const script: Script = { steps: draft.script }
    if (hashOf(redactor.value(script)) !== hashOf(script))
      throw new Mistake('A call of the plan holds a secret, and JARVIS keeps none.')
    const world = parts.world()
    const profile = world.policy.profile
    const policy = parts.policyHash() ?? 'shipped'
    const values = Object.fromEntries(given)
    const hash = hashOf({
      version: 1,
      source: request.hash,
      inputs: values,
      script,
      bound: draft.bound,
      profile,
      policy,
    })
    const { title } = procedure
    const facts = {
      hash,
      title,
      ...(runbook !== undefined && { runbook }),
      inputs: redactor.value(values),
      steps: draft.steps,
    }
    const targets = [...new Set(draft.targets)]
    return {
      leads: {
        ...{ facts, calls: draft.calls, read: draft.read, said: request.said, maxAgeMs: procedure.maxAgeMs, script },
      },
      binds: [
        { what: 'Runbook', value: `${runbook ?? title} ${short(request.hash)}` },
        {
          what: 'Inputs',
          value:
            Object.entries(values)
              .map(([name, value]) => `${name} = ${value ?? 'none'}`)
              .join(', ') || 'none',
        },
        { what: 'Calls', value: `${draft.script.length}, all values filled in` },
        { what: 'Facts', value: targets.length === 0 ? 'of no target' : `state of ${targets.join(', ')}` },
        { what: 'Policy', value: `${profile}, policy.yaml ${policy === 'shipped' ? 'not there' : short(policy)}` },
      ],
    }
  }

  return { make }
}

export type Planner = ReturnType<typeof createPlanner>

const short = (hash: string) => hash.slice(0, 8).replace(/^(.{4})/, '$1 ')

/** The scopes in which a step stands: one, or one for each item of its list. */
function scopesOf(step: Step, scope: Scope): Scope[] {
  if (step.each === undefined) return [scope]
  const items = fillList(step.each, scope)
  if (items.length > most.items) throw new PlanProblem(step, `${items.length} items are more than ${most.items}.`)
  return items.map((item) => new Map([...scope, ['item', item]]))
}
