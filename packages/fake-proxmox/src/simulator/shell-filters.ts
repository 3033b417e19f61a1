import type { Program } from './shell.ts'
import { fileText } from './shell-files.ts'
import { lines, type Options, readOptions, rowsOf } from './shell-text.ts'

type Filter = {
  /** Letters of the options that take a value. */
  valued?: string
  /** Number of operands before the files. */
  words?(options: Options): number
  run(options: Options, text: string, words: readonly string[]): string | { stdout: string; exitCode: number }
}

const fieldsOf = (row: string, separator: string | undefined): string[] =>
  separator === undefined ? row.trim().split(/\s+/) : row.split(separator)

/** True if a list such as `1,3-5` or `2-` includes a position, from 1. */
function isChosen(list: string, position: number): boolean {
  return list.split(',').some((part) => {
    const [from = '', to = from] = part.split('-')
    return position >= Number(from === '' ? 1 : from) && position <= (to === '' ? Number.POSITIVE_INFINITY : Number(to))
  })
}

/** Converts a size such as `1.7T`, `38G` or `12` to a number, for `sort -h`. */
function sizeOf(word: string): number {
  const [, digits = '0', unit = ''] = /^\s*(-?[\d.]+)\s*([KMGTP]?)/i.exec(word) ?? []
  return Number(digits) * 1024 ** ' KMGTP'.indexOf(unit === '' ? ' ' : unit.toUpperCase())
}

const sort: Filter = {
  valued: 'kt',
  run(options, text) {
    const key = options.get('k')
    const from = Number(/^\d+/.exec(key ?? '')?.[0] ?? 0)
    const letters = [...options.keys()].join('') + (key?.replace(/[\d.,]/g, '') ?? '')
    const part = (row: string) =>
      from === 0
        ? row
        : fieldsOf(row, options.get('t'))
            .slice(from - 1)
            .join(' ')
    const compare = letters.includes('h')
      ? (a: string, b: string) => sizeOf(part(a)) - sizeOf(part(b))
      : letters.includes('n')
        ? (a: string, b: string) => (Number.parseFloat(part(a)) || 0) - (Number.parseFloat(part(b)) || 0)
        : (a: string, b: string) => (part(a) < part(b) ? -1 : part(a) > part(b) ? 1 : 0)
    const sorted = rowsOf(text).sort((a, b) => (letters.includes('r') ? compare(b, a) : compare(a, b)))
    return lines(options.has('u') ? [...new Set(sorted)] : sorted)
  },
}

const uniq: Filter = {
  valued: 'fsw',
  run(options, text) {
    const groups: { row: string; count: number }[] = []
    for (const row of rowsOf(text)) {
      const last = groups.at(-1)
      if (last?.row === row) last.count += 1
      else groups.push({ row, count: 1 })
    }
    const shown = groups.filter(({ count }) => !(options.has('d') && count === 1) && !(options.has('u') && count > 1))
    return lines(shown.map(({ row, count }) => (options.has('c') ? `${String(count).padStart(7)} ${row}` : row)))
  },
}

const wc: Filter = {
  run(options, text) {
    const counts = { l: rowsOf(text).length, w: text.split(/\s+/).filter(Boolean).length, c: Buffer.byteLength(text) }
    const shown = (['l', 'w', 'c'] as const).filter((letter) => options.size === 0 || options.has(letter))
    return `${shown.map((letter) => String(counts[letter]).padStart(options.size === 1 ? 0 : 7)).join(' ')}\n`
  },
}

const cut: Filter = {
  valued: 'dfc',
  run(options, text) {
    const separator = options.get('c') === undefined ? (options.get('d') ?? '\t') : ''
    const list = options.get('c') ?? options.get('f') ?? '1-'
    const chosen = (row: string) => row.split(separator).filter((_part, index) => isChosen(list, index + 1))
    return lines(rowsOf(text).map((row) => (row.includes(separator) ? chosen(row).join(separator) : row)))
  },
}

