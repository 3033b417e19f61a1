/** A regular expression as a tree. `set` is what matches one character, as its source. */
export type Expression =
  | { type: 'set'; source: string }
  | { type: 'sequence'; items: Expression[] }
  | { type: 'choice'; options: Expression[] }
  | { type: 'repeat'; body: Expression; min: number; max: number }
  | { type: 'look'; body: Expression; isAhead: boolean; isNegative: boolean }
  | { type: 'edge'; kind: '^' | '$' | 'b' | 'B' }
  /** A reference to a group that was closed before, with a copy of the group. */
  | { type: 'copy'; body: Expression }

const quantifier = /\{(\d+)(,(\d*))?\}|[*+?]/y
const oneEscape = /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|0|[\s\S])/y
const group = /\((?:\?(?:(<?[=!])|<([A-Za-z_]\w*)>|[a-z-]*:))?/y

/** Parses the source of an expression that the engine has accepted. @throws Error where it uses syntax that this parser does not know */
export function parse(source: string): Expression {
  const groups = new Map<string, Expression>()
  let count = 0
  let at = 0

  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(source)
    if (match !== null) at = pattern.lastIndex
    return match
  }

  function choice(): Expression {
    const options = [sequence()]
    for (; source[at] === '|'; ) {
      at += 1
      options.push(sequence())
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { type: 'choice', options }
  }

  function sequence(): Expression {
    const items: Expression[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') items.push(repeated(atom()))
    return { type: 'sequence', items }
  }

  function repeated(body: Expression): Expression {
    const match = take(quantifier)
    if (match === null) return body
    if (source[at] === '?') at += 1
    const [sign, least, comma, most] = match
    const min = least === undefined ? (sign === '+' ? 1 : 0) : Number(least)
    const isOpen = least === undefined ? sign !== '?' : comma !== undefined && most === ''
    const max = isOpen ? Number.POSITIVE_INFINITY : least === undefined ? 1 : comma === undefined ? min : Number(most)
    return { type: 'repeat', body, min, max }
  }

  function atom(): Expression {
    const sign = source[at]
    if (sign === '(') return inGroup()
    if (sign === '[') return { type: 'set', source: characterClass() }
    if (sign === '^' || sign === '$') {
      at += 1
      return { type: 'edge', kind: sign }
    }
    if (sign === '\\') return escaped()
    const char = String.fromCodePoint(source.codePointAt(at) ?? 0)
    at += char.length
    return { type: 'set', source: /[{}\]/]/.test(char) ? `\\${char}` : char }
  }

  function escaped(): Expression {
    const next = source[at + 1] ?? ''
    if (next === 'b' || next === 'B') {
      at += 2
      return { type: 'edge', kind: next }
    }
    const reference = take(/\\(?:([1-9]\d*)|k<(\w+)>)/y)
    if (reference === null) return { type: 'set', source: take(oneEscape)?.[0] ?? '' }
    const body = groups.get(reference[1] ?? reference[2] ?? '')
    if (body === undefined) throw new Error(`A reference to an open group in ${source}`)
    return { type: 'copy', body }
  }

  function characterClass(): string {
    const from = at
    for (at += 1; source[at] !== ']'; at += 1) if (source[at] === '\\') at += 1
    at += 1
    return source.slice(from, at)
  }

  function inGroup(): Expression {
    const [opened = '', look, name] = take(group) ?? []
    const number = opened === '(' || name !== undefined ? `${++count}` : undefined
    const body = choice()
    if (source[at] !== ')') throw new Error(`An open group in ${source}`)
    at += 1
    if (number !== undefined) groups.set(number, body)
    if (name !== undefined) groups.set(name, body)
    if (look === undefined) return body
    return { type: 'look', body, isAhead: !look.startsWith('<'), isNegative: look.endsWith('!') }
  }

  const whole = choice()
  if (at !== source.length) throw new Error(`Cannot parse ${source} from ${at}`)
  return whole
}
