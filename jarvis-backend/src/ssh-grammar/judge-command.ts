import { judgeChange } from './changes.ts'
import { type Grammar, misfit } from './grammar.ts'
import { filters, programs } from './programs/index.ts'
import { textPrograms } from './programs/text.ts'
import { refusedPrograms } from './refused.ts'
import { contentReason, sweepReason } from './secret-paths.ts'
import { parseCommand, type Stages } from './words.ts'

export { type Part, type Reading, readingOf, searchedLines } from './reading.ts'
export { parseCommand, quote, quotePipe, type Stages } from './words.ts'

export type CommandVerdict =
  | { verdict: 'read_only'; stages: Stages }
  /** A bounded, common change that is worth asking about. `service` is the unit or container it acts upon. */
  | { verdict: 'change'; stages: Stages; does: string; service?: string }
  | { verdict: 'refused'; reason: string }

const onlyReads = 'Over SSH only commands proven to read may run.'

let last: { command: string; judged: CommandVerdict } | undefined

/**
 * Read-only is what the grammar of each of its programs proves to be; a change, what one of a short list is. Anything
 * unknown is refused, with the part that is.
 */
export function judgeCommand(command: string): CommandVerdict {
  // Each rule of one verdict asks about the same command.
  if (last?.command !== command) last = { command, judged: judge(command) }
  return last.judged
}

function judge(command: string): CommandVerdict {
  const parsed = parseCommand(command)
  if (!parsed.ok) return { verdict: 'refused', reason: parsed.reason }
  const { stages } = parsed
  const change = stages.length === 1 ? judgeChange(stages[0] ?? []) : undefined
  if (change !== undefined) {
    return change.ok ? { verdict: 'change', stages, ...change.change } : { verdict: 'refused', reason: change.reason }
  }
  for (const [index, argv] of stages.entries()) {
    const reason = index === 0 ? unproven(argv, programs, onlyReads) : unproven(argv, filters, afterPipe)
    if (reason !== undefined) return { verdict: 'refused', reason }
  }
  return { verdict: 'read_only', stages }
}

const afterPipe = `After a pipe only ${[...filters.keys()].join(', ')} may read.`

/**
 * What the first program of a pipe reads, and why what a link among it leads to may not be read. A path is judged by its
 * name, and a name says nothing of where it leads: whoever may write below /var/log may lay a link there. The kernel's
 * own folders hold none but its own.
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

/** Why one program is not proven to read only; undefined where it is. */
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
