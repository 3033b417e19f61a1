import type { Token, Tokens } from 'marked'
import { tokensOf } from '../../lib/bounded-lexer.ts'
import { columnsOf } from '../talk/parts.ts'

export const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Converts Markdown that models and tools wrote to Telegram's HTML. All texts are escaped: HTML in them is shown as text, a link is shown with its
 * address, and nothing makes a button or loads a picture.
 */
export const htmlOf = (markdown: string): string => blocks(tokensOf(markdown)).trim()

const blocks = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => block(token))
    .filter((text) => text !== '')
    .join('\n\n')

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'heading':
      return `<b>${inline(token.tokens)}</b>`
    case 'code':
      return `<pre>${escaped(token.text)}</pre>`
    case 'table':
      return `<pre>${escaped(columnsOf(token as Tokens.Table))}</pre>`
    case 'blockquote':
      return `<blockquote>${withoutQuotes(blocks(token.tokens ?? []))}</blockquote>`
    case 'list':
      return listOf(token as Tokens.List)
    case 'hr':
      return '———'
    case 'paragraph':
    case 'text':
      return token.tokens === undefined ? escaped(token.raw) : inline(token.tokens)
    default:
      return escaped(token.raw.trimEnd())
  }
}

/** Removes quotations, because Telegram refuses a quotation inside a quotation. */
const withoutQuotes = (html: string) => html.replace(/<\/?blockquote>/g, '')

function listOf({ items, ordered, start }: Tokens.List): string {
  const first = typeof start === 'number' ? start : 1
  return items
    .map(({ tokens, task, checked }, at) => {
      const mark = ordered ? `${first + at}. ` : '• '
      const box = task ? (checked === true ? '☑ ' : '☐ ') : ''
      const text = tokens
        .filter(({ type }) => type !== 'checkbox')
        .map((token) => block(token))
        .filter((part) => part !== '')
        .join('\n')
      return `${mark}${box}${text.replaceAll('\n', `\n${' '.repeat(mark.length)}`)}`
    })
    .join('\n')
}

const inline = (tokens: readonly Token[] = []): string => tokens.map(inlineOne).join('')

function inlineOne(token: Token): string {
  switch (token.type) {
    case 'strong':
      return `<b>${inline(token.tokens)}</b>`
    case 'em':
      return `<i>${inline(token.tokens)}</i>`
    case 'del':
      return `<s>${inline(token.tokens)}</s>`
    case 'codespan':
      return `<code>${escaped(token.text)}</code>`
    case 'br':
      return '\n'
    case 'link':
      return withAddress(inline(token.tokens), (token as Tokens.Link).text, (token as Tokens.Link).href)
    case 'image':
      return withAddress(
        escaped((token as Tokens.Image).text),
        (token as Tokens.Image).text,
        (token as Tokens.Image).href,
      )
    case 'escape':
      return escaped(token.text)
    case 'text':
      return token.tokens === undefined ? escaped(token.text) : inline(token.tokens)
    default:
      return escaped(token.raw)
  }
}

/** The text of a link with its address behind it, both visible. */
const withAddress = (html: string, text: string, href: string) =>
  text === href ? escaped(href) : `${html} (${escaped(href)})`
