import { atOnce, type Steps } from 'node-kit/steps'

/** Replaces every secret. */
export const redacted = '[redacted]'

/** Endings of names whose values are always secret. */
const always =
  'password\\d?|passwd|passphrase|passwort|password_?salt|(?<!existing_?)secret(?:[ _-]?(?:access[ _-]?)?key(?:[_-]?base)?)?|(?:private|encryption|master|signing|access|account|shared|fastopen|installation)[_-]?key|(?<![a-z])skey|client[_-]key[_-]data|bind_?pw|(?<![a-z])cf_key|(?:recovery|scratch|backup)[_-]codes?|root_?pw|(?<![a-z])(?:pass|pwd?|psk|totp)'
/** Endings of names that can also have harmless values, so the value is inspected. */
const sometimes = '(?<!eapi)token|(?:api|auth)[_-]?key|community|credentials?'
export const secretName = `(?:${always}|${sometimes})`
const name = `(?:${always}|(${sometimes}))(?![\\w-])`
/** The characters between a name and its value, in shells, YAML, JSON (also JSON in a JSON string), query strings and PHP. */
const separator = String.raw`(?:\\{0,7}["'])?\]?[ \t]{0,20}(?::=|=>|[:=])[ \t]{0,20}|(?<=define\(["']\w{0,60})["'],[ \t]{0,4}(?=["'])`
/** The characters between an option and its value, the next word. */
const option = String.raw`(?<=(?:--|[ \t]-)[\w-]{2,40})( |[\n\0](?=\S{0,64}\d))`

export const assignmentHint =
  'passw|passphrase|secret|credential|community|pw[\\\\"\' :=]|pass[\\\\"\' :=]|pwd|psk|totp|token|[_-]key|(?:api|auth|private|encryption|master|signing|access|account|shared|installation)key|skey'
const assignment = new RegExp(`${name}(?:(${separator})|${option})`, 'gi')
const secretKey = new RegExp(`${name}$`, 'i')

/** Matches an assignment at the end of `text` whose value may continue. `lead`: the part before the value. */
export const openAssignments: readonly RegExp[] = [
  new RegExp(
    `(?<lead>${name}(?:${separator}))(?:\\\\{0,7}"[^"\\n]*|\\\\{0,7}'[^'\\n]*|[^\\s"'\\\\]\\S*(?:[ \\t]+\\S+){0,5}[ \\t]*)$`,
    'i',
  ),
  new RegExp(`(?<lead>${name}(?:${separator}))(?:"""|''')[\\s\\S]*$`, 'i'),
  // A block value on the following, indented lines.
  new RegExp(
    `(?<lead>${name}(?:${separator})(?:!\\w+ )?[|>][\\d+-]{0,2}[ \\t]*)\\r?\\n(?:(?:[ \\t][^\\n\\r]*)?\\r?\\n)*[^\\n\\r]*$`,
    'i',
  ),
  new RegExp(`(?<lead>${name}\\\\{0,7}["']?[ \\t]{0,20}:[ \\t]{0,20})\\r?(?:\\n[ \\t]*[^\\n\\r]*)?$`, 'i'),
  new RegExp(`(?<lead>(?<=--?[\\w-]{0,40})${name}[ \\n\\0])\\S+$`, 'i'),
]

const placeholder =
  /^(?:\$\{?[A-Za-z_]\w*\}?|<[^>]*>|\{\{[^}]*\}\}|[*x•.…]{2,}|%\w|\[redacted\]?|\w+:|#|~|[|>][\d+-]{0,2}|\\{1,7}|\d{1,3}|\((?:hidden|none)\)|!\w+)$/
/** A path to a file with the secret, such as `/run/secrets/db`. */
const file = /^(?:\w{1,20}:)?\/(?:etc|run|var|root|home|srv|opt|mnt|usr|tmp|data|config|secrets|app)\/[\w./@-]+$/
/** Words that people write instead of a secret, such as `changed` or `none`. */
const words = new Set(
  'a accepted an and are authentication be by changed configured disabled empty enabled expired failed false file flag for from generated has hidden in incorrect invalid is it its missing must n/a needed never new no none not null of ok on optional or option password required see set should the their this to true unchanged undefined unknown unset updated use used valid was will with wrong yes you your'.split(
    ' ',
  ),
)
/** A harmless label such as `ops-laptop`, or a count. */
const label = /^(?:[a-z]{1,12}(?:[-_ .][a-z\d]{1,8}){0,3}|\d{1,6}(?::\d{1,6})?)$/

