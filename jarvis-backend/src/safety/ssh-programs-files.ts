import { contentReason, nameReason, sweepReason } from './secret-paths.ts'
import { judgeFind } from './ssh-find.ts'
import type { Grammar, Usage } from './ssh-grammar.ts'
import { any, color, list, number, signedSize, size, text, word } from './ssh-patterns.ts'

const endless = 'wait for more lines and never end'
const readsList = 'read names from another file'

const digest: Grammar = {
  dashDash: true,
  flags: 'btz',
  words: ['--binary', '--text', '--tag', '--zero'],
  rest: 'file',
  min: 1,
  denied: { '-c': 'show the lines of a file it cannot read as sums', '--check': 'show the lines of a file' },
}

const part: Grammar = {
  dashDash: true,
  numeric: true,
  flags: 'qvz',
  words: ['--quiet', '--silent', '--verbose', '--zero-terminated'],
  values: { '-n': signedSize, '--lines': signedSize, '-c': signedSize, '--bytes': signedSize },
  rest: 'file',
  min: 1,
}

/** The pattern is the first operand unless an option gave it; a recursive search must stay where nothing is secret. */
function checkGrep({ options, operands }: Usage): string | undefined {
  const files = options.has('-e') || options.has('--regexp') ? operands : operands.slice(1)
  if (files.length === 0) return 'grep needs a file to search.'
  const isRecursive = ['-r', '-R', '--recursive', '--dereference-recursive'].some((option) => options.has(option))
  for (const file of files) {
    const problem = isRecursive ? sweepReason(file) : contentReason(file)
    if (problem !== undefined) return `grep: ${problem}`
  }
  return undefined
}

const grep: Grammar = {
  dashDash: true,
  numeric: true,
  flags: 'ivncolLwxHhsqaEFGPbrRyTZzIU',
  words: [
    ...'ignore-case no-ignore-case invert-match line-number count only-matching files-with-matches files-without-match'.split(
      ' ',
    ),
    ...'word-regexp line-regexp with-filename no-filename no-messages quiet silent text extended-regexp'.split(' '),
    ...'fixed-strings basic-regexp perl-regexp byte-offset recursive dereference-recursive initial-tab null'.split(' '),
    'null-data',
  ].map((name) => `--${name}`),
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
  min: 1,
  check: checkGrep,
  denied: { '-f': 'read patterns from another file', '--file': 'read patterns from another file' },
}

