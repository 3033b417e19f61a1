import { awkFilesAt } from './awk.ts'
import { type Grammar, sortWords, type Usage } from './grammar.ts'
import { maskOf } from './masks.ts'
import { matchingOf } from './matching.ts'
import { any } from './patterns.ts'
import { textPrograms } from './programs/text.ts'
import { contentReason } from './secret-paths.ts'
import type { Stages } from './words.ts'

/** A read, and the program that filters its output after redaction. */
export type Part = {
  read: readonly string[]
  filter: readonly string[]
  /** The file's name, which replaces `standard input` in the filter's output. */
  name: string
  /** The program's name as written, for messages. */
  program: string
  /** Masks text that no filter may read. */
  mask?: (text: string) => string
}

/**
 * The way a command runs, so that no program cuts a secret before redaction. `whole`: unchanged. `parts`: each part runs by itself, and the joined
 * output goes into `then`. `search`: `list` prints the matching files, each ended by a NUL, and `partOf` reads one of them.
 */
export type Reading =
  | { kind: 'whole'; stages: Stages }
  | { kind: 'parts'; parts: readonly Part[]; then: Stages; note?: string }
  | { kind: 'search'; list: readonly string[]; partOf(path: string): Part | undefined; then: Stages }

/** Number of lines at the end of each file that a recursive search covers. */
export const searchedLines = 5_000
/** Additional text that is read around the range of `head` and `tail`, so that a secret at the edge of the range is not cut. */
const margin = { lines: 1_000, bytes: 65_536 }

/** Programs that print files unchanged, and `wc`, which prints no text. */
const plain = new Set(['zcat', 'xzcat', 'bzcat', 'wc'])
/** Programs that run once for each file. */
const oneByOne = new Set(['head', 'tail', 'tac'])

/** Plans the reads of a command. @param stages a command that `judgeCommand` found to be read-only */
export function readingOf(stages: Stages): Reading {
  const [[program = '', ...words] = [], ...then] = stages
  if (program === 'sysctl') {
    const filter = ['grep', '-vE', 'tcp_fastopen_key|stable_secret']
    return { kind: 'parts', parts: [{ read: [program, ...words], filter, name: '', program }], then }
  }
  const mask = maskOf(program, words)
  if (mask !== undefined) {
    const part = { read: [program, ...words], filter: ['cat'], name: '', program, mask }
    return { kind: 'parts', parts: [part], then }
  }
  const matching = matchingOf(program, words)
  if (matching !== undefined) {
    const { read, filter, note } = matching
    const part = { read, filter, name: '', program }
    return { kind: 'parts', parts: [part], then: [...matching.then, ...then], note }
  }
  const grammar = Object.hasOwn(textPrograms, program) ? textPrograms[program] : undefined
  const whole: Reading = { kind: 'whole', stages }
  if (grammar === undefined || plain.has(program)) return whole
  const searches = /grep$/.test(program)
  if (words.length === 1 && words[0] === '--version') return whole
  const usage = usageOf(program, grammar, words)
  const { options } = usage
  const skip = program === 'sed' || (searches && !options.has('-e') && !options.has('--regexp')) ? 1 : 0
  const places = usage.places.slice(program === 'awk' ? 0 : skip)
  const files = places.map((place) => words[place] ?? '')
  const without = words.filter((_word, at) => !places.includes(at))
  if (program === 'cat' && without.every((word) => word === '--')) return whole
  const filter = [program === 'zgrep' ? 'grep' : program, ...without]

  if (searches) {
    const isMany = files.length > 1 || options.has('-r') || options.has('--recursive')
    const isNamed = isMany && !options.has('-h') && !options.has('--no-filename')
    const [name = '', ...rest] = filter
    const part = (read: readonly string[], file: string): Part => ({
      read,
      filter: [name, ...(isNamed ? ['-H'] : []), `--label=${file}`, ...rest],
      name: file,
      program,
    })
    if (!options.has('-r') && !options.has('--recursive')) {
      const reader = program === 'zgrep' ? ['zcat'] : ['cat']
      return { kind: 'parts', parts: files.map((file) => part([...reader, '--', file], file)), then }
    }
    const isText = options.has('-a') || options.has('--text')
    return {
      kind: 'search',
      // Options stand before the words, because after `--` they would be names of files.
      list: [program, '-l', '-Z', ...(isText ? [] : ['-I']), ...words],
      partOf(path) {
        if (contentReason(path) !== undefined) return undefined
        const { filter, ...rest } = part(['tail', '-n', `${searchedLines}`, '--', path], path)
        // `-` makes grep read its input: without a file, a recursive grep would search the working directory.
        return { ...rest, filter: [...filter, '-'] }
      },
      then,
    }
  }
  if (!oneByOne.has(program)) {
    return { kind: 'parts', parts: [{ read: ['cat', '--', ...files], filter, name: files[0] ?? '', program }], then }
  }
  const isQuiet = ['-q', '--quiet', '--silent'].some((option) => options.has(option))
  const heading = files.length > 1 && program !== 'tac' && !isQuiet ? ['-v'] : []
  return {
    kind: 'parts',
    parts: files.map((file) => ({
      read: [...windowOf(program, usage), '--', file],
      // The heading option stands last, because head reads `-2` as an option only in the first place.
      filter: [program, ...without.filter((word) => word !== '--'), ...heading],
      name: file,
      program,
    })),
    then,
  }
}

/** Returns the command that reads the part of a file that `head` or `tail` shows, with the margin. */
function windowOf(program: string, { options, values }: Usage): string[] {
  const counts = [...options].flatMap((option) => (/^-\d+$/.test(option) ? [['-n', option.slice(1)]] : []))
  const [[option, count] = ['-n', '10'], ...others] = [...counts, ...values]
  // If the option means all lines but some, or a size such as 2k, the whole file is read.
  if (program === 'tac' || others.length > 0 || !/^\d+$/.test(count ?? '')) return ['cat']
  const isBytes = option === '-c' || option === '--bytes'
  const more = Number(count) + (isBytes ? margin.bytes : margin.lines)
  return [program, isBytes ? '-c' : '-n', `${more}`]
}

/** Parses words that were judged before, so any operand is accepted. @throws Error for an unknown option */
function usageOf(
  program: string,
  { operands: _some, check: _one, ...grammar }: Grammar,
  words: readonly string[],
): Usage {
  if (program === 'awk') {
    const places = awkFilesAt(words)
    return { options: new Set(), values: new Map(), operands: places.map((at) => words[at] ?? ''), places }
  }
  const usage = sortWords(program, { ...grammar, rest: any }, words)
  if (typeof usage === 'string') throw new Error(usage)
  return usage
}