/** Longest harmless value, characters: nobody writes a longer placeholder. */
const longestHarmless = 4_096
const isHarmless = (value: string, isSometimes: boolean) =>
  value === '' ||
  (value.length <= longestHarmless &&
    (placeholder.test(value) ||
      file.test(value) ||
      words.has(value.toLowerCase()) ||
      (isSometimes && label.test(value))))

/**
 * Tests if a name is that of an environment variable, such as `HASS_TOKEN`. Its value is the token itself, whereas prose and settings often hold a
 * token's name (`token: ops-laptop`).
 */
const isVariable = (name: string, before: string) =>
  /^[A-Z][A-Z\d_]*$/.test(name) && /(?:^|[^A-Za-z])[A-Z\d_]{0,60}$/.test(before)

/** Tests if `key: value` in structured data holds a secret. */
export function isSecretKey(key: string, value: string | number): boolean {
  let kind = kinds.get(key)
  if (kind === undefined) {
    const found = secretKey.exec(key)
    kind = found === null ? 'harmless' : found[1] === undefined || isVariable(key, '') ? 'always' : 'sometimes'
    if (kinds.size >= mostKinds) kinds.clear()
    if (key.length <= longestKind) kinds.set(key, kind)
  }
  return kind !== 'harmless' && !isHarmless(String(value), kind === 'sometimes')
}

/** Cache of the last keys' kinds, because few keys recur often. */
const kinds = new Map<string, 'harmless' | 'always' | 'sometimes'>()
const mostKinds = 1_000
const longestKind = 64

/** Redacts values in `password=…`, `"token": "…"`, `secret: …`, `--password …`. Linear in time. */
export const redactAssignments = (text: string): string => atOnce(redactAssignmentsIn(text))

