import { nameReason, sweepReason } from './secret-paths.ts'

/** Programs that show names and sizes; their patterns are allowed in any folder. */
const nameReaders = new Set(['ls', 'stat', 'du', 'df'])
/** Programs that show contents; their patterns are allowed in folders without secrets. */
const contentReaders = new Set('cat head tail wc grep egrep fgrep zgrep zcat md5sum sha256sum file'.split(' '))
/** Maximum number of paths to which a pattern is expanded. */
const mostPaths = 60

/** Allowed patterns: absolute, no `..`, no hidden part, and a first folder without wildcards. */
const plain = /^\/[A-Za-z][\w+@:-]*(?:\/[\w*?+@:-][\w.*?+@:-]*)+$/

/** Returns why a program may not be given a path with `*` or `?`; undefined: it may. */
export function patternReason(program: string, pattern: string): string | undefined {
  const shown = pattern.slice(0, 80)
  if (!nameReaders.has(program) && !contentReaders.has(program))
    return `${shown} is a pattern; ${program} is given names alone. Quote it if it is meant as text.`
  if (!plain.test(pattern) || pattern.includes('..') || pattern.includes('**'))
    return `${shown} is a pattern that is not known to be safe.`
  const sample = samplePath(pattern)
  return nameReaders.has(program) ? nameReason(sample) : sweepReason(sample)
}

/** An example path for a pattern, which is judged before the pattern is expanded. */
export const samplePath = (pattern: string): string => pattern.replace(/[*?]/g, 'x')

/** Returns the command that lists a pattern's paths, each ended by a NUL. Hidden paths are left out, as in a shell. */
export function listingOf(pattern: string): string[] {
  const folder = pattern.slice(0, pattern.search(/(?<![^/])[^/]*[*?]/)).replace(/(?<=.)\/$/, '')
  const depth = `${pattern.slice(folder.length).split('/').length - 1}`
  return [
    ...['find', '-L', folder, '-mindepth', depth, '-maxdepth', depth],
    ...['-path', pattern, '!', '-path', `${folder}/*/.*`, '!', '-path', `${folder}/.*`, '-print0'],
  ]
}

/** Parses the listing and sorts it as a shell does. A NUL in it may have become a space. */
export function pathsIn(listed: string): string[] {
  return listed
    .split(/\0| (?=\/)/)
    .map((path) => path.replace(/[ \n]$/, ''))
    .filter((path) => path.startsWith('/'))
    .sort()
    .slice(0, mostPaths)
}
