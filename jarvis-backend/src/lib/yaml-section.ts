import { type Document, isMap, isScalar, parseDocument, YAMLMap } from 'yaml'

type Edit = (section: YAMLMap, document: Document) => void

/**
 * Changes the map under one key of a YAML file. All bytes outside the lines of that key stay the same. Inside, comments stay beside the lines to
 * which they belong. The file must have a line for each key, as people write it. The caller must compare the parsed content before and after.
 */
export function withSection(text: string, key: string, edit: Edit): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/(?<=\n)/)
  const from = lines.findIndex((line) => isKey(line, key))
  if (from < 0) {
    const gap = text === '' || text.endsWith('\n') ? '' : end
    const blank = text.trim() === '' || /\n[^\S\n]*\n$/.test(text) ? '' : end
    return `${text}${gap}${blank}${rendered(`${key}:\n`, edit, { key, end })}`
  }
  const to = endOf(lines, from)
  const own = lines.slice(from, to).join('')
  const made = rendered(own.replaceAll('\r\n', '\n'), edit, { key, end })
  const isUnended = to === lines.length && !own.endsWith('\n')
  return [...lines.slice(0, from), isUnended ? made.trimEnd() : made, ...lines.slice(to)].join('')
}

const isKey = (line: string, key: string) => {
  const shown = line.replace(/^\uFEFF/, '')
  return [key, `"${key}"`, `'${key}'`].some(
    (name) => shown.startsWith(name) && /^\s*:(?:\s|$)/.test(shown.slice(name.length)),
  )
}

/** Returns the index of the line after the last line of a key. Comments and blank lines before the next key belong to the next key. */
function endOf(lines: readonly string[], from: number): number {
  let to = from + 1
  while (to < lines.length && /^(?:\s|#|$)/.test(lines[to] ?? '')) to += 1
  while (to > from + 1 && /^(?:#|\s*$)/.test(lines[to - 1] ?? '')) to -= 1
  return to
}

function rendered(own: string, edit: Edit, { key, end }: { key: string; end: string }): string {
  const mark = own.startsWith('\uFEFF') ? '\uFEFF' : ''
  const document = parseDocument(own.slice(mark.length), { version: '1.2', schema: 'core' })
  const value = document.get(key, true)
  const section = isMap(value) ? value : new YAMLMap(document.schema)
  if (section !== value) {
    // Keeps the comments of a section whose lines are all commented out.
    if (isScalar(value)) section.commentBefore = value.commentBefore ?? value.comment ?? null
    document.set(key, section)
  }
  if (section.items.length === 0) section.flow = false
  edit(section, document)
  return mark + document.toString({ lineWidth: 0 }).replaceAll('\n', end)
}
