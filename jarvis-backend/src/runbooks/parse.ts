import type { Fault, Runbook, RunbookInput, Tier } from 'protocol'
import { isMap, type YAMLMap } from 'yaml'
import { durationMs } from './duration.ts'
import { ExpressionFault, type Ref, readRef, wordsOfRef } from './expressions.ts'
import { type Front, readFront, reserved } from './front.ts'
import { type Block, createFaults, type Members, membersOf, readBlock, type Say, textOf } from './lines.ts'
import { type Args, type Check, mostSteps, type Procedure, type Step, type Tools } from './procedure.ts'
import { type Section, split } from './sections.ts'
import { isList, itemShape, type Shape } from './shapes.ts'
import { type Known, type Named, type Names, Values } from './values.ts'

const stepKeys = ['tool', 'args', 'as', 'each', 'when', 'verify', 'undo'] as const
const checkKeys = ['tool', 'args', 'until', 'within'] as const
const undoKeys = ['tool', 'args'] as const
const usualWithinMs = 60_000
const longestWithinMs = 4 * 3_600_000

export type Parsed = {
  /** The steps to run; undefined if the text has any fault. */
  procedure: Procedure | undefined
  facts: Pick<Runbook, 'title' | 'about' | 'inputs' | 'steps' | 'alerts' | 'faults'>
}

/** Parses a runbook, and reports all faults by line. Pure; never throws. */
export function parseRunbook(text: string, tools: Tools): Parsed {
  const { faults, say } = createFaults()
  const { front, about, sections } = split(text, say)
  const head: Front =
    front === undefined
      ? { title: '', inputs: [], alerts: [], maxAgeMs: 0 }
      : readFront(front.text, front.firstLine, say)
  if (sections.length === 0) say(1, 'There is no step: a step is headed `## 1. Title`.')
  if (sections.length > mostSteps) say(sections[mostSteps]?.line ?? 1, `A runbook has at most ${mostSteps} steps.`)
  const reader = new StepReader(tools, head.inputs, say)
  const steps = sections.map((section) => ({ section, ...reader.read(section) }))
  const found = faults()
  const whole = steps.flatMap(({ step }) => step ?? [])
  return {
    procedure: found.length > 0 || whole.length !== steps.length ? undefined : { ...head, about, steps: whole },
    facts: {
      title: head.title,
      // Line breaks in the file become spaces, because a paragraph may be wrapped over several lines.
      about: about.replace(/(?<!\s)\s*\n\s*/g, ' '),
      inputs: head.inputs,
      alerts: head.alerts,
      steps: steps.map(({ section: { number, title, line }, toolName, toolLine }) => ({
        number,
        title,
        toolName,
        tier: (tools.get(toolName)?.tier ?? null) as Tier | null,
        line: toolLine ?? line,
      })),
      faults: found,
    },
  }
}

type Read = { step: Step | undefined; toolName: string; toolLine?: number }
/** A tool with its arguments. */
type NamedRead = Named & { args: Args }

/** Parses the steps in order. A step may refer to the inputs, and to the outputs of reads before it. */
class StepReader {
  readonly #say: Say
  readonly #values: Values
  readonly #names: Map<string, Known>
  /** True after the first step that changes something. Outputs of later steps are known only when the plan runs. */
  #hasChanged = false

  constructor(tools: Tools, inputs: readonly RunbookInput[], say: Say) {
    this.#say = say
    this.#values = new Values(tools, say)
    this.#names = new Map(inputs.map(({ name }) => [name, { shape: plainShape, says: 'An input' }]))
  }

