/** The part of an element that these rules read. Two libraries create such elements. */
export type Looked = {
  nodeName: string
  textContent: string | null
  getAttribute?(name: string): string | null
  hasAttribute?(name: string): boolean
}

/** Hidden text with fewer words than this is an icon, an anchor or a spacer. */
const fewestWords = 3

const styles: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/(?:^|;)\s*display\s*:\s*none/i, 'display: none'],
  [/(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/i, 'visibility: hidden'],
  [
    /(?:^|;)\s*font(?:-size)?\s*:[^;]*?(?<![\d.])(?:0+(?:\.0+)?|\.0+)(?:px|pt|em|rem|%|vw)?\s*(?:!|;|\/|$)/i,
    'font-size 0',
  ],
  [/(?:^|;)\s*font-size\s*:\s*0?\.\d+px/i, 'font-size 0'],
  [/(?:^|;)\s*opacity\s*:\s*(?:0?\.0\d*|0+(?:\.0+)?%?)\s*(?:!|;|$)/i, 'opacity 0'],
  [/(?:^|;)\s*(?:left|right|top|bottom|text-indent|margin(?:-left|-top)?)\s*:\s*-\d{3,}/i, 'off the screen'],
  [/(?:^|;)\s*transform\s*:[^;]*(?:scale[XY]?\(\s*0|translate[XY]?\(\s*-\d{4,})/i, 'off the screen'],
  [/(?:^|;)\s*clip(?:-path)?\s*:\s*(?:rect\(\s*(?:0|1px)[\s,]|inset\(\s*(?:50|100)%)/i, 'clipped away'],
  [/(?:^|;)\s*color\s*:\s*transparent/i, 'transparent'],
]

const isSmall = /(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|$)/i
const cutsOff = /(?:^|;)\s*overflow\s*:\s*hidden/i

/** Returns the reason why a declaration block makes its element invisible; undefined if it does not. */
export function hidingStyle(style: string): string | undefined {
  const read = style.slice(0, 500)
  const found = styles.find(([pattern]) => pattern.test(read))
  return found?.[1] ?? (isSmall.test(read) && cutsOff.test(read) ? 'clipped away' : undefined)
}

/** Returns the reason why a reader of the page would not see an element; undefined if its own attributes do not hide it. */
export function hiddenBy(element: Looked): string | undefined {
  const has = (name: string) => element.getAttribute?.(name) ?? undefined
  if (has('hidden') !== undefined) return 'hidden'
  if (has('aria-hidden')?.toLowerCase() === 'true') return 'aria-hidden'
  const style = has('style')
  return style === undefined ? undefined : hidingStyle(style)
}

/** Counts passages that a page contains but does not show. */
export interface HiddenCount {
  /** Counts a passage, unless it has only a few words. @param text the passage */
  add(reason: string, text: string): void
  found(): Hidden
}

/** Makes a counter of hidden passages. A passage is counted under the reason why it is hidden. */
export function createHiddenCount(): HiddenCount {
  const reasons = new Map<string, number>()
  return {
    add(reason, text) {
      if ((text.match(/[\p{L}\p{N}]+/gu) ?? []).length < fewestWords) return
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    },
    found: () => ({
      count: [...reasons.values()].reduce((sum, one) => sum + one, 0),
      reasons: [...reasons.keys()],
    }),
  }
}

/** Passages that a page contains but does not show. `reasons`: each reason once. */
export type Hidden = { count: number; reasons: string[] }

/** The limit of rules that are read from a page's own style sheets. Only selectors of one class, id or element are read. */
const mostRules = 500
const selector = /^[.#]?[a-zA-Z][\w-]{0,80}$/

/** The simple selectors that a style sheet hides, with the reasons. Rules inside `@media` and other at-rules are ignored. */
export function hiddenSelectors(sheet: string): Map<string, string> {
  const found = new Map<string, string>()
  const flat = withoutBlocks(sheet.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' '))
  let read = 0
  for (const [, selectors = '', body = ''] of flat.matchAll(/\{(?<=([^{}]{1,400})\{)([^{}]{0,4000})\}/g)) {
    read += 1
    if (read > mostRules) break
    const reason = hidingStyle(body)
    if (reason === undefined) continue
    for (const one of selectors.split(',')) if (selector.test(one.trim())) found.set(one.trim(), reason)
  }
  return found
}

/** Removes the at-rules of a style sheet, because their blocks hold rules for other screens. */
function withoutBlocks(sheet: string): string {
  let rest = ''
  let from = 0
  for (let at = sheet.indexOf('@'); at >= 0; at = sheet.indexOf('@', from)) {
    rest += sheet.slice(from, at)
    let depth = 0
    let end = at
    for (; end < sheet.length; end += 1) {
      const char = sheet[end]
      if (char === ';' && depth === 0) break
      if (char === '{') depth += 1
      if (char === '}') {
        depth -= 1
        if (depth <= 0) break
      }
    }
    from = end + 1
  }
  return rest + sheet.slice(from)
}
