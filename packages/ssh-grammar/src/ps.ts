import { number } from './patterns.ts'

const columns = new Set(
  'pid ppid pgid sid tid lwp nlwp user euser ruser uid euid gid group comm ucmd args cmd command %cpu pcpu c %mem pmem rss rsz vsz sz size stat state s time cputime cputimes etime etimes start lstart start_time stime bsdstart tty tt tname nice ni pri priority psr policy cls class wchan cgroup cgroupname unit slice lxc machine maj_flt min_flt oom oomadj'.split(
    ' ',
  ),
)
/** Tests for a column with a chosen width, such as `args:20`. It is refused, because a cut command line would show half of a secret. */
const isCut = /^(?:args|cmd|command):/i
const isColumns = (value: string) =>
  value
    .split(',')
    .every((part) => !isCut.test(part) && columns.has(part.replace(/(?::\d{1,3})?(?:=.*)?$/s, '').toLowerCase()))
const isOrder = (value: string) => value.split(',').every((part) => columns.has(part.replace(/^[+-]/, '')))
const isPids = (value: string) => /^\d+(?:,\d+)*$/.test(value)
const isName = (value: string) => /^[A-Za-z0-9][\w.@:+-]*$/.test(value)

const values = new Map<string, (value: string) => boolean>([
  ['o', isColumns],
  ['p', isPids],
  ['C', isName],
  ['u', isName],
  ['U', isName],
  ['q', isPids],
  ['--ppid', isPids],
  ['--pid', isPids],
  ['--quick-pid', isPids],
  ['--user', isName],
  ['--sort', isOrder],
  ['--format', isColumns],
])
const longs = new Set(['--no-headers', '--no-heading', '--headers', '--forest'])
/** Letters of BSD options. `e` is left out, because it shows environments. */
const bsd = /^(?:[axuwfhjlrvmTHSc]+|-(?:aux|auxw{1,2}|axu|auxf|axuf|auxwwf|axf|ax|axw{1,2}))$/
const dashed = /^-([eAafFlLHTwjyM]*)([opqCuU]?)$/

/**
 * Judges ps. `aux`, `-ef` and `-eo pid,comm --sort=-%cpu` show processes and command lines, never environments. ps parses a contradictory line again
 * in BSD style, in which `-e` shows environments. So the two styles must not be mixed, only one format is allowed, and `e` is refused if a named
 * user may not exist.
 */
export function judgePs(words: readonly string[]): string | undefined {
  let style: 'bsd' | 'dashed' | undefined
  let letters = ''
  /** Names given as values. In the second parse, ps reads their letters as options. */
  let names = ''
  let mayFail = false
  for (let at = 0; at < words.length; at += 1) {
    const part = words[at] ?? ''
    const shown = part.slice(0, 80)
    if (/^[a-zA-Z]+$/.test(part) && part.includes('e'))
      return `${shown} makes ps show environments, which hold secrets.`
    if (longs.has(part)) {
      letters += part === '--forest' ? 'H' : ''
      continue
    }
    if (/^\d{1,9}$/.test(part) && style !== 'dashed') {
      style = 'bsd'
      continue
    }
    const bsdColumns = /^([axf]*)o$/.test(part)
    const isBsd = bsd.test(part) || bsdColumns
    const cluster = isBsd ? null : dashed.exec(part)
    if (isBsd || cluster !== null) {
      const now = isBsd ? 'bsd' : 'dashed'
      if (style !== undefined && style !== now) return `ps: ${shown} mixes two styles of options.`
      style = now
      letters += isBsd ? '' : part.slice(1)
    }
    if (isBsd && !bsdColumns) continue
    const equals = part.startsWith('--') ? part.indexOf('=') : -1
    const name = bsdColumns ? 'o' : cluster !== null ? cluster[2] : equals === -1 ? part : part.slice(0, equals)
    if (name === '') {
      if (part === '-') return 'ps: - is not an option known to read only.'
      continue
    }
    const fits = values.get(name ?? '')
    if (fits === undefined) return `ps: ${shown} is not an option known to read only.`
    if (name === '--format') letters += 'o'
    if (equals === -1) at += 1
    const value = equals === -1 ? (words[at] ?? '') : part.slice(equals + 1)
    if (name === 'u' || name === 'U') mayFail ||= value !== 'root' && !number.test(value)
    if (/^[CuU]$/.test(name ?? '')) names += value
    if (!fits(value)) return `ps ${name}: ${value.slice(0, 80)} is not a value known to be safe.`
  }
  if (mayFail && /e/.test(letters + names))
    return 'ps -u of a user that does not exist can show environments; use --user.'
  if (letters.replace(/[^fFljo]/g, '').length > 1) return 'ps: choose one format, of -f, -F, -l, -j and -o.'
  if (/[LT]/.test(letters) && letters.includes('H')) return 'ps shows either threads or a tree.'
  return undefined
}
