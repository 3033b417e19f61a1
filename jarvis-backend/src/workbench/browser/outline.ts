import { quoted } from 'redaction/visible'

/** A node of the accessibility tree, as Playwright returns it. A string is plain text. `url`: the address of a link, as the page wrote it. */
export type AriaNode = {
  role: string
  name?: string
  ref?: string
  text?: string
  url?: string
  cursor?: string
  placeholder?: string
  children?: readonly (AriaNode | string)[]
  [state: string]: unknown
}

/** An element of a page that can be acted on. `ref`: Playwright's reference, unique in its tab as long as the element exists. */
export type Element = { ref: string; role: string; name: string; url?: string; box?: Box }
/** A box in CSS pixels, from the top left corner of the visible part of the page. */
export type Box = { x: number; y: number; width: number; height: number }

const interactive = new Set([
  ...['button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider'],
  ...['spinbutton', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'option'],
])
const states = ['checked', 'disabled', 'expanded', 'pressed', 'selected', 'active', 'level'] as const
const mostName = 120
const mostText = 400

/** The most bytes of one answer about a page. */
export const mostBytes = 24 * 1024
/** The share of these bytes for the list of elements, if the page does not fit. */
const elementBytes = 14 * 1024

/** The name of an element for a confirmation. An element without a name, such as a clickable box, is named by its text. */
const nameOf = ({ name, text, placeholder }: AriaNode): string => name ?? placeholder ?? (text ?? '').slice(0, mostName)

const isInteractive = ({ role, ref, cursor }: AriaNode) =>
  ref !== undefined && (interactive.has(role) || (cursor === 'pointer' && role === 'generic'))

/** All elements with a reference, in the page's order. */
export function elementsOf(tree: readonly (AriaNode | string)[]): Element[] {
  const found: Element[] = []
  walk(tree, (node) => {
    if (node.ref === undefined) return
    const { ref, role, url, box } = node
    found.push({
      ref,
      role,
      name: nameOf(node),
      url,
      ...(box !== undefined && { box: box as Box }),
    })
  })
  return found
}

/** The elements that a person can press, fill or choose. */
export const interactiveOf = (tree: readonly (AriaNode | string)[]): Element[] => {
  const refs = new Set<string>()
  walk(tree, (node) => {
    if (isInteractive(node) && node.ref !== undefined) refs.add(node.ref)
  })
  return elementsOf(tree).filter(({ ref }) => refs.has(ref))
}

/** Returns true if a page shows content of a frame. */
export function showsFrame(tree: readonly (AriaNode | string)[]): boolean {
  let isShown = false
  walk(tree, ({ role, children = [] }) => {
    isShown ||= role === 'iframe' && children.length > 0
  })
  return isShown
}

