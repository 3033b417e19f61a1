import { nearestName } from 'node-kit/nearest'
import { type PlanPointer, type PlanProposal, PlanPointer as Pointer, type ProposedStep } from 'protocol'
import { type Condition, ExpressionFault, type Ref, readRef, refsOfCondition } from '../runbooks/expressions.ts'
import {
  type Args,
  type Check,
  type Procedure,
  type Step,
  type ToolFacts,
  type Tools,
  usualMaxAgeMs,
} from '../runbooks/procedure.ts'
import { follow } from '../runbooks/shapes.ts'
import { inOrder, leadingTo } from './order.ts'
import { PlanProblem } from './problem.ts'

const reserved = ['result', 'item']
const usualWithinS = 60

type Placed = ProposedStep & { number: number; facts: ToolFacts; pointers: readonly PlanPointer[] }

/**
 * Makes a procedure of proposed calls, in an order that fulfils every `after`. Nothing is read or judged yet.
 * @throws PlanProblem with the step: a cycle, an unknown tool or step, arguments that the tool does not take
 */
export function procedureOf({ steps }: PlanProposal, tools: Tools): Procedure {
  const placed = steps.map((step, at): Placed => {
    const place = { number: at + 1, title: step.id }
    if (!/^[A-Za-z_]\w*$/.test(step.id) || reserved.includes(step.id))
      throw new PlanProblem(place, 'Its id must be a word such as check_disks: letters, digits and _.')
    if (steps.findIndex(({ id }) => id === step.id) !== at)
      throw new PlanProblem(place, `Another step has the id ${step.id}.`)
    const { check } = step
    return {
      ...step,
      ...place,
      facts: factsOf(place, step.tool, tools),
      pointers: [...pointersIn(step.input), ...pointersIn(check?.input)],
    }
  })
  const ordered = inOwnOrder(placed)
  const numberOf = new Map(ordered.map(({ id }, at) => [id, at + 1]))
  const firstChange = ordered.findIndex(({ facts }) => !facts.isRead)
  const byId = new Map(placed.map((step) => [step.id, step]))
  const made = ordered.map((step, at): Step => {
    const place = { number: at + 1, title: step.id }
    for (const pointer of step.pointers) mustLead(place, pointer, { byId, isKnown: (id) => isReadFirst(id) })
    const verify = step.check && checkOf(place, step, tools)
    const { facts, tool, input } = step
    if (step.pointers.length === 0) mustTake(place, { tool, facts }, input)
    const after = idsBefore(step).map((id) => numberOf.get(id) ?? 0)
    return {
      ...place,
      toolName: tool,
      args: argsOf(place, input),
      mustBeThere: true,
      ...(facts.isRead && { as: step.id }),
      ...(verify && { verify }),
      ...(after.length > 0 && { after }),
      ...(step.onFailure === 'skip' && { onFailure: 'skip' as const }),
    }
  })
  const title = `A plan of ${made.length} steps`
  return { title, about: '', inputs: [], alerts: [], maxAgeMs: usualMaxAgeMs, steps: made }

  /** True for a step that is read while the plan is made, before any card is shown. */
  function isReadFirst(id: string): boolean {
    const step = byId.get(id)
    const at = (numberOf.get(id) ?? 0) - 1
    return step?.facts.isRead === true && step.check === undefined && (firstChange < 0 || at < firstChange)
  }
}

const idsBefore = ({ after = [], pointers }: Pick<Placed, 'after' | 'pointers'>): string[] => [
  ...new Set([...after, ...pointers.map(({ step }) => step)]),
]

/** Orders the steps. Reads from which other steps take a value come as early as `after` allows. */
function inOwnOrder(placed: readonly Placed[]): Placed[] {
  const ids = placed.map(({ id }) => id)
  for (const step of placed) {
    for (const id of idsBefore(step)) {
      if (ids.includes(id) && id !== step.id) continue
      throw new PlanProblem(placeOf(step), id === step.id ? 'It comes after itself.' : unknownStep(id, ids))
    }
  }
  const list = placed.map((step) => ({ id: step.id, after: idsBefore(step) }))
  const feeding = leadingTo(new Set(placed.flatMap(({ pointers }) => pointers.map(({ step }) => step))), list)
  const isRead = new Set(placed.flatMap(({ id, facts }) => (facts.isRead ? [id] : [])))
  const found = inOrder(list.map((one) => ({ ...one, isFirst: feeding.has(one.id) && isRead.has(one.id) })))
  if ('cycle' in found) {
    const step = placed.find(({ id }) => id === found.cycle[0])
    const place = step === undefined ? { number: 1, title: found.cycle[0] ?? '' } : placeOf(step)
    throw new PlanProblem(place, `Its steps wait for each other: ${found.cycle.join(', then ')}.`)
  }
  return found.order.flatMap((id) => placed.find((step) => step.id === id) ?? [])
}

const placeOf = ({ number, id: title }: Placed) => ({ number, title })
const unknownStep = (id: string, ids: readonly string[]) =>
  `There is no step ${id}. There is ${ids.join(', ')}.${meant(nearestName(id, ids))}`
const meant = (nearest: string | undefined) => (nearest === undefined ? '' : ` Did you mean ${nearest}?`)