  read({ number, title, line, text, firstLine }: Section): Read {
    const block = readBlock(text, firstLine, this.#say)
    const members = block.map && membersOf(block, { map: block.map, known: stepKeys, of: 'a step' }, this.#say)
    const asked = members?.get('tool')
    if (members === undefined || asked === undefined) {
      this.#say(line, `Step ${number} has no tool.`)
      return { step: undefined, toolName: '' }
    }
    const tool = this.#values.toolAt(block, asked.value, 'tool')
    const toolLine = block.placeOf(asked.key).line
    const step = { number, title, line: toolLine, ...this.#stepOf(block, members, { ...tool, node: asked.value }) }
    return { step, toolName: tool.name, toolLine }
  }

  #stepOf(block: Block, members: Members, tool: Named & { node: unknown }): Omit<Step, 'number' | 'title' | 'line'> {
    const { name: toolName, facts } = tool
    const known = new Map<string, Known>(this.#names)
    const each = members.get('each')
    const over = each && this.#listAt(each.value, known, block)
    const args = this.#values.argsAt(block, { tool, node: members.get('args')?.value, or: tool.node }, known)
    const condition = members.get('when')
    const when = condition && this.#values.conditionAt(block, { node: condition.value, what: 'when' }, known)
    const asks = members.get('verify')
    const verify = asks && this.#checkAt(block, { node: asks.value, own: { ...tool, args } }, known)
    const back = members.get('undo')
    const undo = back && this.#undoAt(block, back.value, known)
    const isRead = facts?.isRead !== false
    const as = members.get('as')
    const name = as && (textOf(as.value) ?? '')
    if (name !== undefined) {
      const isLater = !isRead || this.#hasChanged || verify !== undefined
      this.#keep(name, block.placeOf(as?.value), { tool, isRepeated: over !== undefined, isLater })
    }
    if (!isRead) this.#hasChanged = true
    return { toolName, args, ...(as && { as: name }), each: over, when, verify, ...(undo && { undo }) }
  }

  /** Stores the name of a step’s output, so that later steps can refer to it. */
  #keep(
    name: string,
    { line, column }: { line: number; column: number },
    { tool, isRepeated, isLater }: { tool: Named; isRepeated: boolean; isLater: boolean },
  ): void {
    const names = this.#names
    const say = (message: string) => this.#say(line, message, { column })
    if (!/^[A-Za-z_]\w{0,39}$/.test(name) || reserved.includes(name) || names.has(name))
      say(
        `${name || 'This'} cannot be the output’s name: ${names.has(name) ? 'it is taken' : 'write a word such as top'}.`,
      )
    else if (isRepeated) say('A step that is repeated gives no output.')
    else if (tool.facts !== undefined && tool.facts.returns === undefined)
      say(`${tool.name} does not say what it returns.`)
    else names.set(name, { shape: tool.facts?.returns, says: tool.name, ...(isLater && { later: true as const }) })
  }

  /** Parses the list over which a step is repeated. Adds `item` to the known names. */
  #listAt(node: unknown, within: Map<string, Known>, at: Block): Ref | undefined {
    let ref: Ref | undefined
    this.#values.fenced(at, node, () => {
      const written = textOf(node)?.trim() ?? ''
      const found = readRef(written, 0)
      if (found.end !== written.length)
        throw new ExpressionFault('each: write one list, such as $all.guests.', found.end)
      ref = found.ref
      const { line, column } = at.placeOf(node)
      const shape = this.#values.check(ref, within, { line, column })
      if (shape !== undefined && !isList(shape)) this.#say(line, `each: ${wordsOfRef(ref)} is no list.`, { column })
      within.set('item', { shape: itemShape(shape), says: wordsOfRef(ref) })
    })
    return ref
  }

  #checkAt(block: Block, { node, own }: { node: unknown; own: NamedRead }, known: Names): Check | undefined {
    if (!isMap(node)) {
      this.#say(block.placeOf(node).line, 'verify: write until, and where it is another read, tool and args.')
      return undefined
    }
    const members = membersOf(block, { map: node as YAMLMap, known: checkKeys, of: 'verify' }, this.#say)
    const { tool, args } = this.#readOf(block, { node, members, own }, known)
    const until = members.get('until')
    if (until === undefined) {
      this.#say(block.placeOf(node).line, 'verify: until is missing.')
      return undefined
    }
    const result: Known = { shape: tool.facts?.returns, says: tool.name }
    const scope = new Map([...known, ['result', result] as const])
    const condition = this.#values.conditionAt(block, { node: until.value, what: 'until' }, scope)
    const within = members.get('within')
    const withinMs = within === undefined ? usualWithinMs : durationMs(textOf(within.value) ?? '')
    if (withinMs === undefined || withinMs < 1000 || withinMs > longestWithinMs)
      this.#say(block.placeOf(within?.key).line, 'within: write a time of 1 s to 4 h, such as 3 min.')
    if (condition === undefined || withinMs === undefined) return undefined
    return { toolName: tool.name, args, until: condition, withinMs, line: block.placeOf(until.value).line }
  }

  /** Parses the read of a check: the step’s own tool, or another one. If it has no arguments, it gets the step’s arguments. */
  #readOf(
    block: Block,
    { node, members, own }: { node: unknown; members: Members; own: NamedRead },
    known: Names,
  ): { tool: Named; args: Args } {
    const given = members.get('tool')
    const tool = given === undefined ? own : this.#values.toolAt(block, given.value, 'tool')
    const { line } = block.placeOf(given?.value ?? node)
    if (tool.facts !== undefined && !tool.facts.isRead)
      this.#say(
        line,
        given === undefined ? 'verify needs a tool that reads.' : `${tool.name} changes something: verify only reads.`,
      )
    const asked = members.get('args')
    if (asked !== undefined)
      return { tool, args: this.#values.argsAt(block, { tool, node: asked.value, or: node }, known) }
    const shared = Object.entries(own.args).filter(([name]) => tool.facts?.takes.includes(name))
    const args = given === undefined ? own.args : Object.fromEntries(shared)
    const missing = tool.facts?.requires.filter((name) => !Object.hasOwn(args, name)) ?? []
    if (missing.length > 0) this.#say(line, `${tool.name} needs ${missing.join(', ')}.`)
    return { tool, args }
  }

  #undoAt(block: Block, node: unknown, known: Names): Step['undo'] {
    if (textOf(node) === 'none') return 'none'
    if (!isMap(node)) {
      this.#say(block.placeOf(node).line, 'undo: write none, or the tool and args that take the step back.')
      return undefined
    }
    const members = membersOf(block, { map: node as YAMLMap, known: undoKeys, of: 'undo' }, this.#say)
    const tool = this.#values.toolAt(block, members.get('tool')?.value ?? node, 'tool')
    return {
      toolName: tool.name,
      args: this.#values.argsAt(block, { tool, node: members.get('args')?.value, or: node }, known),
    }
  }
}

const plainShape: Shape = { type: 'string' }

export type { Fault }
