import { awkFiles, awkPipe } from '../awk.ts'
import type { Grammar, Usage } from '../grammar.ts'
import { judgeJq } from '../jq.ts'
import { any, color, list, number, signedSize, size, text, word } from '../patterns.ts'
import { contentReason, nameReason, sweepReason } from '../secret-paths.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const endless = 'wait for more lines and never end'
const readsList = 'read names from another file'
const writes = 'write a file'

const part: Grammar = {
  dashDash: true,
  numeric: true,
  flags: 'qv',
  words: long('quiet silent verbose'),
  values: { '-n': signedSize, '--lines': signedSize, '-c': signedSize, '--bytes': signedSize },
}

const tail: Grammar = {
  ...part,
  denied: Object.fromEntries(
    ['-f', '-F', '--follow', '--retry', '-s', '--sleep-interval', '--pid'].map((name) => [name, endless]),
  ),
}

const grep: Grammar = {
  dashDash: true,
  numeric: true,
  flags: 'ivncolLwxHhsqaEFGPbryTZIU',
  words: [
    ...long('ignore-case no-ignore-case invert-match line-number count only-matching files-with-matches'),
    ...long('files-without-match word-regexp line-regexp with-filename no-filename no-messages quiet silent text'),
    ...long('extended-regexp fixed-strings basic-regexp perl-regexp byte-offset recursive'),
    ...long('initial-tab null line-buffered'),
  ],
  values: {
    '-e': any,
    '--regexp': any,
    '-A': number,
    '-B': number,
    '-C': number,
    '-m': number,
    '--after-context': number,
    '--before-context': number,
    '--context': number,
    '--max-count': number,
    '--include': text,
    '--exclude': text,
    '--exclude-dir': text,
    '--label': word,
  },
  optional: { '--color': color, '--colour': color },
  rest: any,
  denied: {
    '-f': 'read patterns from another file',
    '--file': 'read patterns from another file',
    '-R': 'follow links to anywhere; use -r',
    '--dereference-recursive': 'follow links to anywhere; use -r',
  },
}
const wordless = ['-L', '--files-without-match', '-q', '--quiet', '--silent']
const isRecursive = ({ options }: Usage) => options.has('-r') || options.has('--recursive')
/** Returns the file operands of grep. The first operand is the pattern, unless an option gives the pattern. */
const filesOf = ({ options, operands }: Usage) =>
  options.has('-e') || options.has('--regexp') ? operands : operands.slice(1)

/** Checks grep: a recursive search must stay in folders without secrets. */
function checkGrep(usage: Usage): string | undefined {
  const files = filesOf(usage)
  if (files.length === 0) return 'grep needs a file to search.'
  if (isRecursive(usage) && wordless.some((option) => usage.options.has(option)))
    return 'A search below a folder tells which lines or files match; -L and -q do not.'
  for (const file of files) {
    const problem = isRecursive(usage) ? sweepReason(file) : contentReason(file)
    if (problem !== undefined) return `grep: ${problem}`
  }
  return undefined
}
const grepFiles: Grammar = { ...grep, check: checkGrep }
const grepPipe: Grammar = {
  ...grep,
  check(usage) {
    if (isRecursive(usage)) return 'After a pipe, grep -r would search a folder.'
    const [file] = filesOf(usage)
    if (file !== undefined) return `After a pipe, grep reads no file such as ${file.slice(0, 80)}.`
    return usage.operands.length === 0 && filesOf(usage) !== usage.operands ? 'grep needs a pattern.' : undefined
  },
}

/** Sort keys such as `5`, `2,2n`, `1.3,1.5`. */
const key = /^\d{1,4}(?:\.\d{1,4})?[bdfgiMhnRrV]*(?:,\d{1,4}(?:\.\d{1,4})?[bdfgiMhnRrV]*)?$/
const sort: Grammar = {
  dashDash: true,
  flags: 'bdfgiMhnRrVcCmsu',
  words: [
    ...long('ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort'),
    ...long('human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique'),
  ],
  values: { '-k': key, '--key': key, '-t': any, '--field-separator': any },
  denied: {
    '-o': writes,
    '--output': writes,
    '-T': writes,
    '--temporary-directory': writes,
    '--compress-program': 'run programs',
    '--files0-from': readsList,
    '--random-source': 'read another file',
  },
}
const uniq: Grammar = {
  dashDash: true,
  flags: 'cdDui',
  words: long('count repeated unique ignore-case'),
  values: {
    '-f': number,
    '-s': number,
    '-w': number,
    '--skip-fields': number,
    '--skip-chars': number,
    '--check-chars': number,
  },
}
const wc: Grammar = {
  dashDash: true,
  flags: 'lwcmL',
  words: long('lines words bytes chars max-line-length'),
  denied: { '--files0-from': readsList },
}
const cut: Grammar = {
  dashDash: true,
  flags: 's',
  words: long('only-delimited complement'),
  values: {
    '-d': any,
    '--delimiter': any,
    '--output-delimiter': any,
    '-f': list,
    '--fields': list,
    '-c': list,
    '--characters': list,
    '-b': list,
    '--bytes': list,
  },
}
const nl: Grammar = { dashDash: true, values: { '-b': /^[atn]$/, '-w': /^\d{1,2}$/, '-s': any, '-v': number } }
const cat: Grammar = {
  dashDash: true,
  flags: 'nbsAETvetu',
  words: long('number number-nonblank squeeze-blank show-all show-ends show-nonprinting show-tabs'),
}
const column: Grammar = {
  flags: 'txnLe',
  words: long('table json fillrows table-noheadings keep-empty-lines'),
  values: {
    '-s': any,
    '--separator': any,
    '-o': any,
    '--output-separator': any,
    '-c': /^\d{1,4}$/,
    '--output-width': /^\d{1,4}$/,
    '-N': list,
    '--table-columns': list,
    '-R': list,
    '--table-right': list,
    '-H': list,
    '--table-hide': list,
  },
}
const tac: Grammar = { dashDash: true }
const fold: Grammar = { dashDash: true, flags: 's', words: ['--spaces'], values: { '-w': number, '--width': number } }

