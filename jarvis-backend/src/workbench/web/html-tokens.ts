/** A piece of HTML: text, or a tag with its name in lower case. */
export type HtmlToken = { text: string } | { name: string; isEnd: boolean; isClosed: boolean }

/** Elements whose content is not parsed as markup. */
const raw = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'noscript', 'template', 'svg', 'iframe'])

/** The tags and texts of a page, roughly as a parser reads them. Comments are left out. The time is linear in the page's length. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  let from = 0
  while (at < html.length) {
    at = html.indexOf('<', at)
    if (at < 0) break
    const next = html[at + 1] ?? ''
    if (!/[a-zA-Z/!?]/.test(next)) {
      at += 1
      continue
    }
    if (at > from) yield { text: html.slice(from, at) }
    if (next === '!' || next === '?') {
      at = html.startsWith('<!--', at) ? after(html, '-->', at + 4) : after(html, '>', at)
      from = at
      continue
    }
    const end = endOfTag(html, at + 1)
    const [, slash, name = ''] = /^<(\/?)([^\s/>]{0,40})/.exec(html.slice(at, at + 45)) ?? []
    const token = { name: name.toLowerCase(), isEnd: slash === '/', isClosed: html[end - 2] === '/' }
    at = end
    if (!token.isEnd && !token.isClosed && raw.has(token.name)) {
      const close = new RegExp(`</${token.name}`, 'gi')
      close.lastIndex = at
      const found = close.exec(html)
      yield { ...token, isClosed: true }
      if (token.name === 'title' && found !== null) yield { text: `${html.slice(at, found.index)}\n` }
      at = found === null ? html.length : endOfTag(html, found.index + 1)
    } else yield token
    from = at
  }
  if (from < html.length) yield { text: html.slice(from) }
}

const after = (html: string, mark: string, from: number) => {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}

/** Returns the position after the `>` that ends a tag. A `>` within quotes does not end it. */
function endOfTag(html: string, from: number): number {
  const ends = /[>"']/g
  ends.lastIndex = from
  for (let found = ends.exec(html); found !== null; found = ends.exec(html)) {
    if (found[0] === '>') return found.index + 1
    ends.lastIndex = after(html, found[0], found.index + 1)
  }
  return html.length
}
