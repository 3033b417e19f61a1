/** Replaces every secret. */
export const redacted = '[redacted]'

/** A name that ends so has a secret for its value. */
const always =
  'password|passwd|passphrase|passwort|(?<!existing_?)secret(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?|(?:private|encryption|master|signing|access|account|shared)[_-]?key|client[_-]key[_-]data|bind_?pw|root_?pw|(?<![a-z])(?:pass|pwd|psk|totp)'
/** These name harmless things too, so their values are looked at. */
const sometimes = '(?<!eapi)token|(?:api|auth)[_-]?key|community|credentials?'
export const secretName = `(?:${always}|${sometimes})`
const name = `(?:${always}|(${sometimes}))(?![\\w-])`
/** In shells, YAML, JSON (escaped once, too), query strings. */
const separator = String.raw`(?:\\?["'])?[ \t]{0,20}(?::=|=>|[:=])[ \t]{0,20}`

export const assignmentHint =
  'passw|passphrase|secret|credential|community|pw[\\\\"\' :=]|pass[\\\\"\' :=]|pwd|psk|totp|token|[_-]key|(?:api|auth|private|encryption|master|signing|access|account|shared)key'
const assignment = new RegExp(`${name}(?:(${separator})|(?<=--[\\w-]{2,40})( ))`, 'gi')
const secretKey = new RegExp(`${name}$`, 'i')

/** Where in `text` a value begins that may go on: after a name and its separator. `lead` is what stands before it. */
export const openAssignments: readonly RegExp[] = [
  new RegExp(
    `(?<lead>${name}${separator})(?:\\\\?"[^"\\n]*|\\\\?'[^'\\n]*|[^\\s"'\\\\](?:[^\\n\\s]*[ \\t]+){0,5}[^\\s]*)$`,
    'i',
  ),
  new RegExp(`(?<lead>${name}${separator}[|>][+-]?[ \\t]*)\\r?\\n[^\\n\\r]*$`, 'i'),
  new RegExp(`(?<lead>(?<=--[\\w-]{0,40})${name} )\\S+$`, 'i'),
]

const placeholder =
  /^(?:\$\{?[A-Za-z_]\w*\}?|<[^>]*>|\{\{[^}]*\}\}|[*x•.…]{2,}|%\w|\[redacted\]?|\w+:|\((?:hidden|none)\)|!\w+)$/
/** A file that holds one: `/run/secrets/db`. */
const file = /^\/(?:etc|run|var|root|home|srv|opt|mnt|usr|tmp|data|config|secrets|app)\/[\w./@-]+$/
/** What people write where a secret would stand. */
const words = new Set(
  'a an and are be by changed configured empty expired false file flag for from generated has hidden in incorrect invalid is it its missing must n/a needed never new no none not null of ok on optional or option required see set should the their this to true unchanged undefined unknown unset use used was will with wrong yes you your'.split(
    ' ',
  ),
)
/** A token's own name, as in `ops-laptop`, or a count. */
const label = /^(?:[a-z]{1,12}(?:[-_ .][a-z\d]{1,8}){0,3}|\d{1,6}(?::\d{1,6})?)$/

const isHarmless = (value: string, isSometimes: boolean) =>
  value === '' ||
  placeholder.test(value) ||
  file.test(value) ||
  words.has(value.toLowerCase()) ||
  (isSometimes && label.test(value))

/** Whether `key: value` in structured data gives a secret away. */
export function isSecretKey(key: string, value: string | number): boolean {
  let kind = kinds.get(key)
  if (kind === undefined) {
    const found = secretKey.exec(key)
    kind = found === null ? 'harmless' : found[1] === undefined ? 'always' : 'sometimes'
    if (kinds.size >= mostKinds) kinds.clear()
    if (key.length <= longestKind) kinds.set(key, kind)
  }
  return kind !== 'harmless' && !isHarmless(String(value), kind === 'sometimes')
}

/** Of the keys seen last: the same few come again and again. */
const kinds = new Map<string, 'harmless' | 'always' | 'sometimes'>()
const mostKinds = 1_000
const longestKind = 64

/** Redacts the values of `password=…`, `"token": "…"`, `secret: …`, `--password …`. Linear: it never looks back. */
export function redactAssignments(text: string): string {
  let result = ''
  let copied = 0
  assignment.lastIndex = 0
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    const [begins, ends] = valueAt(text, match.index, assignment.lastIndex, match[2]?.includes(':') === true)
    const value = text.slice(begins, ends)
    // A shell's PWD is a folder.
    if (isHarmless(value, match[1] !== undefined) || /^pwd=\//i.test(text.slice(match.index, begins + 1))) continue
    result += text.slice(copied, begins) + redacted
    copied = ends
    assignment.lastIndex = ends
  }
  return copied === 0 ? text : result + text.slice(copied)
}

const maxValue = 4096
const quoted = /\\?["']/y
const toSpace = /[^\s]{1,4096}/y
const toDelimiter = /[^\s"'`&;,]{1,4096}/y
const inAngles = /<[^<>\n]{0,60}>/y
/** A value that YAML puts on the lines below: how it begins, up to its first line's text. */
const below = /[|>][+-]?[ \t]{0,20}\r?\n[ \t]{1,40}/y
const restOfLine = /[^\n\r]{0,400}/y

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** From where to where a value reaches. */
function valueAt(text: string, nameAt: number, from: number, isColon: boolean): [number, number] {
  const quote = matchAt(quoted, text, from)
  if (quote !== '') {
    const begins = from + quote.length
    let ends = begins
    while (ends < text.length && ends - begins < maxValue && text[ends] !== '\n' && !text.startsWith(quote, ends)) {
      ends += text[ends] === '\\' && quote.length === 1 ? 2 : 1
    }
    return [begins, Math.min(ends, text.length)]
  }
  if (matchAt(inAngles, text, from) !== '') return [from, from]
  const begin = matchAt(below, text, from).length
  if (begin > 0) return [from + begin, from + begin + matchAt(restOfLine, text, from + begin).length]
  if (!isColon) return [from, from + matchAt(toDelimiter, text, from).length]
  const first = matchAt(toSpace, text, from).replace(/[,;)}\]"'`*.]+$/, '')
  const line = matchAt(restOfLine, text, from).trimEnd()
  const isPlainWord = /^[A-Za-z]+$/.test(first)
  const count = line.length >= 400 ? 99 : line.split(/\s+/).length
  // Many words are a sentence about a secret; a few at the start of a line are one.
  if (count === 1 || !isPlainWord) return [from, from + first.length]
  if (count > 5 || words.has(first.toLowerCase()) || !isLineStart(text, nameAt)) return [from, from]
  return [from, from + line.length]
}

/** Nothing but an indent, a list mark and the rest of the name stands before. */
function isLineStart(text: string, nameAt: number): boolean {
  const before = text.slice(Math.max(0, nameAt - 60), nameAt)
  return /(?:^|[\n\r])[ \t]*(?:- )?["'\w.-]*$/.test(before)
}
