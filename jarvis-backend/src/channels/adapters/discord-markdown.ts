import type { Token, Tokens } from 'marked'
import { tokensOf } from '../../lib/bounded-lexer.ts'
import { columnsOf } from '../talk/parts.ts'

/** Escapes a text so that Discord shows each character as it is. No emphasis, link, mention, list or quotation begins in it. */
export const escaped = (text: string) =>
  text
    .replaceAll(/[\\*_~`|[\]<@]/g, '\\$&')
    .replaceAll('://', '\\://')
    .replaceAll(/^([^\S\r\n\u2028\u2029]*)([#>+-])/gm, '$1\\$2')

/**
 * Converts Markdown that models and tools wrote to Discord's Markdown. HTML in it is shown as text, a link is shown with its address, nothing in it
 * pings anybody, and no link leads elsewhere than its text says.
 */
export const discordMarkdown = (markdown: string): string => blocks(tokensOf(markdown)).trim()

const blocks = (tokens: readonly Token[]): string =>
  tokens
    .map(block)
    .filter((text) => text !== '')
    .join('\n\n')

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'heading':
      return `**${inline(token.tokens)}**`
    case 'code':
      return fenced(token.text)
    case 'table':
      return fenced(columnsOf(token as Tokens.Table))
    case 'blockquote':
      return blocks(token.tokens ?? [])
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n')
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

/** Discord ends a code block at the first three backticks, so a zero-width character is put between three backticks of the text. */
const fenced = (code: string) => `\`\`\`\n${code.replaceAll('```', '``\u200b`')}\n\`\`\``

function listOf({ items, ordered, start }: Tokens.List): string {
  const first = typeof start === 'number' ? start : 1
  return items
    .map(({ tokens, task, checked }, at) => {
      const mark = ordered ? `${first + at}. ` : '- '
      const box = task ? (checked === true ? '☑ ' : '☐ ') : ''
      const text = tokens
        .filter(({ type }) => type !== 'checkbox')
        .map(block)
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
      return `**${inline(token.tokens)}**`
    case 'em':
      return `*${inline(token.tokens)}*`
    case 'del':
      return `~~${inline(token.tokens)}~~`
    case 'codespan':
      // Backticks are replaced, because Discord would pair them in another way.
      return `\`${token.text.replaceAll('`', 'ˋ')}\``
    case 'br':
      return '\n'
    case 'link':
    case 'image': {
      const { text, href } = token as Tokens.Link
      const words = token.type === 'link' ? inline(token.tokens) : escaped(text)
      return text === href ? escaped(href) : `${words} (${escaped(href)})`
    }
    case 'escape':
      return escaped(token.text)
    case 'text':
      return token.tokens === undefined ? escaped(token.text) : inline(token.tokens)
    default:
      return escaped(token.raw)
  }
}
