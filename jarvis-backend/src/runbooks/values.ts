import { nearestName } from 'node-kit/nearest'
import { isMap, isPair, isScalar, visit, type YAMLMap } from 'yaml'
import {
  type Condition,
  ExpressionFault,
  type Ref,
  readCondition,
  readTemplate,
  refsOfCondition,
  refsOfTemplate,
  wordsOfRef,
} from './expressions.ts'
import { type Block, type Say, textOf } from './lines.ts'
import type { Args, ToolFacts, Tools } from './procedure.ts'
import { follow, type Shape } from './shapes.ts'

/**
 * A value that can be used by its name. `says`: the tool that returns the value, for messages. `later`: the value is known only when the plan runs.
 */
export type Known = { shape: Shape | undefined; says: string; later?: true }
export type Names = ReadonlyMap<string, Known>

/** A tool that a step names. `facts`: undefined if there is no such tool. */
export type Named = { name: string; facts: ToolFacts | undefined }

/** Parses the values of a step: tools, arguments, references and conditions. Faults are reported with their line and column. */
export class Values {
  readonly #tools: Tools
  readonly #say: Say

  constructor(tools: Tools, say: Say) {
    this.#tools = tools
    this.#say = say
  }

  toolAt(block: Block, node: unknown, what: string): Named {
    const name = textOf(node)?.trim() ?? ''
    const facts = this.#tools.get(name)
    const { line, column } = block.placeOf(node)
    if (name === '') this.#say(line, `${what}: name a tool.`, { column })
    else if (facts === undefined) {
      const nearest = nearestName(name, this.#tools.names())
      this.#say(line, `There is no tool ${name}.${meant(nearest)}`, { column, nearest })
    } else if (facts.tier === 'black') this.#say(line, `${name} never runs: the rules refuse it.`, { column })
    return { name, facts }
  }

  /**
   * Parses the arguments of a tool, and checks their names and references.
   * @param at.node the YAML node of the arguments; may be undefined
   * @param at.or the node at which missing arguments are reported if `at.node` is undefined
   */
  argsAt(block: Block, at: { node: unknown; or: unknown; tool: Named }, known: Names): Args {
    const { name: tool, facts } = at.tool
    const { node } = at
    if (node !== undefined && !isMap(node)) {
      if (!(isScalar(node) && node.value === null))
        this.#say(block.placeOf(node).line, 'args: write them by name, such as { node: $node }.')
      return {}
    }
    const map = node as YAMLMap | undefined
    const args = (map?.toJSON() ?? {}) as Args
    const hasRef = map !== undefined && this.#refsIn(block, map, known)
    if (facts === undefined) return args
    for (const { key } of map?.items ?? []) {
      const name = textOf(key) ?? ''
      if (!facts.takes.includes(name)) this.#strayAt(block, key, { name, tool, takes: facts.takes })
    }
    const missing = facts.requires.filter((name) => !Object.hasOwn(args, name))
    const { line } = block.placeOf(map ?? at.or)
    if (missing.length > 0) this.#say(line, `${tool} needs ${missing.join(', ')}.`)
    else if (!hasRef && Object.keys(args).every((name) => facts.takes.includes(name))) {
      const problem = facts.problem(args)
      if (problem !== undefined) this.#say(line, `${tool} does not take this: ${problem}`)
    }
    return args
  }

  conditionAt(block: Block, { node, what }: { node: unknown; what: string }, known: Names): Condition | undefined {
    const text = textOf(node)
    if (text === undefined) {
      this.#say(block.placeOf(node).line, `${what}: write a comparison, such as $config.hostpci0 = none.`)
      return undefined
    }
    let condition: Condition | undefined
    this.fenced(block, node, () => {
      condition = readCondition(text)
      for (const ref of refsOfCondition(condition)) {
        const within = Math.max(0, text.indexOf(wordsOfRef(ref)))
        this.check(ref, known, block.placeOf(node, within))
      }
    })
    return condition
  }

  /** Runs `work`. Reports an ExpressionFault at its position in the node. */
  fenced(block: Block, node: unknown, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error
      const { line, column } = block.placeOf(node, error.at)
      this.#say(line, error.message, { column })
    }
  }

  /** Checks a reference, and reports it if its name or path does not exist. @returns the schema of the value to which the reference leads */
  check(ref: Ref, known: Names, { line, column }: { line: number; column: number }): Shape | undefined {
    const named = known.get(ref.name)
    if (named === undefined) {
      const nearest = nearestName(ref.name, known.keys())
      const there = [...known.keys()].map((name) => `$${name}`).join(', ') || 'nothing'
      this.#say(line, `$${ref.name} is not known here. There is ${there}.${meant(nearest)}`, { column, nearest })
      return undefined
    }
    if (named.later) {
      this.#say(line, `$${ref.name} is read while the plan runs, so no call of the plan can be made of it.`, { column })
      return undefined
    }
    const found = follow(named.shape, ref.path)
    if (found.ok) return found.shape
    const nearest = nearestName(found.key, found.has)
    const has = found.isList
      ? 'is a list: take an item by its index, or by a key such as (vmid=104)'
      : found.has.length === 0
        ? 'has no parts'
        : `returns ${found.has.join(', ')}; there is no ${found.key}`
    this.#say(line, `${named.says} ${has}.${meant(nearest)}`, { column, nearest })
    return undefined
  }

  #strayAt(
    block: Block,
    key: unknown,
    { name, tool, takes }: { name: string; tool: string; takes: readonly string[] },
  ) {
    const { line, column } = block.placeOf(key)
    const nearest = nearestName(name, takes)
    const there = takes.length === 0 ? 'It takes none' : `It takes ${takes.join(', ')}`
    this.#say(line, `${tool} takes no argument ${name}. ${there}.${meant(nearest)}`, { column, nearest })
  }

  /** Checks all references in the texts of a map. @returns true if there is any */
  #refsIn(block: Block, map: YAMLMap, known: Names): boolean {
    let found = false
    visit(map, {
      Scalar: (key, node, path) => {
        if (typeof node.value !== 'string' || (isPair(path.at(-1)) && key === 'key')) return
        this.fenced(block, node, () => {
          for (const { ref, at } of refsOfTemplate(readTemplate(String(node.value)))) {
            found = true
            this.check(ref, known, block.placeOf(node, at))
          }
        })
      },
    })
    return found
  }
}

const meant = (nearest: string | undefined) => (nearest === undefined ? '' : ` Did you mean ${nearest}?`)
