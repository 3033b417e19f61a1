import { judgeChange } from './changes.ts'
import { type Grammar, misfit } from './grammar.ts'
import { patternReason, samplePath } from './path-patterns.ts'
import { filters, programs } from './programs/index.ts'
import { textPrograms } from './programs/text.ts'
import { refusedPrograms } from './refused.ts'
import { contentReason, sweepReason } from './secret-paths.ts'
import { parseCommand, type Stages } from './words.ts'

export { type Part, type Reading, readingOf, searchedLines } from './reading.ts'
export { parseCommand, quote, quotePipe, type Stages } from './words.ts'

export type CommandVerdict =
  /** `patterns`: indexes of words of the first program that are path patterns. `withPaths` replaces them by paths. */
  | { verdict: 'read_only'; stages: Stages; patterns?: readonly number[] }
  /** A common, bounded change that a person may be asked about. `service`: the unit or container that it affects. */
  | { verdict: 'change'; stages: Stages; does: string; service?: string }
  | { verdict: 'refused'; reason: string }

const onlyReads = 'Over SSH only commands proven to read may run.'

let last: { command: string; judged: CommandVerdict } | undefined

/**
 * Judges a command. It is read-only if the grammar of each program proves that, and a change if it is on a short list. Everything else is refused,
 * and the reason names the unknown part.
 */
export function judgeCommand(command: string): CommandVerdict {
  // The last result is reused, because all rules of a verdict ask about the same command.
  if (last?.command !== command) last = { command, judged: judge(command) }
  return last.judged
}

function judge(command: string): CommandVerdict {
  const parsed = parseCommand(command)
  if (!parsed.ok) return { verdict: 'refused', reason: parsed.reason }
  const { stages, patterns } = parsed
  if (patterns !== undefined) return judgePatterns(stages, patterns)
  const change = stages.length === 1 ? judgeChange(stages[0] ?? []) : undefined
  if (change !== undefined) {
    return change.ok ? { verdict: 'change', stages, ...change.change } : { verdict: 'refused', reason: change.reason }
  }
  const reason = unread(stages)
  return reason === undefined ? { verdict: 'read_only', stages } : { verdict: 'refused', reason }
}

/** Returns why stages are not proven to read only; undefined: they are. */
const unread = (stages: Stages): string | undefined =>
  stages
    .map((argv, index) => (index === 0 ? unproven(argv, programs, onlyReads) : unproven(argv, filters, afterPipe)))
    .find((reason) => reason !== undefined)

/** Judges path patterns by a sample path. Each real path is judged again when the pattern is expanded. */
function judgePatterns(stages: Stages, patterns: readonly number[]): CommandVerdict {
  const [first = []] = stages
  const problem = patterns
    .map((at) => patternReason(first[0] ?? '', first[at] ?? ''))
    .find((reason) => reason !== undefined)
  const reason = problem ?? unread(put(stages, patterns, (word) => [samplePath(word)]))
  return reason === undefined ? { verdict: 'read_only', stages, patterns } : { verdict: 'refused', reason }
}

const put = (
  [first = [], ...others]: Stages,
  patterns: readonly number[],
  paths: (pattern: string) => readonly string[],
): Stages => [first.flatMap((word, at) => (patterns.includes(at) ? paths(word) : [word])), ...others]

/**
 * Replaces patterns by paths, and leaves out paths that may not be read.
 * @param found lists the paths of a pattern
 * @returns why the command may not run, if no path is left
 */
export function withPaths(
  stages: Stages,
  patterns: readonly number[],
  found: (pattern: string) => readonly string[],
): { stages: Stages; isPart: boolean } | string {
  let isPart = false
  let none: string | undefined
  const filled = put(stages, patterns, (pattern) => {
    const all = found(pattern)
    const allowed = all.filter(
      (path) => unread(put(stages, patterns, (word) => [word === pattern ? path : samplePath(word)])) === undefined,
    )
    isPart ||= allowed.length < all.length
    if (allowed.length === 0) none ??= `${pattern.slice(0, 80)} stands for nothing that may be read.`
    return allowed
  })
  return none ?? unread(filled) ?? { stages: filled, isPart }
}

const afterPipe = `After a pipe only ${[...filters.keys()].join(', ')} may read.`

/**
 * Returns the files that the first program of a pipe reads, and a check for the targets of links. A path is judged by its name, but a link may lead
 * anywhere: anybody who can write below /var/log can put one there. Only the kernel's own folders are trusted.
 */
export function filesRead([[program = '', ...words] = []]: Stages): {
  paths: string[]
  problem(path: string): string | undefined
} {
  const isSweep = /grep$/.test(program) && words.some((word) => /^-[a-zA-Z]*r|^--recursive$/.test(word))
  const problem = isSweep ? sweepReason : contentReason
  const isFile = (word: string) => word.includes('/') && !/^-|^\/+(?:proc|sys)\//.test(word)
  const paths = readers.has(program) ? words.filter((word) => isFile(word) && problem(word) === undefined) : []
  return { paths, problem }
}
const readers: ReadonlySet<string> = new Set([
  ...Object.keys(textPrograms),
  ...['md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'file'],
])

/** Returns why one program is not proven to read only; undefined: it is. */
function unproven(
  [program = '', ...words]: readonly string[],
  known: ReadonlyMap<string, Grammar>,
  rule: string,
): string | undefined {
  const grammar = known.get(program)
  if (grammar !== undefined) return misfit(program, grammar, words)
  const shown = program.slice(0, 80)
  if (program.includes('/')) return `${shown} is a path; name the program alone. ${rule}`
  const does = refusedPrograms.get(program)
  if (does !== undefined) return `${shown} ${does}. ${rule}`
  return `${shown} is not a program known to read only${known === programs ? '' : ' what is piped into it'}. ${rule}`
}