/** Programs that show files, or what is known about them. */
export const filePrograms: Readonly<Record<string, Grammar>> = {
  ls: {
    dashDash: true,
    flags: 'aAlhtrSRd1isFnogGLHZkcuUXvbBqQpxmNC',
    words: [
      ...'all almost-all human-readable reverse recursive directory inode size numeric-uid-gid no-group full-time'.split(
        ' ',
      ),
      ...'group-directories-first dereference si context escape literal author file-type'.split(' '),
    ].map((name) => `--${name}`),
    values: {
      '-I': text,
      '--ignore': text,
      '--hide': text,
      '-w': number,
      '-T': number,
      '--sort': word,
      '--time': word,
      '--time-style': /^\+?[\w%:/. -]+$/,
      '--format': word,
      '--block-size': word,
      '--indicator-style': word,
    },
    optional: { '--color': color },
    rest: 'path',
  },
  stat: {
    dashDash: true,
    flags: 'fLt',
    words: ['--file-system', '--dereference', '--terse'],
    values: { '-c': any, '--format': any, '--printf': any },
    rest: 'path',
    min: 1,
  },
  du: {
    dashDash: true,
    flags: 'shcaxkmbSLDPH0l',
    words: [
      ...'summarize human-readable total all one-file-system bytes apparent-size separate-dirs si inodes time'.split(
        ' ',
      ),
      ...'dereference no-dereference null count-links'.split(' '),
    ].map((name) => `--${name}`),
    values: {
      '-d': number,
      '--max-depth': number,
      '-t': signedSize,
      '--threshold': signedSize,
      '-B': size,
      '--block-size': size,
      '--exclude': text,
    },
    rest: 'path',
    denied: { '--files0-from': readsList, '-X': readsList, '--exclude-from': readsList },
  },
  find: { judge: judgeFind },
  readlink: { dashDash: true, flags: 'femnqsvz', words: ['--canonicalize'], rest: 'path', min: 1 },
  realpath: { dashDash: true, flags: 'emLPqsz', rest: 'path', min: 1 },
  tree: { flags: 'adfpughDshirtvcUQNqCnxS', values: { '-L': number, '-P': text, '-I': text }, rest: 'path' },
  cat: {
    dashDash: true,
    flags: 'nbsAETvetu',
    words: ['--number', '--number-nonblank', '--squeeze-blank', '--show-all'],
    rest: 'file',
    min: 1,
  },
  tac: { dashDash: true, rest: 'file', min: 1 },
  nl: { dashDash: true, values: { '-b': /^[atn]$/ }, rest: 'file', min: 1 },
  zcat: { dashDash: true, rest: 'file', min: 1, check: ({ operands }) => operands.map(outsideLogs).find(Boolean) },
  head: part,
  tail: {
    ...part,
    rest: /^(?!\+)/,
    check: ({ operands }) => operands.map(contentReason).find((problem) => problem !== undefined),
    denied: {
      '-f': endless,
      '-F': endless,
      '--follow': endless,
      '--retry': endless,
      '-s': endless,
      '--sleep-interval': endless,
      '--pid': endless,
    },
  },
  grep,
  egrep: grep,
  fgrep: grep,
  wc: {
    dashDash: true,
    flags: 'lwcmL',
    words: ['--lines', '--words', '--bytes', '--chars', '--max-line-length'],
    rest: 'file',
    min: 1,
    denied: { '--files0-from': readsList },
  },
  cut: {
    dashDash: true,
    flags: 's',
    words: ['--only-delimited', '--complement'],
    values: { '-d': any, '--delimiter': any, '-f': list, '--fields': list, '-c': list, '--characters': list },
    rest: 'file',
    min: 1,
  },
  file: {
    dashDash: true,
    flags: 'biLhk',
    words: ['--brief', '--mime', '--mime-type', '--mime-encoding'],
    rest: 'file',
    min: 1,
    denied: { '-C': 'write a file', '-f': readsList, '-z': 'run programs', '-m': 'read another file' },
  },
  md5sum: digest,
  sha1sum: digest,
  sha256sum: digest,
  sha512sum: digest,
  lsattr: { flags: 'adlv', rest: 'path' },
  getfacl: { dashDash: true, flags: 'cpn', rest: 'path', min: 1 },
  namei: { flags: 'lmov', rest: 'path', min: 1 },
  lsof: {
    flags: 'nPlab',
    optional: { '-i': /^(?:[46]|[46]?(?:TCP|UDP|tcp|udp)?(?:@[\w.:[\]-]+)?(?::[\w,-]+)?)$/ },
    values: { '-p': /^\d[\d,]*$/, '-u': word, '-c': word, '-s': /^(?:TCP|UDP):\w+$/ },
    rest: /^\//,
    denied: { '-r': 'repeat and never end', '-D': 'write a cache file' },
  },
  which: { flags: 'a', rest: word, min: 1 },
  date: {
    flags: 'uR',
    words: ['--utc', '--universal', '--rfc-email'],
    values: { '-d': any, '--date': any, '-r': 'path', '--reference': 'path', '--rfc-3339': word },
    optional: { '-I': /^(?:date|hours|minutes|seconds|ns)$/, '--iso-8601': word },
    operands: [/^\+/],
    denied: { '-s': 'set the clock', '--set': 'set the clock', '-f': readsList, '--file': readsList },
  },
}

function outsideLogs(path: string): string | undefined {
  return /^\/var\/log\/[\w./-]+\.gz$/.test(path)
    ? nameReason(path)
    : `zcat reads packed logs below /var/log, not ${path}.`
}
