/** A reference to a value in a runbook: an input, the output of an earlier step, `result` in a check, or `item` in a repeated step. */
export type Ref = { name: string; path: readonly Part[] }
/**
 * A part of a reference’s path: a key; for a list an index, `length` or `last`; or the first item of a list whose key has this value, as in
 * `guests(vmid=104)`.
 */
export type Part = { key: string } | { where: { key: string; value: Operand } }
export type Operand = { value: Scalar } | { ref: Ref }
export type Scalar = string | number | boolean | null
export const operators = ['=', '!=', '<=', '>=', '<', '>', 'contains'] as const
type Operator = (typeof operators)[number]
export type Test = { left: Ref; op: Operator; right: Operand }
/** A condition holds if all its tests hold. The operand `none` means that the value is absent. */
export type Condition = readonly Test[]
/** Values by name. */
export type Scope = ReadonlyMap<string, unknown>

/** A text that is not a valid expression. `at`: the position of the fault in the text, from 0. */
export class ExpressionFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}
/** Thrown for a value that is not known. A value that is not known is neither absent nor false. */
export class NotKnown extends Error {}

/**
 * Parses the reference that begins at `from`. @returns the reference and the index after it. @throws ExpressionFault if the `$` does not begin a
 * reference
 */
export function readRef(text: string, from: number): { ref: Ref; end: number } {
  const head = /\$([A-Za-z_]\w*)/y
  head.lastIndex = from
  const name = head.exec(text)?.[1]
  if (name === undefined) throw new ExpressionFault('A value is named like $node or $top.guests.0.vmid.', from)
  let end = head.lastIndex
  const path: Part[] = []
  for (;;) {
    const key = /\.([A-Za-z_][\w-]*|\d+)/y
    key.lastIndex = end
    const found = key.exec(text)?.[1]
    if (found !== undefined) {
      path.push({ key: found })
      end = key.lastIndex
      continue
    }
    if (text[end] !== '(') return { ref: { name, path }, end }
    const where = /\(([A-Za-z_][\w-]*)=/y
    where.lastIndex = end
    const by = where.exec(text)?.[1]
    if (by === undefined) throw new ExpressionFault('An item of a list is named like guests(vmid=104).', end)
    const operand = readOperand(text, where.lastIndex, /[^\s()"']+/y)
    if (text[operand.end] !== ')') throw new ExpressionFault('The bracket ) is missing.', operand.end)
    path.push({ where: { key: by, value: operand.value } })
    end = operand.end + 1
  }
}

function readOperand(text: string, from: number, bare: RegExp): { value: Operand; end: number } {
  if (text[from] === '$') {
    const { ref, end } = readRef(text, from)
    return { value: { ref }, end }
  }
  const quoted = /"([^"]*)"|'([^']*)'/y
  quoted.lastIndex = from
  const inQuotes = quoted.exec(text)
  if (inQuotes !== null) return { value: { value: inQuotes[1] ?? inQuotes[2] ?? '' }, end: quoted.lastIndex }
  bare.lastIndex = from
  const word = bare.exec(text)?.[0].trimEnd()
  if (word === undefined || word === '') throw new ExpressionFault('A value is missing here.', from)
  return { value: { value: plain(word) }, end: from + word.length }
}

function plain(word: string): Scalar {
  if (word === 'none') return null
  if (word === 'true' || word === 'false') return word === 'true'
  return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : word
}

/** Reads `$config.hostpci0 = none and $top.0.cpu > 80`. @throws ExpressionFault */
export function readCondition(text: string): Condition {
  const tests: Test[] = []
  let at = skipSpace(text, 0)
  for (;;) {
    const { ref: left, end } = readRef(text, at)
    const from = skipSpace(text, end)
    const op = operators.find((each) => text.startsWith(each, from))
    if (op === undefined) throw new ExpressionFault(`A comparison is missing here: ${operators.join(' ')}.`, from)
    const { value: right, end: after } = readOperand(
      text,
      skipSpace(text, from + op.length),
      /\S[^"']*?(?=(?<!\s)\s+and\s|$)/y,
    )
    tests.push({ left, op, right })
    at = skipSpace(text, after)
    if (at >= text.length) return tests
    if (!/^and\s/.test(text.slice(at))) throw new ExpressionFault('Only `and` joins two comparisons.', at)
    at = skipSpace(text, at + 3)
  }
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (/\s/.test(text[next] ?? '')) next += 1
  return next
}

/** The references of a condition, on both sides of its comparisons. */
export const refsOfCondition = (condition: Condition): Ref[] =>
  condition.flatMap(({ left, right }) => [left, ...inPath(left), ...('ref' in right ? withinRef(right.ref) : [])])
const inPath = ({ path }: Ref): Ref[] =>
  path.flatMap((part) => ('where' in part && 'ref' in part.where.value ? withinRef(part.where.value.ref) : []))
const withinRef = (ref: Ref): Ref[] => [ref, ...inPath(ref)]

/**
 * An argument’s text, split into pieces. `$top.0.vmid` as the whole text is one reference; `${node}` is a reference inside a text; `$$` is a dollar
 * sign.
 */
export type Template = readonly ({ text: string } | { ref: Ref; at: number })[]

/** Parses an argument’s text. @throws ExpressionFault */
export function readTemplate(text: string): Template {
  if (/^\$[A-Za-z_]\S*$/.test(text)) {
    const { ref, end } = readRef(text, 0)
    if (end !== text.length) throw new ExpressionFault('This is no name of a value; write $$ for a dollar sign.', end)
    return [{ ref, at: 0 }]
  }
  const pieces: ({ text: string } | { ref: Ref; at: number })[] = []
  let plainText = ''
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('$$', at)) {
      plainText += '$'
      at += 2
    } else if (text.startsWith('${', at)) {
      const name = `$${text.slice(at + 2)}`
      const { ref, end } = readRef(name, 0)
      if (name[end] !== '}') throw new ExpressionFault('The bracket } is missing.', at + end + 1)
      if (plainText !== '') pieces.push({ text: plainText })
      plainText = ''
      pieces.push({ ref, at })
      at += end + 2
    } else {
      plainText += text[at]
      at += 1
    }
  }
  return plainText === '' ? pieces : [...pieces, { text: plainText }]
}

