import { offer } from '../offers.ts'
import { quotedInline } from '../words.ts'
import { type Finding, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

/** Reads the text of read_file: the hash, and the lines without their numbers. */
export function fileIn(text: string): { hash: string; lines: string[] } | undefined {
  const [head = '', ...rows] = text.split('\n')
  const [, hash] = /, hash ([0-9a-f]{12,64})\b/.exec(head) ?? []
  if (hash === undefined) return undefined
  return { hash, lines: rows.flatMap((row) => /^\d+ (.*)$/.exec(row)?.[1] ?? (/^\d+ ?$/.test(row) ? '' : [])) }
}

/** Changes one line of a file. @param edit returns the line's index and new text, or a sentence that tells why nothing changes */
function change(path: string, edit: (lines: readonly string[]) => { at: number; made: string } | string): Inquiry {
  const look = read('read_file', { path })
  return {
    find(seen): Reads | Finding {
      const looked = seen.of(look)
      if (looked === undefined) return { reads: [look] }
      const file = looked.isError ? undefined : fileIn(looked.text)
      if (file === undefined) return { say: `${path} I could not read, sir. ${looked.text}` }
      const wanted = edit(file.lines)
      if (typeof wanted === 'string') return { say: wanted }
      const { at, made } = wanted
      const edits = [editOf(file.lines, at, made)]
      return {
        say: `In \`${path}\`, line ${at + 1} says ${quotedInline((file.lines[at] ?? '').trim())}. It is to say ${quotedInline(made.trim())}; the rest stays byte for byte.`,
        act: read('edit_file', { path, hash: file.hash, edits }),
      }
    },
    check: (_seen, act) => ({
      say:
        notDone(act, path) ??
        `Very good, sir. ${act.text.split('\n', 1)[0]} Say ${offer('undo that')} and the old bytes come back.`,
    }),
  }
}

/**
 * Returns the smallest piece with the line that occurs only once in the file: the line without its indentation, the whole line, or the line with
 * lines around it.
 */
function editOf(lines: readonly string[], at: number, made: string): { oldText: string; newText: string } {
  const whole = lines.join('\n')
  const isOnce = (piece: string) => whole.indexOf(piece) === whole.lastIndexOf(piece)
  const line = lines[at] ?? ''
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const bare = line.slice(indent.length)
  if (bare !== '' && made.startsWith(indent) && isOnce(bare))
    return { oldText: bare, newText: made.slice(indent.length) }
  for (let more = 0; more < lines.length; more += 1) {
    const from = Math.max(0, at - more)
    const old = lines.slice(from, at + 1 + more)
    if (isOnce(old.join('\n'))) return { oldText: old.join('\n'), newText: old.with(at - from, made).join('\n') }
  }
  return { oldText: whole, newText: lines.with(at, made).join('\n') }
}

/** Replaces one text of a file by another, if it occurs in exactly one line. */
export const replacedText = (path: string, old: string, made: string): Inquiry =>
  change(path, (lines) => {
    const found = lines.flatMap((line, at) => (line.includes(old) ? [at] : []))
    const [at] = found
    if (at === undefined) return `${quotedInline(old)} does not stand in \`${path}\`, sir. Nothing was changed.`
    if (found.length > 1)
      return `${quotedInline(old)} stands in ${found.length} lines of \`${path}\`, sir. Name more of the line that you mean.`
    return { at, made: (lines[at] ?? '').replace(old, () => made) }
  })

/** Changes the value of a key: `restart: always`, or the published side of `- "8096:8096"` if a port is meant. */
export const changedKey = (path: string, key: string, value: string): Inquiry =>
  change(path, (lines) => {
    const isPort = /^ports?$/i.test(key)
    const port = lines.findIndex((line) => portLine.test(line))
    if (isPort && port >= 0) {
      if (!/^\d{1,5}$/.test(value)) return `${quotedInline(value)} is no port, sir.`
      const [, before = '', , after = ''] = portLine.exec(lines[port] ?? '') ?? []
      return { at: port, made: before + value + after }
    }
    const name = key.replace(/[.]/g, '\\$&')
    const keyed = new RegExp(`^(\\s*(?:- )?["']?${name}["']?\\s*[:=]\\s*)(["']?)([^\\s#"']+)(["']?)(.*)$`, 'i')
    const found = lines.flatMap((line, at) => (keyed.test(line) ? [at] : []))
    const [at] = found
    if (at === undefined) return `I see no ${key} in \`${path}\`, sir. Say ${offer(`show ${path}`)} and I read it out.`
    if (found.length > 1)
      return `${key} stands in ${found.length} lines of \`${path}\`, sir. Say “replace “…” with “…” in ${path}”.`
    const [, before = '', open = '', , close = '', rest = ''] = keyed.exec(lines[at] ?? '') ?? []
    return { at, made: before + open + value + close + rest }
  })

/** Matches `- "8096:8096"`, also with an address before it or a protocol after it. */
const portLine = /^(\s*- ["']?(?:[\d.]+:)?)(\d{1,5})(:\d{1,5}(?:\/\w+)?["']?.*)$/