const assignmentsAStep = 32
export function* redactAssignmentsIn(text: string): Steps<string> {
  let result = ''
  let copied = 0
  let at = 0
  for (let found = 1; ; found += 1) {
    assignment.lastIndex = at
    const match = assignment.exec(text)
    if (match === null) break
    at = assignment.lastIndex
    if (found % assignmentsAStep === 0) yield undefined
    // The shell variable PWD is a folder.
    if (/^pwd=\//i.test(text.slice(match.index, at + 1))) continue
    const isSometimes =
      match[1] !== undefined &&
      !(match[2]?.includes('=') && isVariable(match[1], text.slice(Math.max(0, match.index - 60), match.index)))
    const [begins, ends] = valueAt(text, {
      nameAt: match.index,
      from: at,
      separates: match[2] ?? '',
      isAlways: !isSometimes,
    })
    if (isHarmless(text.slice(begins, ends), isSometimes)) continue
    result += text.slice(copied, begins) + redacted
    copied = ends
    at = ends
  }
  return copied === 0 ? text : result + text.slice(copied)
}

const triple = /("""|''')(?:\r?\n)?/y
const quoted = /(\\{0,7})(["'])/y
/**
 * Matches a value up to white space or a quote that closes the surrounding text. A match has at most 4,096 characters, because a long match of
 * alternatives overflows the engine's stack; `runAt` joins consecutive matches.
 */
const toSpace = /(?:[^\s"'\\]|\\(?!\\{0,7}["'])|["'](?![,}\]\s:\\]|$)){1,4096}/y
const toDelimiter = /(?:[^\s"'`&;,\\]|\\(?!\\{0,7}["'])){1,4096}/y
/** A JSON value that is not a string. */
const toMember = /[^\s"'`&;,[\]{}]*/y
const inAngles = /<[^<>\n]{0,60}>/y
/** YAML tags and anchors before a value. */
const remark = /[!&][\w!./:-]{0,40}[ \t]{1,4}/y
const reference = /!(?:secret|env(?:_var)?|include\w*|ref(?:erence)?|sub|getatt|lambda)\b/iy
/** Start of a YAML block, up to its first line. */
const below = /[|>][\d+-]{0,2}[ \t]{0,20}(?:#[^\n]{0,80})?\r?\n(?:[ \t]{0,40}\r?\n){0,4}/y
const indented = /[ \t]{1,40}(?=\S)/y
const nextLine = /\r?\n[ \t]{0,40}/y
const blankLine = /\r?\n[ \t]*(?=\r?\n)/y
const lineEnd = /\r?\n/y
const restOfLine = /[^\n\r]*/y
const space = /[^\S\n\r]*/y
const oneWord = /\S*/y
/** App passwords of mail services: four groups of four letters. */
const inFours = /[a-z]{4}(?: [a-z]{4}){3}(?!\w)/y

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Returns the joined consecutive matches of a pattern, from `at` on. */
function runAt(pattern: RegExp, text: string, at: number): string {
  let ends = at
  for (let length = -1; length !== 0; ends += length) length = matchAt(pattern, text, ends).length
  return text.slice(at, ends)
}

/** A name in a text, before a value that begins at `from`. `separates`: the text between name and value. */
type Assigned = { nameAt: number; from: number; separates: string; isAlways: boolean }

/** Returns the start and end of a value of any length; an empty range if there is no secret value. */
function valueAt(text: string, { nameAt, from, separates, isAlways }: Assigned): [number, number] {
  const isColon = separates.includes(':')
  if (isColon && matchAt(reference, text, from) !== '') return [from, from]
  const said = from + (isColon ? matchAt(remark, text, from).length : 0)
  const begin = matchAt(below, text, said).length
  if (begin > 0) return blockAt(text, said + begin)
  const line = isColon ? matchAt(nextLine, text, said).length : 0
  const at = said + line
  const three = matchAt(triple, text, at)
  if (three !== '') {
    const ends = text.indexOf(three.slice(0, 3), at + three.length)
    return [at + three.length, ends === -1 ? text.length : ends]
  }
  if (matchAt(quoted, text, at) !== '') return quotedAt(text, at)
  if (line > 0) return isAlways ? alone(text, at) : [from, from]
  if (matchAt(inAngles, text, said) !== '') return [said, said]
  if (/["'][^"']*:/.test(separates)) return [said, said + matchAt(toMember, text, said).length]
  if (!isColon) {
    const value = matchAt(inFours, text, said) || runAt(toDelimiter, text, said)
    return [said, said + value.length]
  }
  return wordsAt(text, nameAt, said)
}

/** Returns the start and end of a quoted value's content. The closing quote must be escaped as often as the opening one. */
function quotedAt(text: string, at: number): [number, number] {
  quoted.lastIndex = at
  const [all = '', slashes = '', mark = ''] = quoted.exec(text) ?? []
  const begins = at + all.length
  let ends = begins
  while (ends < text.length && text[ends] !== '\n') {
    let run = 0
    while (text[ends + run] === '\\') run += 1
    if (text[ends + run] !== mark) ends += Math.max(1, run)
    else if (slashes === '' ? run % 2 === 0 : run <= slashes.length) return [begins, slashes === '' ? ends + run : ends]
    else ends += run + 1
  }
  return [begins, Math.min(ends, text.length)]
}

/** Returns the start and end of a YAML block: all lines that are indented like its first line. */
function blockAt(text: string, from: number): [number, number] {
  const indent = matchAt(indented, text, from)
  if (indent === '') return [from, from]
  const begins = from + indent.length
  let ends = begins + matchAt(restOfLine, text, begins).length
  for (;;) {
    const blank = ends + runAt(blankLine, text, ends).length
    const next = blank + matchAt(lineEnd, text, blank).length
    if (next === blank || !text.startsWith(indent, next)) return [begins, ends]
    ends = next + matchAt(restOfLine, text, next).length
  }
}

/** Returns the start and end of a value that stands alone on the line below its name; an empty range if it looks like an ordinary word. */
function alone(text: string, at: number): [number, number] {
  const said = matchAt(restOfLine, text, at).trimEnd()
  const isOne = /^(?=\S*\d)(?=\S*[A-Za-z])[^\s#{[<|>&*!%@`:=-][^\s:=]{5,}$/.test(said)
  return isOne ? [at, at + said.length] : [at, at]
}

/** Maximum number of words in a passphrase. */
const mostWords = 5
function wordsAt(text: string, nameAt: number, from: number): [number, number] {
  const first = runAt(toSpace, text, from).replace(/(?<![,;)}\]"'`*.])[,;)}\]"'`*.]+$/, '')
  const isPlainWord = /^[A-Za-z]+$/.test(first)
  let count = 0
  let ends = from
  for (let at = from; count <= mostWords; count += 1) {
    at += matchAt(space, text, at).length
    const word = matchAt(oneWord, text, at)
    if (word === '') break
    at += word.length
    ends = at
  }
  // More words are taken for a sentence about a secret. Few words are a passphrase if the name begins the line.
  if (count <= 1 || !isPlainWord) return [from, from + first.length]
  if (count > mostWords || words.has(first.toLowerCase()) || !isLineStart(text, nameAt)) return [from, from]
  return [from, ends]
}

/** Tests if nothing but an indent, a list mark or the beginning of the name stands before `nameAt` on its line. */
function isLineStart(text: string, nameAt: number): boolean {
  const before = text.slice(Math.max(0, nameAt - 60), nameAt)
  return /(?:^|[\n\r])[ \t]*(?:- )?["'\w.-]*$/.test(before)
}