export const refsOfTemplate = (template: Template): { ref: Ref; at: number }[] =>
  template.flatMap((piece) => ('ref' in piece ? withinRef(piece.ref).map((ref) => ({ ref, at: piece.at })) : []))

export const wordsOfRef = ({ name, path }: Ref): string =>
  `$${name}${path.map((part) => ('key' in part ? `.${part.key}` : `(${part.where.key}=${wordsOf(part.where.value)})`)).join('')}`
export const wordsOf = (operand: Operand): string => ('ref' in operand ? wordsOfRef(operand.ref) : said(operand.value))
const said = (value: Scalar) => (value === null ? 'none' : String(value))

/** Keys that name an item: `guests(vmid=104)` is guest 104. */
const names: ReadonlySet<string> = new Set(['vmid', 'name', 'id', 'node', 'storage', 'device', 'job'])

/** Names a value for a person: `status of guest 104`. An item of a list is named without the output that has the list. */
export function placeOfRef({ name, path }: Ref): string {
  const hasItem = path.some((part) => 'where' in part)
  const words = name === 'result' || hasItem ? [] : [name]
  for (const [at, part] of path.entries()) {
    const before = path[at - 1]
    const after = path[at + 1]
    if ('where' in part) {
      const list = before !== undefined && 'key' in before ? before.key : name
      const { key, value } = part.where
      words.push(`${list.replace(/s$/, '')} ${names.has(key) ? '' : `with ${key} `}${wordsOf(value)}`)
    } else if (after === undefined || 'key' in after) words.push(keyWords(part.key))
  }
  return words.length === 0 ? 'the answer' : words.reverse().join(' of ')
}

const keyWords = (key: string) =>
  key === 'length' ? 'number' : key === 'last' ? 'last item' : /^\d+$/.test(key) ? `item ${Number(key) + 1}` : key

const operatorWords: Record<Operator, string> = {
  '=': 'is',
  '!=': 'is not',
  '<=': 'is at most',
  '>=': 'is at least',
  '<': 'is below',
  '>': 'is above',
  contains: 'contains',
}

/** Formats a condition as words for a person: `status of guest 104 is running`. */
export const wordsOfCondition = (condition: Condition): string =>
  condition
    .map(({ left, op, right }) => {
      const isOfNone = 'value' in right && right.value === null && (op === '=' || op === '!=')
      if (isOfNone) return `${placeOfRef(left)} is ${op === '=' ? 'not there' : 'there'}`
      return `${placeOfRef(left)} ${operatorWords[op]} ${'ref' in right ? placeOfRef(right.ref) : said(right.value)}`
    })
    .join(' and ')

