import { format, number, text } from './patterns.ts'
import { nameReason } from './secret-paths.ts'

const signed = /^[+-]?\d{1,12}[A-Za-z]?$/

/** Tests of find that take exactly one value, which find never reads as anything else. */
const tests = new Map<string, RegExp>([
  ...['-name', '-iname', '-path', '-ipath', '-regex', '-iregex', '-lname', '-ilname'].map((name): [string, RegExp] => [
    name,
    text,
  ]),
  ...['-size', '-mtime', '-mmin', '-ctime', '-cmin', '-atime', '-amin', '-links', '-inum', '-uid', '-gid'].map(
    (name): [string, RegExp] => [name, signed],
  ),
  ...['-maxdepth', '-mindepth'].map((name): [string, RegExp] => [name, number]),
  ...['-type', '-xtype', '-user', '-group', '-fstype', '-regextype', '-newermt'].map((name): [string, RegExp] => [
    name,
    name === '-newermt' ? /^\d[\d :T-]*$|^[a-z0-9 ]+$/ : /^[A-Za-z0-9,_.-]+$/,
  ]),
  ['-perm', /^[-/]?[0-7ugoarwxst=+,]+$/],
  ['-newer', text],
  ['-printf', format],
])

const switches = new Set(
  '-print -print0 -ls -quit -prune -empty -xdev -mount -depth -daystart -readable -writable -executable -nouser -nogroup -true -false -not -o -or -a -and ! ( ) ,'.split(
    ' ',
  ),
)

const actions = new Map([
  ['-delete', 'delete files'],
  ...['-exec', '-execdir', '-ok', '-okdir'].map((name): [string, string] => [name, 'run programs']),
  ...['-fprint', '-fprint0', '-fprintf', '-fls'].map((name): [string, string] => [name, 'write files']),
  ['-files0-from', 'read names from another file'],
])

/** Judges find: folders, then tests that only read. Its output has names, never contents. */
export function judgeFind(words: readonly string[]): string | undefined {
  let at = 0
  while (/^-[HLP]$/.test(words[at] ?? '')) at += 1
  for (; at < words.length; at += 1) {
    const path = words[at] ?? ''
    if (path === '' || /^[-(!,)]/.test(path)) break
    const problem = path.startsWith('+') ? `${path} may be read as an option.` : nameReason(path)
    if (problem !== undefined) return `find: ${problem}`
  }
  for (; at < words.length; at += 1) {
    const part = words[at] ?? ''
    const action = actions.get(part)
    if (action !== undefined) return `${part} makes find ${action}.`
    if (switches.has(part)) continue
    const pattern = tests.get(part)
    if (pattern === undefined) return `find: ${part.slice(0, 80)} is not a test known to read only.`
    at += 1
    const value = words[at]
    if (value === undefined || !pattern.test(value))
      return `find ${part}: ${(value ?? 'nothing').slice(0, 80)} is not a value known to be safe.`
  }
  return undefined
}
