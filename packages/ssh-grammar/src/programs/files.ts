import { judgeFind } from '../find.ts'
import type { Grammar } from '../grammar.ts'
import { any, color, format, number, signedSize, size, text, word } from '../patterns.ts'

const readsList = 'read names from another file'

/** A date. `TZ="…"` is refused, because its value can name a file to read. */
const aDate = /^(?!.*TZ)/s

const digest: Grammar = {
  dashDash: true,
  flags: 'btz',
  words: ['--binary', '--text', '--tag', '--zero'],
  rest: 'file',
  min: 1,
  denied: { '-c': 'show the lines of a file it cannot read as sums', '--check': 'show the lines of a file' },
}

/** Judges `command`. Only `command -v NAME` is allowed: words after the first operand are not its own options, so `command reboot -v` runs reboot. */
const judgeCommandBuiltin = ([option = '', ...names]: readonly string[]) =>
  /^-[vV]$/.test(option) && names.length > 0 && names.every((name) => word.test(name))
    ? undefined
    : 'command runs what it is given, save as command -v NAME.'

/** Programs that show files or their properties. */
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
    values: { '-c': format, '--format': format, '--printf': format },
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
  sha384sum: digest,
  b2sum: digest,
  lsattr: { flags: 'adlvR', rest: 'path' },
  getfacl: { dashDash: true, flags: 'cpnedatR', rest: 'path', min: 1 },
  mountpoint: { flags: 'qdx', words: ['--quiet'], operands: ['path'], min: 1 },
  fuser: {
    flags: 'vamu46',
    words: ['--verbose', '--mount', '--all', '--user'],
    values: { '-n': /^(?:file|tcp|udp)$/, '--namespace': /^(?:file|tcp|udp)$/ },
    rest: /^(?:\/[^\0]*|\d{1,5}(?:\/(?:tcp|udp))?)$/,
    min: 1,
    denied: { '-k': 'stop processes', '--kill': 'stop processes', '-i': 'ask' },
  },
  namei: { flags: 'lmov', rest: 'path', min: 1 },
  lsof: {
    flags: 'nPlabt',
    optional: { '-i': /^(?:[46]|[46]?(?:TCP|UDP|tcp|udp)?(?:@[\w.:[\]-]+)?(?::[\w,-]+)?)$/ },
    values: { '-p': /^\d[\d,]*$/, '-u': word, '-c': word, '-s': /^(?:TCP|UDP):[\w,]+$/ },
    rest: /^(?:\/|\+L1$)/,
    denied: { '-r': 'repeat and never end', '-D': 'write a cache file' },
  },
  which: { flags: 'a', rest: word, min: 1 },
  whereis: { flags: 'bms', rest: word, min: 1 },
  type: { flags: 'apt', rest: word, min: 1 },
  command: { judge: judgeCommandBuiltin },
  echo: { flags: 'neE', rest: any },
  date: {
    flags: 'uR',
    words: ['--utc', '--universal', '--rfc-email'],
    values: { '-d': aDate, '--date': aDate, '-r': 'path', '--reference': 'path', '--rfc-3339': word },
    optional: { '-I': /^(?:d(?:ate)?|h(?:ours)?|m(?:inutes)?|s(?:econds)?|ns)$/, '--iso-8601': word },
    operands: [/^\+(?!.*\d{5})/],
    denied: { '-s': 'set the clock', '--set': 'set the clock', '-f': readsList, '--file': readsList },
  },
}
