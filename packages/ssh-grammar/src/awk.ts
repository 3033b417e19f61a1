import { contentReason } from './secret-paths.ts'

/**
 * Token kinds of an awk program, one letter each. A `/` always begins a regular expression, because division is not allowed. In awk, a slash inside
 * brackets does not end the expression, so this grammar requires brackets to close before the next slash.
 */
const parts: readonly [string, RegExp][] = [
  ['', /\s+/y],
  ['f', /\$(?:\d{1,3}|NF|\(NF-\d\))(?!\w)/y],
  ['s', /"(?:[^"\\]|\\[tn])*"/y],
  ['r', /\/(?:\[\^?(?:\[:[a-z]+:\]|[^\][/\\^])+\]|[^\][/\\]|\\[^/])+\//y],
  ['n', /\d{1,9}(?:\.\d{1,9})?(?![\w.])/y],
  ['v', /(?:NR|NF)(?!\w)/y],
  ['p', /print(?!\w)/y],
  // The format is part of the token, because a width of three digits or more, or a width taken from a column, could fill the memory.
  ['P', /printf\s*"(?:[^"\\%]|\\[tn]|%(?:%|(?:[-+ ]\d{0,2}|0\d{0,2}|[1-9]\d?)?(?:\.\d{1,2})?[sdifgeu]))*"/y],
  ['E', /END(?!\w)/y],
  ['x', /(?:c|count|n|s|sum|t|total|x)(?!\w)/y],
  ['a', /\+=/y],
  ['m', /!?~/y],
  ['o', /[=!<>]=|[<>]/y],
  ['j', /&&|\|\|/y],
  ['', /;(?=\s*\})/y],
  ['!', /!/y],
  ['{', /\{/y],
  ['}', /\}/y],
  [',', /,/y],
]

const test = '!?(?:r|[fv]m[r]|[fv]o[fvns]|[fv])'
const tests = `${test}(?:j${test})*`
/** Allowed programs: `NR>1 && $3 ~ /x/ {print $1, $2}`, or the sum of a column; no calls, files or environment variables. */
const program = new RegExp(
  `^(?:${tests}|(?:${tests})?\\{(?:p(?:[fvs](?:,?[fvs])*)?|P(?:,[fvs])*)\\}|(?:${tests})?\\{xaf\\}E\\{(?:ps?,?x|P,x)\\})$`,
)
const separator = /^(?:[^\\]{1,20}|\\[t|])$/

/** Number of words before the program: `-F:`, or `-F` and its value. */
const optionWords = ([first = '']: readonly string[]) => (first === '-F' ? 2 : first.startsWith('-F') ? 1 : 0)

/** Indexes of the file operands of a judged awk command. */
export const awkFilesAt = (words: readonly string[]): number[] =>
  Array.from(words, (_word, at) => at).slice(optionWords(words) + 1)

/** Judges awk. A program with one test and one `print` of columns is proven to read only. */
const judgeAwk = (readsFiles: boolean) => (words: readonly string[]) => {
  const [first = '', second = ''] = words
  const attached = first.startsWith('-F') && first !== '-F'
  const rest = words.slice(optionWords(words))
  if (first.startsWith('-F') && !separator.test(attached ? first.slice(2) : second))
    return 'awk -F: not a plain separator.'
  const [script, ...files] = rest
  if (script === undefined || script.startsWith('-')) return 'awk may be given only -F, a program and files.'
  const letters = lettersOf(script)
  if (letters === undefined || !program.test(letters))
    return 'awk runs programs and writes files; only a test and a print of columns, such as {print $1}, are known to read only.'
  if (!readsFiles)
    return files[0] === undefined ? undefined : `After a pipe, awk reads no file such as ${clip(files[0])}.`
  if (files.length === 0) return 'awk needs a file.'
  const setting = files.find((file) => file.includes('='))
  if (setting !== undefined) return `awk: ${clip(setting)} would set a variable.`
  const socket = files.find((file) => file.startsWith('/inet'))
  if (socket !== undefined) return `awk: ${clip(socket)} would open a connection.`
  return files.map(contentReason).find((problem) => problem !== undefined)
}

const clip = (word: string) => word.slice(0, 80)

function lettersOf(script: string): string | undefined {
  let letters = ''
  for (let at = 0; at < script.length; ) {
    const found = parts.find(([, pattern]) => {
      pattern.lastIndex = at
      return pattern.test(script)
    })
    if (found === undefined) return undefined
    letters += found[0]
    at = found[1].lastIndex
  }
  return letters
}

export const awkFiles = { judge: judgeAwk(true) }
export const awkPipe = { judge: judgeAwk(false) }