/** @returns the value of a reference; undefined if the value is absent. @throws NotKnown if a part of it is not known */
export function resolved(ref: Ref, scope: Scope): unknown {
  if (!scope.has(ref.name)) throw new NotKnown(`${wordsOfRef(ref)} is not known.`)
  let value = scope.get(ref.name)
  for (const part of ref.path) {
    if (value === null) throw new NotKnown(`${wordsOfRef(ref)} is not known.`)
    value = 'key' in part ? keyOf(value, part.key) : itemOf(value, part.where, scope)
  }
  if (value === null) throw new NotKnown(`${wordsOfRef(ref)} is not known.`)
  return value
}

function keyOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return key === 'length' ? value.length : key === 'last' ? value.at(-1) : value[Number(key)]
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}

function itemOf(value: unknown, { key, value: wanted }: { key: string; value: Operand }, scope: Scope): unknown {
  if (!Array.isArray(value)) return undefined
  const right = 'ref' in wanted ? resolved(wanted.ref, scope) : wanted.value
  return value.find((item) => isSame(keyOf(item, key), right))
}

const isSame = (one: unknown, other: unknown) =>
  typeof one === 'object' || typeof other === 'object' ? one === other : String(one) === String(other)

/** True if all tests of a condition hold. @throws NotKnown if a compared value is not known, because the condition is then neither true nor false */
export const holds = (condition: Condition, scope: Scope): boolean => condition.every((test) => isTrue(test, scope))

function isTrue({ left, op, right }: Test, scope: Scope): boolean {
  const one = resolved(left, scope)
  const other = 'ref' in right ? resolved(right.ref, scope) : (right.value ?? undefined)
  if (one === undefined && op !== '=' && op !== '!=') throw new NotKnown(`${wordsOfRef(left)} is not there.`)
  if (op === '=' || op === '!=')
    return (one === undefined || other === undefined ? one === other : isSame(one, other)) === (op === '=')
  if (one === undefined || other === undefined) throw new NotKnown(`${wordsOfRef(left)} is not there.`)
  switch (op) {
    case 'contains':
      return Array.isArray(one) ? one.some((item) => isSame(item, other)) : String(one).includes(String(other))
    default: {
      if (typeof one !== 'number' || typeof other !== 'number')
        throw new NotKnown(`${wordsOfRef(left)} is no number, so it cannot be compared by ${op}.`)
      return op === '<' ? one < other : op === '>' ? one > other : op === '<=' ? one <= other : one >= other
    }
  }
}

/** Fills in all values of a condition except those of `result`. @throws NotKnown */
export const filledCondition = (condition: Condition, scope: Scope): Condition =>
  withOperands(condition, (operand) => filledOperand(operand, scope))
/** Fills in the single values of a condition that was evaluated, for its words. Longer values are cut. */
export const spokenCondition = (condition: Condition, scope: Scope): Condition =>
  withOperands(condition, (operand) => {
    const value = 'ref' in operand ? resolved(operand.ref, scope) : operand.value
    if (typeof value === 'object') return operand
    return { value: typeof value === 'string' ? value.slice(0, 100) : ((value ?? null) as Scalar) }
  })
type Fill = (operand: Operand) => Operand
const withOperands = (condition: Condition, fill: Fill): Condition =>
  condition.map(({ left, op, right }) => ({ left: filledRef(left, fill), op, right: fill(right) }))
const filledRef = ({ name, path }: Ref, fill: Fill): Ref => ({
  name,
  path: path.map((part) => ('key' in part ? part : { where: { key: part.where.key, value: fill(part.where.value) } })),
})
function filledOperand(operand: Operand, scope: Scope): Operand {
  if (!('ref' in operand) || operand.ref.name === 'result') return operand
  const value = resolved(operand.ref, scope)
  if (value !== undefined && typeof value === 'object') throw new NotKnown(`${wordsOf(operand)} is no single value.`)
  return { value: (value ?? null) as Scalar }
}

/** Fills in a template. If the template is one reference, the value keeps its type; otherwise the outcome is text. @throws NotKnown */
export function filled(template: Template, scope: Scope): unknown {
  const [only] = template
  if (template.length === 1 && only !== undefined && 'ref' in only && only.at === 0) return resolved(only.ref, scope)
  return template
    .map((piece) => {
      if ('text' in piece) return piece.text
      const value = resolved(piece.ref, scope)
      if (value === undefined || typeof value === 'object')
        throw new NotKnown(`${wordsOfRef(piece.ref)} is no single value.`)
      return String(value)
    })
    .join('')
}
