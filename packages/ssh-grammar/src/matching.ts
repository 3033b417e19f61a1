/**
 * Replaces a program's own search: `read` prints the text to search; `filter` and `then` search it after redaction. A search in unredacted text
 * would reveal secrets one character at a time.
 */
export type Matching = { read: string[]; filter: string[]; then: string[][]; note?: string }

/** Number of journal entries that one search covers. */
const searchedEntries = 20_000

/** Returns the replacement of a program's search; undefined: the program does not search. */
export function matchingOf(program: string, words: readonly string[]): Matching | undefined {
  if (program === 'journalctl') return inJournal(words)
  return program === 'pgrep' ? inCommandLines(words) : undefined
}

function inJournal(words: readonly string[]): Matching | undefined {
  const grep = taken(words, { letter: 'g', long: 'grep', fits: /./s })
  if (grep.value === undefined) return undefined
  const lines = taken(grep.left, { letter: 'n', long: 'lines', fits: /^(?:\+?\d{1,6}|all)$/ })
  const sense = taken(lines.left, { long: 'case-sensitive', fits: /^(?:true|false)$/ })
  const ignoresCase = sense.value === undefined ? !/[A-Z]/.test(grep.value) : sense.value === 'false'
  // In the output, time, host and program stand before an entry's message, so `^` is replaced.
  const pattern = grep.value.replace(/^\^/, '(?:^|: )')
  const isReverse = words.some((word) => word === '--reverse' || /^-[a-zA-Z]*r/.test(word))
  const count = /^\+?(\d+)$/.exec(lines.value ?? '')?.[1]
  const fromEnd = lines.value?.startsWith('+') === isReverse
  return {
    read: ['journalctl', ...sense.left, '-n', `${searchedEntries}`],
    filter: ['grep', '-P', ...(ignoresCase ? ['-i'] : []), '-e', pattern],
    then: count === undefined ? [] : [[fromEnd ? 'tail' : 'head', '-n', count]],
    note: `Of the journal the newest ${searchedEntries.toLocaleString('en')} entries in question were searched.`,
  }
}

/** Options of `pgrep -f` that the replacement search supports. */
export const besideCommandLine = /^-[aficxl]+$/

function inCommandLines(words: readonly string[]): Matching | undefined {
  const letters = words.filter((word) => word.startsWith('-')).join('')
  if (!letters.includes('f')) return undefined
  const [pattern = ''] = words.filter((word) => !word.startsWith('-'))
  const start = '^[0-9]+ '
  const whole = letters.includes('x')
    ? `${start}(${pattern})$`
    : pattern.startsWith('^')
      ? `${start}(${pattern.slice(1)})`
      : `${start}.*(${pattern})`
  const columns = letters.includes('a') ? undefined : letters.includes('l') ? '{print $1, $2}' : '{print $1}'
  return {
    read: ['pgrep', '-a', '-f', '.'],
    filter: [
      'grep',
      '-E',
      ...(letters.includes('i') ? ['-i'] : []),
      ...(letters.includes('c') ? ['-c'] : []),
      '-e',
      whole,
    ],
    then: columns === undefined || letters.includes('c') ? [] : [['awk', columns]],
  }
}

/** Finds an option in any spelling. @returns its last value, and the words without it */
function taken(words: readonly string[], { letter, long, fits }: { letter?: string; long: string; fits: RegExp }) {
  const left: string[] = []
  let value: string | undefined
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const next = words[at + 1] ?? ''
    const cluster = letter === undefined ? null : new RegExp(`^-([krxqamelN]*)${letter}(.*)$`, 's').exec(word)
    if (word.startsWith(`--${long}=`)) value = word.slice(long.length + 3)
    else if (cluster === null && word !== `--${long}`) left.push(word)
    else {
      const [, before = '', attached = ''] = cluster ?? []
      if (before !== '') left.push(`-${before}`)
      if (attached !== '') value = attached
      else if (fits.test(next)) {
        value = next
        at += 1
      }
    }
  }
  return { left, value }
}
