import { parseAst } from 'vitest/node'

/** A small change of a source file that its tests should notice. */
export type Mutant = {
  /** Its number among all mutants of a process. */
  id: number
  /** From 1. */
  line: number
  /** The change in words, such as `=== → !==`. */
  change: string
}

/** A source file that holds all of its mutants. Each is asleep until `globalThis.isMutant(id)` is true. */
export type Mutated = { mutants: Mutant[]; code: string }

type Node = { type: string; start: number; end: number; [key: string]: unknown }
type Change = { change: string; code: string }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/**
 * Writes all mutants of a TypeScript file into it. The lines stay where they are, but for the code of the mutants.
 * @param first the number of the file's first mutant @throws SyntaxError
 */
export function mutate(source: string, first = 0): Mutated {
  const mutants: Mutant[] = []
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length
  const plain = (node: Node) => source.slice(node.start, node.end)

  /** The code of a node with all mutants of it and of the nodes in it. */
  function written(node: Node, isCondition: boolean): string {
    const changes = [...changesOf(node, source), ...(isCondition ? conditions(node, source) : [])]
    const cases = changes.map(({ change, code }) => {
      const id = first + mutants.length
      mutants.push({ id, line: lineOf(node.start), change })
      return `globalThis.isMutant(${id}) ? (${code}) : `
    })
    const inner = within(node)
    return cases.length === 0 ? inner : `(${cases.join('')}${inner})`
  }

  /** The code of a node in which only the nodes in it are mutated. */
  function within(node: Node): string {
    let at = node.start
    let code = ''
    for (const part of partsOf(node)) {
      const isCondition = node.test === part && (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
      const text = written(part, isCondition)
      // A line that begins with a parenthesis would go on with the line before it.
      const isNewCall = node.type === 'ExpressionStatement' && text !== plain(part) && text.startsWith('(')
      code += source.slice(at, part.start) + (isNewCall ? 'void ' : '') + text
      at = part.end
    }
    return code + source.slice(at, node.end)
  }

  const tree = parseAst(source, { lang: 'ts' }) as unknown as Node
  return { code: source.slice(0, tree.start) + within(tree) + source.slice(tree.end), mutants }
}

/** The nodes in a node whose values count when the program runs, in the order of the text. */
function partsOf(node: Node): Node[] {
  const names = Object.keys(node).filter((name) => {
    if (name === 'typeAnnotation' || name === 'typeArguments' || name === 'returnType' || name === 'typeParameters')
      return false
    return !((name === 'key' || name === 'property') && node.computed !== true)
  })
  const parts = names.flatMap((name) => (Array.isArray(node[name]) ? (node[name] as unknown[]) : [node[name]]))
  return parts
    .filter(isNode)
    .filter(
      ({ type }) =>
        !type.startsWith('TS') || ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(type),
    )
    .filter(({ type }) => !['ImportDeclaration', 'ExportSpecifier', 'TemplateElement'].includes(type))
    .sort((a, b) => a.start - b.start)
}

const opposite = new Map(
  Object.entries({
    '===': '!==',
    '!==': '===',
    '&&': '||',
    '||': '&&',
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '+': '-',
    '-': '+',
  }),
)
const methods = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    max: 'min',
    min: 'max',
  }),
)
/** A tier, and an answer, that asks less. */
const milder = new Map(
  Object.entries({ black: 'red', red: 'yellow', yellow: 'green', block: 'confirm', confirm: 'run' }),
)

function changesOf(node: Node, source: string): Change[] {
  const text = (part: unknown) => (isNode(part) ? source.slice(part.start, part.end) : '')
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { operator, left, right } = node as Node & { operator: string; right: Node }
      const other = opposite.get(operator)
      // A sum of texts is no arithmetic.
      if (other === undefined || ('+-'.includes(operator) && typeof right.value !== 'number')) return []
      return [{ change: `${operator} → ${other}`, code: `(${text(left)}) ${other} (${text(right)})` }]
    }
    case 'UnaryExpression':
      if (node.operator !== '!') return []
      return [{ change: `${short(text(node))} → without !`, code: text(node.argument) }]
    case 'Literal':
      return ofLiteral(node)
    case 'ArrayExpression':
      return ofArray((node.elements as (Node | null)[]).map(text), short(text(node)))
    case 'CallExpression': {
      const { callee } = node as Node & { callee: Node }
      const name = text(callee.property)
      const other = callee.type === 'MemberExpression' && callee.computed !== true ? methods.get(name) : undefined
      // A chain of `?.` may not be cut.
      if (other === undefined || text(callee).includes('?.')) return []
      const { start, end } = callee.property as Node
      const code = source.slice(node.start, start) + other + source.slice(end, node.end)
      return [{ change: `.${name} → .${other}`, code }]
    }
    default:
      return []
  }
}

/** A condition that always holds, and one that never does: a refusal that is dropped. */
const conditions = (node: Node, source: string): Change[] =>
  ['true', 'false'].map((code) => ({ change: `if ${short(source.slice(node.start, node.end))} → ${code}`, code }))

/** An empty list, and each row of a table left out. */
function ofArray(elements: readonly string[], all: string): Change[] {
  if (elements.length === 0) return []
  const rows = elements.length === 1 ? [] : elements
  return [
    { change: `${all} → []`, code: '[]' },
    ...rows.map((gone, at) => ({
      change: `without ${short(gone)}`,
      code: `[${elements.filter((_, other) => other !== at).join(', ')}]`,
    })),
  ]
}

function ofLiteral({ value, regex, raw }: Node & { raw?: unknown }): Change[] {
  if (typeof value === 'boolean') return [{ change: `${value} → ${!value}`, code: String(!value) }]
  const mild = typeof value === 'string' ? milder.get(value) : undefined
  if (mild !== undefined) return [{ change: `'${value}' → '${mild}'`, code: `'${mild}'` }]
  if (regex === undefined) return []
  const { pattern, flags } = regex as { pattern: string; flags: string }
  const without = (what: string, rest: string, others = flags): Change => ({
    change: `${short(String(raw))} without ${what}`,
    code: `/${rest || '(?:)'}/${others}`,
  })
  return [
    ...(pattern.startsWith('^') ? [without('^', pattern.slice(1))] : []),
    ...(/(?<!\\)\$$/.test(pattern) ? [without('$', pattern.slice(0, -1))] : []),
    ...(flags.includes('i') ? [without('i', pattern, flags.replace('i', ''))] : []),
  ]
}

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
