import type { FileDiff } from 'protocol'
import { type Entry, type FileChange, none, shownPath } from './entry.ts'
import { diffLines, hunksOf } from './line-diff.ts'
import { textOf } from './text.ts'

/** The most lines of the whole diff on a card. */
export const mostLines = 200

/**
 * The diff of a list of changes.
 * @param read returns bytes by their hash; undefined if they are not stored any more
 * @param most the limit of lines for all files; further lines are only counted
 */
export function diffOf(
  changes: readonly FileChange[],
  read: (hash: string) => Buffer | undefined,
  most = mostLines,
): FileDiff[] {
  let free = most
  return changes.map((change) => {
    const { old, new: made } = change
    const { lines, note } = linesOf(old, made, read)
    const shown = lines.slice(0, free)
    free -= shown.length
    const mode = modeOf(old, made)
    return {
      path: shownPath(change),
      change:
        old.kind === 'none' ? 'added' : made.kind === 'none' ? 'deleted' : isModeAlone(old, made) ? 'mode' : 'changed',
      ...(old.kind === 'file' && { old: old.hash }),
      ...(made.kind === 'file' && { new: made.hash }),
      mode,
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
      lines: shown,
      left: lines.length - shown.length,
      note,
    }
  })
}

/** Shows files that do not change, each with all its lines. @param most the limit of lines for all files; further lines are only counted */
export function namedDiff(
  files: readonly { path: string; hash?: string | undefined; bytes?: Buffer | undefined }[],
  most = mostLines,
): FileDiff[] {
  let free = most
  return files.map(({ path, hash, bytes }): FileDiff => {
    const text = bytes && textOf(bytes)
    const lines = (text?.lines ?? []).map((line) => ` ${line}`)
    const shown = lines.slice(0, free)
    free -= shown.length
    return {
      path,
      change: 'named',
      added: 0,
      removed: 0,
      lines: shown,
      left: lines.length - shown.length,
      ...(hash !== undefined && { old: hash, new: hash }),
      ...(text === undefined && {
        note: bytes === undefined ? 'It is over 20 MB, and is not shown.' : `It is no text: ${bytes.length} bytes.`,
      }),
    }
  })
}

/** The diff of two texts of one file, with every line of both; empty if the texts are equal. */
export function fileDiffOf(path: string, before: string, after: string): FileDiff[] {
  if (before === after) return []
  const linesIn = (text: string) => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))
  const lines = hunksOf(diffLines(linesIn(before), linesIn(after)))
  return [
    {
      path,
      change: before === '' ? 'added' : 'changed',
      lines,
      left: 0,
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
    },
  ]
}

/** The most lines of a whole diff. Nobody reads further. */
const mostOfAll = 20_000

/** The whole diff of files, for cards that show only its beginning. */
export const wholeDiff = (shown: readonly FileDiff[], read: (hash: string) => Buffer | undefined): FileDiff[] => {
  let free = mostOfAll
  return shown.map((file) => {
    const { path, old, new: made } = file
    // For a commit, the card already shows everything that is known.
    if (old === undefined && made === undefined) return file
    const [whole = file] =
      file.change === 'named'
        ? namedDiff([{ path, hash: made, bytes: made === undefined ? undefined : read(made) }], free)
        : diffOf([{ root: path, path: '', old: entryWith(old), new: entryWith(made) }], read, free)
    free -= whole.lines.length
    return { ...file, ...whole, path, change: file.change }
  })
}

const entryWith = (hash: string | undefined): Entry => (hash === undefined ? none : { kind: 'file', hash, mode: 0o644 })

const octal = (mode: number) => mode.toString(8).padStart(3, '0')
const modeIn = (entry: Entry) => (entry.kind === 'file' || entry.kind === 'folder' ? entry.mode : undefined)

function modeOf(old: Entry, made: Entry): string | undefined {
  const [before, after] = [modeIn(old), modeIn(made)]
  return before === undefined || after === undefined || before === after
    ? undefined
    : `${octal(before)} → ${octal(after)}`
}

const isModeAlone = (old: Entry, made: Entry) =>
  (old.kind === 'folder' && made.kind === 'folder') ||
  (old.kind === 'file' && made.kind === 'file' && old.hash === made.hash)

/** If a file is added or deleted, the line break at the end of its text does not count as another line. */
const linesBeside = (lines: readonly string[], others: readonly string[]): readonly string[] =>
  lines.length === 0 && others.at(-1) === '' ? [''] : lines

function becomes(old: Entry, made: Entry): string {
  if (old.kind === 'none') return `It is ${wordsOf(made)}.`
  return made.kind === 'none' ? `It was ${wordsOf(old)}.` : `What was ${wordsOf(old)} becomes ${wordsOf(made)}.`
}

const kinds = { none: 'nothing', file: 'a file', link: 'a link', folder: 'a folder' } as const
const wordsOf = (entry: Entry) => (entry.kind === 'link' ? `a link to ${entry.to}` : kinds[entry.kind])

function linesOf(
  old: Entry,
  made: Entry,
  read: (hash: string) => Buffer | undefined,
): { lines: string[]; note?: string } {
  const areFiles = [old, made].every(({ kind }) => kind === 'none' || kind === 'file')
  if (!areFiles || isModeAlone(old, made))
    return { lines: [], ...(old.kind !== made.kind && { note: becomes(old, made) }) }
  const [before, after] = [old, made].map((entry) => (entry.kind === 'file' ? read(entry.hash) : Buffer.alloc(0)))
  if (before === undefined || after === undefined) return { lines: [], note: 'Its content is not kept.' }
  const [one, other] = [textOf(before), textOf(after)]
  if (one === undefined || other === undefined)
    return { lines: [], note: `It is no text: ${before.length} bytes become ${after.length}.` }
  const lines = hunksOf(diffLines(linesBeside(one.lines, other.lines), linesBeside(other.lines, one.lines)))
  const ends = [
    ...(one.ending !== other.ending && before.length > 0 && after.length > 0
      ? [`Its lines end with ${other.ending}, not with ${one.ending}.`]
      : []),
    ...(one.hasBom !== other.hasBom && before.length > 0
      ? [other.hasBom ? 'It gets a byte order mark.' : 'Its byte order mark goes.']
      : []),
  ]
  return { lines, ...(ends.length > 0 && { note: ends.join(' ') }) }
}