const tr: Filter = {
  words: () => 2,
  run(options, text, [from = '', to = '']) {
    const plain = (set: string) => set.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
    const spread = (set: string) =>
      plain(set).replace(/(.)-(.)/g, (_all, first: string, last: string) =>
        String.fromCharCode(
          ...Array.from(
            { length: Math.max(0, last.charCodeAt(0) - first.charCodeAt(0) + 1) },
            (_, i) => first.charCodeAt(0) + i,
          ),
        ),
      )
    const set = spread(from)
    if (options.has('d')) return [...text].filter((sign) => !set.includes(sign)).join('')
    const target = spread(to)
    const swapped = [...text].map((sign) => {
      const at = set.indexOf(sign)
      return at === -1 || target === '' ? sign : (target[Math.min(at, target.length - 1)] ?? sign)
    })
    if (!options.has('s')) return swapped.join('')
    const squeezed = target === '' ? set : target
    return swapped.filter((sign, index) => sign !== swapped[index - 1] || !squeezed.includes(sign)).join('')
  },
}

const nl: Filter = {
  valued: 'b',
  run: (_options, text) => lines(rowsOf(text).map((row, index) => `${String(index + 1).padStart(6)}\t${row}`)),
}

const part = (pick: (rows: string[], count: string) => string[]): Filter => ({
  valued: 'nc',
  run(options, text) {
    const short = [...options.keys()].find((name) => /^\d+$/.test(name))
    return lines(pick(rowsOf(text), short ?? options.get('n') ?? options.get('lines') ?? '10'))
  },
})

const tail = (rows: string[], count: string) =>
  count.startsWith('+') ? rows.slice(Math.max(0, Number(count) - 1)) : rows.slice(-Number(count) || rows.length)

/** Matches a pattern with words, `^`, `$`, `.*` and `|`. That is enough to search a log, and it cannot take long. */
function matches(pattern: string, row: string): boolean {
  return pattern.split(/\\?\|/).some((choice) => {
    const isWhole = { start: choice.startsWith('^'), end: choice.endsWith('$') }
    const pieces = choice
      .replace(/^\^|\$$/g, '')
      .split('.*')
      .map((piece) => piece.replaceAll('\\', ''))
    let at = 0
    for (const [index, piece] of pieces.entries()) {
      const isLast = index === pieces.length - 1 && isWhole.end
      const found = isLast ? row.length - piece.length : row.indexOf(piece, at)
      if (found < at || !row.startsWith(piece, found) || (index === 0 && isWhole.start && found !== 0)) return false
      at = found + piece.length
    }
    return true
  })
}

const grep: Filter = {
  valued: 'eABCm',
  words: (options) => (options.has('e') ? 0 : 1),
  run(options, text, [pattern = '']) {
    const read = (written: string) => (options.has('i') ? written.toLowerCase() : written)
    const wanted = read(options.get('e') ?? pattern)
    const hits = rowsOf(text).flatMap((row, index) =>
      matches(wanted, read(row)) === options.has('v') ? [] : [options.has('n') ? `${index + 1}:${row}` : row],
    )
    const kept = hits.slice(0, Number(options.get('m') ?? hits.length))
    return { stdout: options.has('c') ? `${kept.length}\n` : lines(kept), exitCode: kept.length > 0 ? 0 : 1 }
  },
}

/** Makes a program that reads its files or, without files, its standard input. */
function program(name: string, { valued = '', words = () => 0, run }: Filter): Program {
  return (args, host, stdin) => {
    const { options, operands } = readOptions(args, valued)
    const count = words(options)
    const paths = operands.slice(count)
    const texts = paths.length === 0 ? [stdin ?? ''] : paths.map((path) => fileText(path, host))
    const missing = paths.filter((_path, index) => texts[index] === undefined)
    let exitCode = missing.length === 0 ? 0 : name === 'grep' ? 2 : 1
    let stdout = ''
    for (const text of texts.filter((text) => text !== undefined)) {
      const result = run(options, text, operands.slice(0, count))
      stdout += typeof result === 'string' ? result : result.stdout
      if (typeof result !== 'string') exitCode = Math.max(exitCode, result.exitCode)
    }
    return { stdout, stderr: lines(missing.map((path) => `${name}: ${path}: No such file or directory`)), exitCode }
  }
}

const cat: Filter = { run: (_options, text) => text }

/** Programs that show files or filter a pipe. */
export const filterCommands: Record<string, Program> = Object.fromEntries(
  Object.entries({
    cat,
    sort,
    uniq,
    wc,
    cut,
    tr,
    nl,
    grep,
    egrep: grep,
    fgrep: grep,
    column: cat,
    head: part((rows, count) => rows.slice(0, Number(count))),
    tail: part(tail),
  }).map(([name, filter]) => [name, program(name, filter)]),
)
