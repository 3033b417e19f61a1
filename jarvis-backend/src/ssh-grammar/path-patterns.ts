import { nameReason, sweepReason } from './secret-paths.ts'

/** Programs that show names and sizes: their patterns may stand in any folder. */
const nameReaders = new Set(['ls', 'stat', 'du', 'df'])
/** Programs that show contents: their patterns may stand in folders that hold no secret. */
const contentReaders = new Set('cat head tail wc grep egrep fgrep zgrep zcat md5sum sha256sum file'.split(' '))
/** Paths that one pattern may stand for. */
const mostPaths = 60

/** No `..`, no hidden part, and a folder in front that is no pattern. */
const plain = /^\/[A-Za-z][\w+@:-]*(?:\/[\w*?+@:-][\w.*?+@:-]*)+$/

/** Why a program may not be given a path with `*` or `?`; undefined where it may. */
export function patternReason(program: string, pattern: string): string | undefined {
  const shown = pattern.slice(0, 80)
  if (!nameReaders.has(program) && !contentReaders.has(program))
    return `${shown} is a pattern; ${program} is given names alone. Quote it if it is meant as text.`
  if (!plain.test(pattern) || pattern.includes('..') || pattern.includes('**'))
    return `${shown} is a pattern that is not known to be safe.`
  const sample = samplePath(pattern)
  return nameReaders.has(program) ? nameReason(sample) : sweepReason(sample)
}

/** A path as the pattern could stand for: what is judged before anything is looked up. */
export const samplePath = (pattern: string): string => pattern.replace(/[*?]/g, 'x')

/** What lists the paths that a pattern stands for, each ended by a NUL. Hidden ones are left out, as a shell does. */
export function listingOf(pattern: string): string[] {
  const folder = pattern.slice(0, pattern.search(/[^/]*[*?]/)).replace(/(?<=.)\/$/, '')
  const depth = `${pattern.slice(folder.length).split('/').length - 1}`
  return [
    ...['find', '-L', folder, '-mindepth', depth, '-maxdepth', depth],
    ...['-path', pattern, '!', '-path', `${folder}/*/.*`, '!', '-path', `${folder}/.*`, '-print0'],
  ]
}

/** The paths in what the listing printed, in which a NUL may have become a blank; sorted as a shell sorts them. */
export function pathsIn(listed: string): string[] {
  return listed
    .split(/\0| (?=\/)/)
    .map((path) => path.replace(/[ \n]$/, ''))
    .filter((path) => path.startsWith('/'))
    .sort()
    .slice(0, mostPaths)
}