/** Calls `see` for each node, a parent before its children. It does not recurse, because pages can be nested deeper than the call stack allows. */
function walk(tree: readonly (AriaNode | string)[], see: (node: AriaNode, depth: number) => void): void {
  const open = [...tree].reverse().map((node) => ({ node, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    if (typeof node === 'string') continue
    see(node, depth)
    for (const child of [...(node.children ?? [])].reverse()) open.push({ node: child, depth: depth + 1 })
  }
}

type Line = { text: string; isElement: boolean }

/** The lines of a page: `- button "Save" [t1e5]`. Boxes without a meaning of their own are left out, but their content stays. */
function linesOf(tree: readonly (AriaNode | string)[], tab: string): Line[] {
  const lines: Line[] = []
  const open: { node: AriaNode | string; depth: number }[] = [...tree].reverse().map((node) => ({ node, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    const indent = '  '.repeat(Math.min(depth, 12))
    if (typeof node === 'string') {
      lines.push({ text: `${indent}- text: ${quoted(node, mostText)}`, isElement: false })
      continue
    }
    const isBare = node.role === 'generic' && node.name === undefined && !isInteractive(node)
    if (!isBare) lines.push({ text: indent + lineOf(node, tab), isElement: isInteractive(node) })
    else if (node.text !== undefined && node.text !== '')
      lines.push({ text: `${indent}- text: ${quoted(node.text, mostText)}`, isElement: false })
    for (const child of [...(node.children ?? [])].reverse())
      open.push({ node: child, depth: isBare ? depth : depth + 1 })
  }
  return lines
}

function lineOf(node: AriaNode, tab: string): string {
  const { role, name, ref, text, url } = node
  const parts = [`- ${role}`]
  if (name !== undefined && name !== '') parts.push(quoted(name, mostName))
  for (const state of states) {
    const value = node[state]
    if (value !== undefined && value !== false) parts.push(value === true ? state : `${state}=${String(value)}`)
  }
  if (ref !== undefined) parts.push(`[${tab}${ref}]`)
  if (url !== undefined) parts.push(`to ${quoted(url, 200)}`)
  return parts.join(' ') + (text === undefined || text === '' ? '' : `: ${quoted(text, mostText)}`)
}

/** The node with a reference, or undefined. */
function within(tree: readonly (AriaNode | string)[], ref: string): AriaNode | undefined {
  let found: AriaNode | undefined
  walk(tree, (node) => {
    if (node.ref === ref) found ??= node
  })
  return found
}

/**
 * Describes a page for the model, in at most 24 KiB. If a page is larger, the description holds the elements that can be acted on, then the
 * beginning of the text.
 * @param tab the prefix of references, `t1` @param look `find`: only lines with these words; `within`: only the part inside this reference
 */
export function outlineOf(
  tree: readonly (AriaNode | string)[],
  tab: string,
  look: { find?: string | undefined; within?: string | undefined } = {},
): { text: string; isCut: boolean } | undefined {
  const root = look.within === undefined ? tree : within(tree, look.within)
  if (root === undefined) return undefined
  const lines = linesOf(Array.isArray(root) ? root : [root as AriaNode], tab)
  const wanted = look.find?.toLowerCase()
  const shown = wanted === undefined ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted))
  if (shown.length === 0)
    return { text: wanted === undefined ? 'Nothing is on it.' : 'No line has these words.', isCut: false }
  const whole = shown.map(({ text }) => text).join('\n')
  if (Buffer.byteLength(whole) <= mostBytes) return { text: whole, isCut: false }
  const elements = shown.filter(({ isElement }) => isElement)
  const first = firstOf(
    elements.map(({ text }) => text.trimStart()),
    elementBytes,
  )
  const rest = firstOf(
    shown.filter(({ isElement }) => !isElement).map(({ text }) => text),
    mostBytes - first.bytes - 400,
  )
  const text = [
    `The page is too large to show whole. What can be acted on (${first.lines.length} of ${elements.length}):`,
    ...first.lines,
    `Its text (${rest.lines.length} of ${shown.length - elements.length} lines):`,
    ...rest.lines,
  ].join('\n')
  return { text, isCut: true }
}

/** The first lines that fit into `most` bytes. */
function firstOf(lines: readonly string[], most: number): { lines: string[]; bytes: number } {
  let bytes = 0
  const kept: string[] = []
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1
    if (bytes + size > most) break
    bytes += size
    kept.push(line)
  }
  return { lines: kept, bytes }
}

const mostNews = 4 * 1024

/** The lines that a page did not show before, at most 4 KiB. Empty if nothing is new. */
export function newsOf(
  before: readonly (AriaNode | string)[],
  now: readonly (AriaNode | string)[],
  tab: string,
): string {
  const known = new Set(linesOf(before, tab).map(({ text }) => text.trimStart()))
  const fresh = linesOf(now, tab)
    .map(({ text }) => text.trimStart())
    .filter((text) => !known.has(text))
  const { lines } = firstOf(fresh, mostNews)
  if (lines.length === 0) return ''
  const more = fresh.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more new lines`] : [])].join('\n')
}