/**
 * Allowed scripts of sed, which can only print: `-n '5,20p'`, and `s/a/b/g` without the flags `e` and `w`. In some versions of sed a slash inside
 * brackets ends an expression and in others it does not, so no slash is allowed there.
 */
const sedRange = /^\d{1,9}(?:,(?:\d{1,9}|\$))?p$/
const sedScript =
  /^(?!(?:[^[]|\[[^\]/]*\])*\[[^\]/]*\/)(?:\d{1,9}(?:,(?:\d{1,9}|\$))?p|s\/(?:[^/\\]|\\[^/])+\/(?:[^/\\]|\\[^/])*\/[gIi]{0,2}(?:;s\/(?:[^/\\]|\\[^/])+\/(?:[^/\\]|\\[^/])*\/[gIi]{0,2})*)$/
const sed = (rest: Partial<Grammar>): Grammar => ({
  flags: 'nEr',
  words: ['--quiet', '--silent', '--regexp-extended'],
  operands: [sedScript],
  check: ({ options, operands }) =>
    sedRange.test(operands[0] ?? '') && !['-n', '--quiet', '--silent'].some((option) => options.has(option))
      ? 'sed must be given -n to print lines.'
      : undefined,
  min: 1,
  ...rest,
  denied: {
    '-e': 'run another script',
    '--expression': 'run another script',
    '-f': 'run a script from a file',
    '-i': writes,
    '--in-place': writes,
    '-s': 'treat files one by one',
  },
})

/** Refuses an operand that begins with a plus sign, because old programs read it as an option. */
const noPlus = ({ operands }: Usage) =>
  operands.some((operand) => operand.startsWith('+'))
    ? 'A word that begins with + may be read as an option.'
    : undefined
const onFiles = (grammar: Grammar): Grammar => ({ ...grammar, rest: 'file', min: 1, check: noPlus })

/** Paths of compressed logs. The programs that read them are shell scripts, so the names must be plain. */
const packedLog = (suffix: string) => new RegExp(`^/var/log/[\\w./-]+\\.${suffix}$`)
const packed = (suffix: string): Grammar => ({
  dashDash: true,
  rest: packedLog(suffix),
  min: 1,
  check: ({ operands }) => operands.map(nameReason).find((problem) => problem !== undefined),
})

/** Programs that show the text of files. */
export const textPrograms: Readonly<Record<string, Grammar>> = {
  cat: onFiles(cat),
  tac: onFiles(tac),
  nl: onFiles(nl),
  head: onFiles(part),
  tail: onFiles(tail),
  wc: onFiles(wc),
  cut: onFiles(cut),
  sort: onFiles(sort),
  column: onFiles(column),
  fold: onFiles(fold),
  // Only one operand is allowed, because uniq writes to the second one.
  uniq: { ...uniq, operands: ['file'], min: 1, check: noPlus },
  sed: sed({ rest: 'file', min: 2 }),
  awk: awkFiles,
  grep: grepFiles,
  egrep: grepFiles,
  fgrep: grepFiles,
  zcat: packed('gz'),
  xzcat: packed('xz'),
  bzcat: packed('bz2'),
  zgrep: {
    flags: 'incvwEFhHl',
    values: { '-m': number, '-A': number, '-B': number, '-C': number },
    operands: [/^[^-]/],
    rest: packedLog('gz'),
    min: 2,
    check: ({ operands }) =>
      operands
        .slice(1)
        .map(nameReason)
        .find((problem) => problem !== undefined),
  },
}

/** Programs that may follow a pipe. They read standard input, read no file, and print. */
export const textFilters: Readonly<Record<string, Grammar>> = {
  grep: { ...grepPipe },
  egrep: grepPipe,
  fgrep: grepPipe,
  head: part,
  tail,
  sort,
  uniq,
  wc,
  cut,
  nl,
  cat,
  tac,
  column,
  fold,
  sed: sed({}),
  awk: awkPipe,
  tr: {
    flags: 'cCdst',
    words: long('complement delete squeeze-repeats truncate-set1'),
    operands: [any, any],
    min: 1,
  },
  numfmt: {
    words: long('grouping'),
    values: {
      '--to': word,
      '--from': word,
      '--field': list,
      '--suffix': word,
      '--padding': /^-?\d{1,3}$/,
      '--format': /^%[\d'.-]{0,6}f$/,
      '--round': word,
      '-d': any,
      '--delimiter': any,
      '--to-unit': size,
      '--from-unit': size,
      '--invalid': word,
    },
    optional: { '--header': number },
  },
  jq: { judge: judgeJq },
}
