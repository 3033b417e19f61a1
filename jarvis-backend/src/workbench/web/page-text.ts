import { gfm } from '@joplin/turndown-plugin-gfm'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { createHiddenCount, type Hidden, type HiddenCount, hiddenBy, hiddenSelectors, type Looked } from './hidden.ts'
import { nestingOf, strippedOf } from './nesting.ts'

/**
 * The text of a page. `how`: made from the page's article, from the whole page, or by stripping the tags if the page is nested too deeply for a
 * parser.
 */
export type PageText = { title: string; text: string; how: 'article' | 'whole' | 'stripped'; hidden: Hidden }

/** Limits of nesting. Some parsers need minutes for deeper pages, and the deepest pages overflow every parser's stack. */
const deepest = { article: 200, whole: 3_000 }
/** The least length of an article, characters. A shorter one is a list of links or a form, and readers of such a page want all of it. */
const fewestChars = 250
const mostElements = 60_000

/** Elements that hold no text of the page. */
const noText = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'embed',
  'svg',
  'canvas',
  'video',
  'audio',
]
const controls = ['form', 'button', 'input', 'select', 'textarea', 'dialog']
const frame = ['nav', 'header', 'footer', 'aside']

/**
 * Converts a page of HTML to Markdown, without content that its readers would not see. Some pages take seconds and much memory, so it runs in a
 * worker.
 * @param address the page's URL, against which its links are resolved
 */
export function pageText(html: string, address: string): PageText {
  const depth = nestingOf(html)
  if (depth <= deepest.article) {
    try {
      return articleOf(html, address)
    } catch {
      // The page is too large or too odd for this library.
    }
  }
  if (depth <= deepest.whole) {
    try {
      const count = createHiddenCount()
      const text = markdownOf(html, address, count)
      return { title: titleOf(html), text, how: 'whole', hidden: count.found() }
    } catch {
      // The parser gave up.
    }
  }
  return { title: titleOf(html), text: strippedOf(html), how: 'stripped', hidden: { count: 0, reasons: [] } }
}

/** The title of a page that no parser reads, found by a regular expression. */
const titleOf = (html: string) => strippedOf(/<title[^<>]{0,200}>([^<]{0,400})/i.exec(html)?.[1] ?? '')

type Parsed = ReturnType<typeof parseHTML>['document']
type ParsedElement = NonNullable<ReturnType<Parsed['querySelector']>>

function articleOf(html: string, address: string): PageText {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  if (document.getElementsByTagName('*').length > mostElements) throw new Error('The page has too many elements.')
  const count = createHiddenCount()
  const base = baseOf(document, address)
  const title = document.title.trim()
  removeHidden(document, count)
  removeAll(document, noText)
  for (const link of document.querySelectorAll('a[href]')) {
    const href = absolute(link.getAttribute('href') ?? '', base)
    if (href === undefined) link.removeAttribute('href')
    else link.setAttribute('href', href)
  }
  const body = document.body?.cloneNode(true) as ParsedElement | undefined
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
    keepClasses: true,
    disableJSONLD: true,
  }).parse()
  const isArticle = (article?.textContent?.trim().length ?? 0) >= fewestChars
  if (!isArticle && body !== undefined) removeAll(body, frame)
  const read = isArticle ? (article?.content ?? '') : (body?.innerHTML ?? '')
  return {
    title: title !== '' ? title : titleOf(html),
    text: markdownOf(read, base, count),
    how: isArticle ? 'article' : 'whole',
    hidden: count.found(),
  }
}

function removeHidden(document: Parsed, count: HiddenCount) {
  const remove = (element: ParsedElement, reason: string) => {
    if (element.parentNode === null || element === document.documentElement || element === document.body) return
    count.add(reason, element.textContent ?? '')
    element.remove()
  }
  const sheets = [...document.querySelectorAll('style')].map(({ textContent }) => textContent ?? '')
  for (const [selector, reason] of hiddenSelectors(sheets.join('\n').slice(0, 500_000)))
    for (const element of document.querySelectorAll(selector)) remove(element, reason)
  for (const element of document.querySelectorAll('[hidden],[aria-hidden],[style]')) {
    const reason = hiddenBy(element as unknown as Looked)
    if (reason !== undefined) remove(element, reason)
  }
  const comments = document.createTreeWalker(document.documentElement, 128)
  const found: { remove(): void; textContent: string | null }[] = []
  for (let node = comments.nextNode(); node !== null; node = comments.nextNode())
    found.push(node as unknown as { remove(): void; textContent: string | null })
  for (const comment of found) {
    count.add('a comment', comment.textContent ?? '')
    comment.remove()
  }
}

const removeAll = (within: Pick<Parsed, 'querySelectorAll'>, names: readonly string[]) => {
  for (const element of within.querySelectorAll(names.join(','))) element.remove()
}

function baseOf(document: Parsed, address: string): string {
  const given = document.querySelector('base[href]')?.getAttribute('href')
  return absolute(given ?? '', address) ?? address
}

/** The absolute http(s) URL of a link; undefined if the link stays on the page or leads elsewhere. */
function absolute(href: string, base: string): string | undefined {
  if (href === '' || href.startsWith('#') || !URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
}

function markdownOf(html: string, base: string, count: HiddenCount): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    emDelimiter: '*',
  })
  service.use(gfm)
  service.addRule('hidden', {
    filter(node) {
      const reason = hiddenBy(node as unknown as Looked)
      if (reason !== undefined) count.add(reason, node.textContent ?? '')
      return reason !== undefined
    },
    replacement: () => '',
  })
  service.remove(['title', ...noText, ...controls] as TurndownService.TagName[])
  // Pictures of a page are not loaded, so only their alternative text is kept.
  service.addRule('picture', {
    filter: 'img',
    replacement(_content, node) {
      const alt = ((node as unknown as Looked).getAttribute?.('alt') ?? '').replace(/\s+/g, ' ').trim()
      return alt === '' ? '' : `(picture: ${alt.replace(/[[\]()]/g, '')})`
    },
  })
  service.addRule('link', {
    filter: 'a',
    replacement(content, node) {
      const words = content.trim()
      const href = absolute((node as unknown as Looked).getAttribute?.('href') ?? '', base)
      if (words === '' || href === undefined) return content
      return words === href
        ? `<${href}>`
        : `[${words.replace(/\n+/g, ' ')}](${href.replace(/[()\s]/g, encodeURIComponent)})`
    },
  })
  return service
    .turndown(html)
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
