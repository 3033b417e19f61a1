import { misfit } from './ssh-grammar.ts'
import { programs } from './ssh-programs.ts'
import { refusedPrograms } from './ssh-refused.ts'

export type Parsed = { ok: true; argv: string[] } | { ok: false; reason: string }
export type CommandVerdict = { verdict: 'read_only'; argv: string[] } | { verdict: 'refused'; reason: string }

const maxBytes = 4096
const onlyReads = 'Over SSH only commands proven to read may run.'

/** What a shell would act upon when it stands outside quotes, and what it does there. */
const meta = new Map<string, string>([
  [';', 'joins commands'],
  ['&', 'joins commands or leaves one running'],
  ['|', 'feeds one command into another'],
  ['<', 'reads from a file'],
  ['>', 'writes to a file'],
  ['(', 'starts a subshell'],
  [')', 'ends a subshell'],
  ['$', 'expands to something else'],
  ['`', 'runs a command'],
  ['\\', 'hides the next character'],
  ...[...'*?[]{}~!#'].map((sign): [string, string] => [sign, 'is changed by a shell']),
])

/** Controls, invisible and direction-changing characters, lone surrogates: never, not even in quotes. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u

/**
 * Splits a command into words: plain words, 'single quotes', and "double quotes" in which only `\"` and `\\` are
 * special. All else that a shell would act upon is refused, so the words mean the same to every reader. Linear time.
 */
export function parseCommand(command: string): Parsed {
  const refuse = (reason: string): Parsed => ({ ok: false, reason })
  if (command.length > maxBytes || Buffer.byteLength(command) > maxBytes) return refuse('The command is over 4 kB.')
  const odd = unprintable.exec(command)
  if (odd !== null) {
    const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return refuse(`The command holds U+${code}, a character that does not show or breaks the line.`)
  }
  const argv: string[] = []
  let word: string | undefined
  let quote = ''
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
    } else if (sign === ' ') {
      if (word !== undefined) argv.push(word)
      word = undefined
    } else if (sign === "'" || sign === '"') {
      quote = sign
      word ??= ''
    } else {
      const does = meta.get(sign)
      if (does !== undefined) return refuse(`${sign} ${does}. One plain command; quote it if it is meant as text.`)
      if (sign > '~') return refuse('Letters beyond ASCII must stand in quotes.')
      word = (word ?? '') + sign
    }
  }
  if (quote !== '') return refuse('A quote is not closed.')
  if (word !== undefined) argv.push(word)
  if (argv[0] === undefined || argv[0] === '') return refuse('The command is empty.')
  if (/^\w+\+?=/.test(argv[0])) return refuse('A variable set before the command can change what it does.')
  return { ok: true, argv }
}

/** Read-only is what the grammar of its program proves to be; anything unknown is refused, with the part that is. */
export function judgeCommand(command: string): CommandVerdict {
  const parsed = parseCommand(command)
  if (!parsed.ok) return { verdict: 'refused', reason: parsed.reason }
  const [program = '', ...words] = parsed.argv
  const grammar = programs.get(program)
  if (grammar === undefined) return { verdict: 'refused', reason: `${describeProgram(program)} ${onlyReads}` }
  const reason = misfit(program, grammar, words)
  return reason === undefined ? { verdict: 'read_only', argv: parsed.argv } : { verdict: 'refused', reason }
}

function describeProgram(program: string): string {
  if (program.includes('/')) return `${program.slice(0, 80)} is a path; name the program alone.`
  const does = refusedPrograms.get(program)
  return does === undefined ? `${program.slice(0, 80)} is not a program known to read only.` : `${program} ${does}.`
}

/** The command line of a pipe, or of one program. @throws RangeError as `quote` does. */
export const quotePipe = (stages: readonly (readonly string[])[]): string => stages.map(quote).join(' | ')

/** One command line that any POSIX shell splits into exactly `argv`. @throws RangeError for a NUL, which no argv can hold. */
export function quote(argv: readonly string[]): string {
  return argv
    .map((word) => {
      if (word.includes('\0')) throw new RangeError('A word holds a NUL')
      return /^[\w/:.,+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
    })
    .join(' ')
}