function factsOf(place: { number: number; title: string }, tool: string, tools: Tools): ToolFacts {
  const facts = tools.get(tool)
  if (facts === undefined)
    throw new PlanProblem(
      place,
      `No step can be ${tool}: there is no such tool for plans.${meant(nearestName(tool, tools.names()))}`,
    )
  if (facts.tier === 'black') throw new PlanProblem(place, `Refused: ${tool} never runs, by the rules.`)
  return facts
}

const isPointer = (value: unknown): value is PlanPointer => Pointer.safeParse(value).success

function pointersIn(value: unknown): PlanPointer[] {
  if (isPointer(value)) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(pointersIn)
}

type Titled = { number: number; title: string }

/** Checks that a pointer leads to a value that is known while the plan is made. @param steps.isKnown true for a step whose value is known then */
function mustLead(
  place: Titled,
  { step: id, path }: PlanPointer,
  { byId, isKnown }: { byId: ReadonlyMap<string, Placed>; isKnown(id: string): boolean },
) {
  const { facts, tool, check } = byId.get(id) ?? {}
  const why =
    facts?.isRead !== true
      ? 'only a read gives a value'
      : check !== undefined
        ? 'a step with a check is read while the plan runs'
        : 'it is read after a change'
  if (!isKnown(id))
    throw new PlanProblem(
      place,
      `It takes a value from ${id}, but ${why}, so the card could not show it. Propose a second plan when it is known.`,
    )
  const found = follow(facts?.returns, refOf(place, id, path).path)
  if (found.ok) return
  const has = found.has.length === 0 ? 'has no parts' : `gives ${found.has.join(', ')}`
  throw new PlanProblem(
    place,
    `${id}.${path}: ${tool} ${found.isList ? 'gives a list there: take an item by its index, or by a key such as (vmid=104)' : `${has}; there is no ${found.key}`}.${meant(nearestName(found.key, found.has))}`,
  )
}

/** Parses a pointer’s path to a reference. @throws PlanProblem if the path cannot be parsed */
function refOf(place: Titled, name: string, path: string): Ref {
  const text = `$${name}${path.startsWith('(') ? '' : '.'}${path}`
  try {
    if (/[\s$]/.test(path)) throw new ExpressionFault('it has a space or a $', 0)
    const { ref, end } = readRef(text, 0)
    if (end !== text.length) throw new ExpressionFault('it goes on where it should end', end)
    return ref
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    throw new PlanProblem(
      place,
      `The path ${JSON.stringify(path)} is none: write guests.0.vmid or guests(vmid=104).node.`,
    )
  }
}

/**
 * Converts arguments to the form of a procedure: a pointer becomes a reference such as `$disks.0.vmid`, and all other text is escaped so that it is
 * taken literally.
 */
function argsOf(place: Titled, input: Readonly<Record<string, unknown>>): Args {
  const told = (value: unknown): unknown => {
    if (isPointer(value)) {
      refOf(place, value.step, value.path)
      return `$${value.step}${value.path.startsWith('(') ? '' : '.'}${value.path}`
    }
    if (typeof value === 'string') return value.replaceAll('$', '$$$$')
    if (Array.isArray(value)) return value.map(told)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, told(member)]))
  }
  return told(input) as Args
}

/** Checks the arguments of a tool. @throws PlanProblem for an argument that the tool does not take, or for a missing one */
function mustTake(
  place: Titled,
  { tool, facts }: { tool: string; facts: ToolFacts },
  input: Readonly<Record<string, unknown>>,
) {
  const odd = Object.keys(input).find((name) => !facts.takes.includes(name))
  if (odd !== undefined) {
    const there = facts.takes.length === 0 ? 'It takes none' : `It takes ${facts.takes.join(', ')}`
    throw new PlanProblem(place, `${tool} takes no argument ${odd}. ${there}.${meant(nearestName(odd, facts.takes))}`)
  }
  const problem = facts.problem(input)
  if (problem !== undefined) throw new PlanProblem(place, `${tool} does not take this: ${problem}`)
}

function checkOf(place: Titled, step: Placed, tools: Tools): Check {
  const { check } = step
  if (check === undefined) throw new Error('The step has no check.')
  const { tool = step.tool, input, path, op, value, withinS = usualWithinS } = check
  const facts = factsOf(place, tool, tools)
  if (!facts.isRead)
    throw new PlanProblem(
      place,
      check.tool === undefined
        ? `Its check needs a tool that reads: ${tool} changes something.`
        : `Its check only reads, and ${tool} changes something.`,
    )
  // A check without arguments of its own gets the arguments of its step.
  const shared = Object.fromEntries(Object.entries(step.input).filter(([name]) => facts.takes.includes(name)))
  const args = input ?? shared
  if (pointersIn(args).length === 0) mustTake(place, { tool, facts }, args)
  const left = refOf(place, 'result', path)
  const until: Condition = [{ left, op, right: { value } }]
  for (const { path: parts } of refsOfCondition(until)) {
    const found = follow(facts.returns, parts)
    if (found.ok) continue
    throw new PlanProblem(
      place,
      `Its check reads ${path}: ${tool} gives ${found.has.join(', ') || 'no parts'}; there is no ${found.key}.${meant(nearestName(found.key, found.has))}`,
    )
  }
  return { toolName: tool, args: argsOf(place, args), until, withinMs: withinS * 1000 }
}
