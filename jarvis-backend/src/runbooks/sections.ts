import type { Say } from './lines.ts'

/** A section: a heading such as `## 2. Is it the decoder`, and the text under it. Lines are counted from 1. */
export type Section = { number: number; title: string; line: number; text: string; firstLine: number }
export type Sections = { front: { text: string; firstLine: number } | undefined; about: string; sections: Section[] }

const heading = /^##\s+(\S.*)$/
/** Matches the first line with a key in a section. The text before it is for people. */
const keyLine = /^[A-Za-z_]\w*:(?:\s|$)/

/** Splits a runbook into its front matter, its introduction, and its numbered sections. */
export function split(text: string, say: Say): Sections {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  let at = 0
  let front: Sections['front']
  if (/^---\s*$/.test(lines[0] ?? '')) {
    const end = lines.findIndex((line, index) => index > 0 && /^---\s*$/.test(line))
    if (end === -1) say(1, 'The front matter has no end: a line --- is missing.')
    front = { text: lines.slice(1, end === -1 ? undefined : end).join('\n'), firstLine: 2 }
    at = end === -1 ? lines.length : end + 1
  } else say(1, 'A runbook begins with front matter: --- name: … ---.')
  const first = lines.findIndex((line, index) => index >= at && heading.test(line))
  const about = lines
    .slice(at, first === -1 ? undefined : first)
    .join('\n')
    .trim()
  const sections: Section[] = []
  for (let from = first; from !== -1 && from < lines.length; ) {
    const next = lines.findIndex((line, index) => index > from && heading.test(line))
    const to = next === -1 ? lines.length : next
    const [, head = ''] = heading.exec(lines[from] ?? '') ?? []
    const [, number, said] = /^(\d+)\.(.*)$/.exec(head) ?? []
    const title = said?.trim()
    const expected = sections.length + 1
    if (number === undefined || title === '' || Number(number) !== expected)
      say(from + 1, `A step is headed \`## ${expected}. Title\`.`, { column: 1 })
    const keysAt = lines.findIndex((line, index) => index > from && index < to && keyLine.test(line))
    const begin = keysAt === -1 ? to : keysAt
    sections.push({
      number: expected,
      title: title ?? head,
      line: from + 1,
      text: lines.slice(begin, to).join('\n'),
      firstLine: begin + 1,
    })
    from = next
  }
  return { front, about, sections }
}
