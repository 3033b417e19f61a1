/** Heading of the lines that JARVIS writes into a day's file. The lines quote tool outputs, so they count as untrusted when they are recalled. */
export const ownHeading = '## What JARVIS did'
/**
 * Heading of notes that are not the operator's: a client wrote them, or a model that had read foreign text before. They count as foreign text when
 * they are recalled.
 */
export const othersHeading = '## What others wrote'
const untrusted: ReadonlySet<string> = new Set([ownHeading, othersHeading])
const notesHeading = '## Notes'

/** Path of a day's file, `memory/2026-01-31.md`, in local time. */
export function dailyPath(at: number): string {
  const day = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `memory/${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}.md`
}

/** The text to append to a day's file so that `line` stands under its heading. @param text the present file */
export function dailyAddition(text: string, line: string, by: 'jarvis' | 'others' | 'notes'): string {
  const last = [...text.matchAll(/^##? .+$/gm)].at(-1)?.[0].trim() ?? ''
  const heading = { jarvis: ownHeading, others: othersHeading, notes: notesHeading }[by]
  const isThere = by === 'notes' ? !untrusted.has(last) : last === heading
  return isThere ? `${line}\n` : `\n${heading}\n\n${line}\n`
}

/** Returns the text of a file that the operator did not write: the parts below the headings of JARVIS and of others. */
export const ownTextOf = (text: string): string =>
  partsOf(text)
    .flatMap((part) => (part.isFromTools ? part.text : []))
    .join('\n')

/** Matches a lesson's first line, which names its conversation. The other lines of a lesson are indented. */
const lessonStart = /^- .{1,400}\(ses_[a-z\d]{8,64}\)$/
/** How many lines are searched upwards for a lesson's start. */
const mostLessonLines = 1_000

/**
 * Returns the first line of the lesson that contains a line. It names the conversation that the line comes from. Undefined if the line is a first
 * line itself or in no lesson.
 * @param number of the line, from 1
 */
export function lessonAbove(lines: readonly string[], number: number): { text: string; number: number } | undefined {
  if (number > lines.length) return undefined
  for (let at = number; at > Math.max(0, number - mostLessonLines); at -= 1) {
    const text = lines[at - 1] ?? ''
    if (/^\s|^$/.test(text)) continue
    return at !== number && lessonStart.test(text) ? { text, number: at } : undefined
  }
  return undefined
}

/** Splits a file into parts by author. `isFromTools`: the part stands below the heading of JARVIS or of others. */
export function partsOf(text: string): { text: string; isFromTools: boolean; firstLine: number }[] {
  // Most files have no such heading; their text is returned without a copy.
  if (![...untrusted].some((heading) => text.includes(heading))) return [{ text, isFromTools: false, firstLine: 1 }]
  const parts: { text: string; isFromTools: boolean; firstLine: number }[] = []
  let lines: string[] = []
  let isFromTools = false
  let firstLine = 1
  const flush = (next: number) => {
    if (lines.length > 0) parts.push({ text: lines.join('\n'), isFromTools, firstLine })
    lines = []
    firstLine = next
  }
  text.split('\n').forEach((line, at) => {
    if (/^##? /.test(line)) {
      const isUntrusted = untrusted.has(line.trim())
      if (isUntrusted !== isFromTools) flush(at + 1)
      isFromTools = isUntrusted
    }
    lines.push(line)
  })
  flush(0)
  return parts
}
