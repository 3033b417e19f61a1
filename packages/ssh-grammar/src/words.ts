/** The words of each program in a pipe, in order. */
export type Stages = string[][]
/** `patterns`: indexes of the first program's words that are paths with unquoted `*` or `?`. */
export type Parsed = { ok: true; stages: Stages; patterns?: number[] } | { ok: false; reason: string }

const maxBytes = 4096
const maxStages = 8
const maxWords = 128

/** Characters that have a meaning for a shell outside quotes, and their meaning in words. */
const meta = new Map<string, string>([
  [';', 'joins commands'],
  ['&', 'joins commands or leaves one running'],
  ['<', 'reads from a file'],
  ['>', 'writes to a file'],
  ['(', 'starts a subshell'],
  [')', 'ends a subshell'],
  ['$', 'expands to something else'],
  ['`', 'runs a command'],
  ['\\', 'hides the next character'],
  ...[...'*?[]{}~!#'].map((sign): [string, string] => [sign, 'is changed by a shell']),
])

/** Matches `2>&1` and `2>/dev/null`, the only redirections that write no file. */
const errorsAside = /^2>(?:&1| ?\/dev\/null)(?=[ |]|$)/
/** Matches the folders of the system's programs, to which only root can write. */
const systemFolder = /^\/(?:usr\/)?s?bin\/(?=[\w.+-]+$)/

const bothSides = 'A pipe needs a command on both sides.'
const oneCommand = 'One command, or a pipe of plain ones; quote it if it is meant as text.'

const plainText = /^[ -~]*$/
/** Control characters, invisible and direction-changing characters, lone surrogates: refused even in quotes. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u

/**
 * Splits a command into stages at `|`, and each stage into words: plain words, 'single quotes', and "double quotes" in which only `\"` and `\\` are
 * special. `*` and `?` stay in paths of the first program and are expanded later. `2>&1` and `2>/dev/null` are removed. A program with the path of a
 * system folder loses the path. Everything else that has a meaning for a shell is refused, so that every shell reads the same words. Linear in time.
 */
export function parseCommand(command: string): Parsed {
  const refuse = (reason: string): Parsed => ({ ok: false, reason })
  if (command.length > maxBytes || Buffer.byteLength(command) > maxBytes) return refuse('The command is over 4 kB.')
  const odd = plainText.test(command) ? null : unprintable.exec(command)
  if (odd !== null) {
    const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return refuse(`The command holds U+${code}, a character that does not show or breaks the line.`)
  }
  const stages: Stages = []
  let argv: string[] = []
  let word: string | undefined
  let quote = ''
  const patterns: number[] = []
  let hasQuotes = false
  let isPattern = false
  const endWord = () => {
    if (isPattern) patterns.push(argv.length)
    if (word !== undefined) argv.push(word)
    word = undefined
    hasQuotes = false
    isPattern = false
  }
  for (let at = 0; at < command.length; at += 1) {
    const sign = command.charAt(at)
    if (quote === "'") {
      if (sign === "'") quote = ''
      else word += sign
    } else if (quote === '"') {
      const next = command.charAt(at + 1)
      if (sign === '"') quote = ''
      else if (sign === '$' || sign === '`') return refuse(`${sign} inside double quotes expands; use single quotes.`)
      else if (sign === '\\' && (next === '"' || next === '\\')) {
        word += next
        at += 1
      } else if (sign === '\\' && (next === '$' || next === '`')) return refuse(`Write ${next} in single quotes.`)
      else word += sign
    } else if (sign === '2' && word === undefined && argv.length > 0 && errorsAside.test(command.slice(at, at + 20))) {
      // The redirection is dropped, because standard error is returned beside the output in any case.
      at += (errorsAside.exec(command.slice(at, at + 20))?.[0].length ?? 1) - 1
    } else if (sign === ' ') {
      endWord()
    } else if ((sign === '*' || sign === '?') && stages.length === 0 && argv.length > 0 && isPath(word) && !hasQuotes) {
      word += sign
      isPattern = true
    } else if (sign === "'" || sign === '"') {
      if (isPattern) return refuse('A pattern in a path stands without quotes.')
      hasQuotes = true
      quote = sign
      word ??= ''
    } else if (sign === '|') {
      const next = command.charAt(at + 1)
      if (next === '|' || next === '&') return refuse(`|${next} joins commands. ${oneCommand}`)
      endWord()
      if (argv.length === 0) return refuse(bothSides)
      stages.push(argv)
      argv = []
    } else {
      const does = meta.get(sign)
      if (does !== undefined) return refuse(`${sign} ${does}. ${oneCommand}`)
      if (sign > '~') return refuse('Letters beyond ASCII must stand in quotes.')
      word = (word ?? '') + sign
    }
  }
  if (quote !== '') return refuse('A quote is not closed.')
  endWord()
  if (argv.length === 0) return refuse(stages.length === 0 ? 'The command is empty.' : bothSides)
  stages.push(argv)
  for (const stage of stages) stage[0] = stage[0]?.replace(systemFolder, '') ?? ''
  const problem = oddStages(stages)
  if (problem !== undefined) return refuse(problem)
  return patterns.length === 0 ? { ok: true, stages } : { ok: true, stages, patterns }
}

const isPath = (word: string | undefined) => word?.startsWith('/') === true

function oddStages(stages: Stages): string | undefined {
  if (stages.length > maxStages) return `At most ${maxStages} programs in a pipe.`
  if (stages.reduce((sum, { length }) => sum + length, 0) > maxWords) return `At most ${maxWords} words.`
  for (const [program = ''] of stages) {
    if (program === '') return 'An empty word is no program.'
    if (/^\w+\+?=/.test(program)) return 'A variable set before the command can change what it does.'
  }
  return undefined
}

/** Returns the command line of a pipe or a single program. @throws RangeError as `quote` does */
export const quotePipe = (stages: readonly (readonly string[])[]): string => stages.map(quote).join(' | ')

/** Returns a command line that every POSIX shell and fish split into exactly `argv`. @throws RangeError for a NUL, which no argument can contain */
export function quote(argv: readonly string[]): string {
  return argv
    .map((word, index) => {
      if (word.includes('\0')) throw new RangeError('A word holds a NUL')
      const isPlain = /^[\w/:.,+@%-]+$/.test(word) && (index > 0 || !reserved.has(word))
      return isPlain ? word : `'${word.replace(/['\\]/g, inDoubleQuotes)}'`
    })
    .join(' ')
}

/** Quotes a quote sign or a backslash. In fish a backslash is special in single quotes too; in double quotes all shells agree. */
const inDoubleQuotes = (sign: string) => (sign === '\\' ? `'"\\\\"'` : `'"'"'`)

/** Words that a shell reads as keywords where a program is expected. */
const reserved = new Set(
  'case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
)
