import type { FileDiff } from 'protocol'

const changes: Readonly<Record<string, FileDiff['change']>> = { A: 'added', D: 'deleted' }
const kinds: Readonly<Record<string, string>> = { '120000': 'It is a link.', '160000': 'It is another repository.' }
const bits = (mode: string) => mode.slice(-3)

/**
 * Reads the output of `git diff --raw -z --patch`: first the list of files, then the lines of each file, in the same order.
 * @param most the limit of lines for all files; further lines are only counted @param place the prefix of each path
 */
export function filesOfPatch(text: string, place: string, most: number): FileDiff[] {
  const raw = [...text.matchAll(/:(\d+) (\d+) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*\0([^\0]+)\0/gy)]
  const patch = text.slice(raw.reduce((sum, [whole]) => sum + whole.length, 0))
  // Each line of a file's content begins with a sign, so no such line is mistaken for the beginning of the next file.
  const parts = patch
    .replace(/^\0/, '')
    .split(/^diff --git /m)
    .slice(1)
  let free = most
  return raw.map(([, old = '', made = '', status = '', path = '']): FileDiff => {
    // A file that becomes a link, or a link that becomes a file, is printed twice: as deleted and as added.
    const printed = parts.splice(0, status === 'T' ? 2 : 1).map((part) => part.split('\n'))
    const lines = printed.flatMap((part) => linesOf(part))
    const shown = lines.slice(0, free)
    free -= shown.length
    const isBinary = lines.length === 0 && printed.flat().some((line) => line.startsWith('Binary files '))
    const note = kinds[made] ?? kinds[old] ?? (isBinary ? 'It is no text.' : undefined)
    const change = changes[status] ?? (lines.length === 0 && !isBinary ? 'mode' : 'changed')
    const isMode = Number(old) !== 0 && Number(made) !== 0 && old !== made
    return {
      path: `${place}/${path}`,
      change,
      lines: shown,
      left: lines.length - shown.length,
      ...(isMode && { mode: `${bits(old)} → ${bits(made)}` }),
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
      ...(note !== undefined && { note }),
    }
  })
}

function linesOf(part: readonly string[]): string[] {
  const first = part.findIndex((line) => line.startsWith('@@'))
  return first === -1 ? [] : part.slice(first).filter((line) => /^[ +\-@]/.test(line))
}
