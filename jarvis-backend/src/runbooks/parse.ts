import type { Fault, Runbook, RunbookInput, Tier } from 'protocol'
import { isMap, type YAMLMap } from 'yaml'
import { durationMs } from './duration.ts'
import { ExpressionFault, type Ref, readRef, wordsOfRef } from './expressions.ts'
import { type Front, readFront, reserved } from './front.ts'
import { type Block, createFaults, membersOf, readBlock, type Say, textOf } from './lines.ts'
import { type Args, type Check, mostSteps, type Procedure, type Step, type ToolFacts, type Tools } from './procedure.ts'
import { type Section, split } from './sections.ts'
import { isList, itemShape, type Shape } from './shapes.ts'
import { createValues, type Known, type Names } from './values.ts'

const stepKeys = ['tool', 'args', 'as', 'each', 'when', 'verify', 'undo'] as const
const checkKeys = ['tool', 'args', 'until', 'within'] as const
const undoKeys = ['tool', 'args'] as const
const usualWithinMs = 60_000
const longestWithinMs = 4 * 3_600_000

export type Parsed = {
  /** The steps that run; undefined if there is any fault. */
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
  const reader = createReader(tools, head.inputs, say)
  const steps = sections.map((section) => ({ section, ...reader.read(section) }))
  const found = faults()
  const whole = steps.flatMap(({ step }) => step ?? [])
  return {
    procedure: found.length > 0 || whole.length !== steps.length ? undefined : { ...head, about, steps: whole },
    facts: {
      title: head.title,
      // A line break of the file is no line break of the text.
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

/** Reads the steps in order: each may name the inputs and what the reads before it gave. */
function createReader(tools: Tools, inputs: readonly RunbookInput[], say: Say) {
  const names = new Map<string, Known>(inputs.map(({ name }) => [name, { shape: plainShape, says: 'An input' }]))
  let hasChanged = false
  const { toolAt, argsAt, conditionAt, check, fenced } = createValues(tools, say)

  function checkAt(
    block: Block,
    node: unknown,
    own: { name: string; facts: ToolFacts | undefined; args: Args },
    known: Names,
  ) {
    if (!isMap(node)) {
      say(block.placeOf(node).line, 'verify: write until, and where it is another read, tool and args.')
      return undefined
    }
    const members = membersOf(block, node as YAMLMap, checkKeys, 'verify', say)
    const given = members.get('tool')
    const tool = given === undefined ? { name: own.name, facts: own.facts } : toolAt(block, given.value, 'tool')
    const { line } = block.placeOf(given?.value ?? node)
    if (tool.facts !== undefined && !tool.facts.isRead)
      say(
        line,
        given === undefined ? 'verify needs a tool that reads.' : `${tool.name} changes something: verify only reads.`,
      )
    const asked = members.get('args')
    // Without arguments of its own, a check is about what the step is about.
    const shared = Object.fromEntries(Object.entries(own.args).filter(([name]) => tool.facts?.takes.includes(name)))
    const args =
      asked === undefined
        ? given === undefined
          ? own.args
          : shared
        : argsAt(block, asked.value, tool.name, tool.facts, known, node)
    const missing = asked === undefined ? (tool.facts?.requires.filter((name) => !Object.hasOwn(args, name)) ?? []) : []
    if (missing.length > 0) say(line, `${tool.name} needs ${missing.join(', ')}.`)
    const until = members.get('until')
    if (until === undefined) {
      say(block.placeOf(node).line, 'verify: until is missing.')
      return undefined
    }
    const result: Known = { shape: tool.facts?.returns, says: tool.name }
    const condition = conditionAt(block, until.value, new Map([...known, ['result', result]]), 'until')
    const within = members.get('within')
    const ms = within === undefined ? usualWithinMs : durationMs(textOf(within.value) ?? '')
    if (ms === undefined || ms < 1000 || ms > longestWithinMs)
      say(block.placeOf(within?.key).line, 'within: write a time of 1 s to 4 h, such as 3 min.')
    if (condition === undefined || ms === undefined) return undefined
    return {
      toolName: tool.name,
      args,
      until: condition,
      withinMs: ms,
      line: block.placeOf(until.value).line,
    } satisfies Check
  }

  function undoAt(block: Block, node: unknown, known: Names): Step['undo'] {
    if (textOf(node) === 'none') return 'none'
    if (!isMap(node)) {
      say(block.placeOf(node).line, 'undo: write none, or the tool and args that take the step back.')
      return undefined
    }
    const members = membersOf(block, node as YAMLMap, undoKeys, 'undo', say)
    const tool = toolAt(block, members.get('tool')?.value ?? node, 'tool')
    return { toolName: tool.name, args: argsAt(block, members.get('args')?.value, tool.name, tool.facts, known, node) }
  }

  return {
    read({ number, title, line, text, firstLine }: Section): Read {
      const block = readBlock(text, firstLine, say)
      if (block.map === undefined) {
        say(line, `Step ${number} has no tool.`)
        return { step: undefined, toolName: '' }
      }
      const members = membersOf(block, block.map, stepKeys, 'a step', say)
      const asked = members.get('tool')
      if (asked === undefined) {
        say(line, `Step ${number} has no tool.`, { nearest: undefined })
        return { step: undefined, toolName: '' }
      }
      const { name: toolName, facts } = toolAt(block, asked.value, 'tool')
      const toolLine = block.placeOf(asked.key).line
      const known = new Map<string, Known>(names)
      const each = members.get('each')
      let over: Ref | undefined
      if (each !== undefined) over = listAt(each.value, known, block)
      const args = argsAt(block, members.get('args')?.value, toolName, facts, known, asked.value)
      const condition = members.get('when')
      const when = condition && conditionAt(block, condition.value, known, 'when')
      const asks = members.get('verify')
      const verify = asks && checkAt(block, asks.value, { name: toolName, facts, args }, known)
      const back = members.get('undo')
      const undo = back && undoAt(block, back.value, known)
      const isRead = facts?.isRead !== false
      const as = members.get('as')
      if (as !== undefined) keep(textOf(as.value) ?? '', block.placeOf(as.value))
      if (!isRead) hasChanged = true
      const step: Step = {
        number,
        title,
        line: toolLine,
        toolName,
        args,
        ...(as && { as: textOf(as.value) ?? '' }),
        each: over,
        when,
        verify,
        ...(undo && { undo }),
      }
      return { step, toolName, toolLine }

      function keep(name: string, place: { line: number; column: number }) {
        const { column } = place
        if (!/^[A-Za-z_]\w{0,39}$/.test(name) || reserved.includes(name) || names.has(name))
          say(
            place.line,
            `${name || 'This'} cannot be the output’s name: ${names.has(name) ? 'it is taken' : 'write a word such as top'}.`,
            { column },
          )
        else if (over !== undefined) say(place.line, 'A step that is repeated gives no output.', { column })
        else if (facts !== undefined && facts.returns === undefined)
          say(place.line, `${toolName} does not say what it returns.`, { column })
        else {
          const isLater = !isRead || hasChanged || verify !== undefined
          names.set(name, { shape: facts?.returns, says: toolName, ...(isLater && { later: true as const }) })
        }
      }

      function listAt(node: unknown, within: Map<string, Known>, at: Block): Ref | undefined {
        let ref: Ref | undefined
        fenced(at, node, () => {
          const written = textOf(node)?.trim() ?? ''
          const found = readRef(written, 0)
          if (found.end !== written.length)
            throw new ExpressionFault('each: write one list, such as $all.guests.', found.end)
          ref = found.ref
          const shape = check(ref, within, at.placeOf(node))
          if (shape !== undefined && !isList(shape))
            say(at.placeOf(node).line, `each: ${wordsOfRef(ref)} is no list.`, { column: at.placeOf(node).column })
          within.set('item', { shape: itemShape(shape), says: wordsOfRef(ref) })
        })
        return ref
      }
    },
  }
}

const plainShape: Shape = { type: 'string' }

export type { Fault }
