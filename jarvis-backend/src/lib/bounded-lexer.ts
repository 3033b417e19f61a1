import { Lexer, type MarkedOptions, type Token, type TokensList } from 'marked'

/** Maximum depth of nested quotations, lists and emphasis. Deeper content becomes plain text. */
const deepest = 24
/** Maximum signs of inline Markdown in one paragraph. The lexer compares them in pairs, so a paragraph with more becomes plain text. */
const mostSigns = 500
/** Maximum list items in one text, because the lexer compares each with the items after it. */
const mostItems = 2_000
/** Maximum characters. A longer text becomes plain text. */
const longest = 200_000

const marks = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/gm
const signs = /[*_~`[\]!<]/g

/** A Markdown lexer with limits on depth and time, because strangers may have written the text. */
class BoundedLexer extends Lexer {
  private depth = 0

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    if ((src.match(marks)?.length ?? 0) > mostItems) return plain(src, tokens)
    return this.within(src, tokens, () => super.blockTokens(src, tokens, isClipped))
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if ((src.match(signs)?.length ?? 0) > mostSigns) return plain(src, tokens)
    return this.within(src, tokens, () => super.inlineTokens(src, tokens))
  }

  private within(src: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.depth >= deepest) return plain(src, tokens)
    this.depth += 1
    try {
      return read()
    } finally {
      this.depth -= 1
    }
  }
}

function plain(text: string, tokens: Token[]): Token[] {
  if (text !== '') tokens.push({ type: 'text', raw: text, text, escaped: false })
  return tokens
}

/**
 * Returns the tokens of a Markdown text that strangers may have written. Never throws: a text that cannot be parsed becomes one token of plain text.
 * @param options undefined: GFM
 * @param links definitions of links that stand before the text
 */
export function tokensOf(markdown: string, options?: MarkedOptions, links: TokensList['links'] = {}): TokensList {
  try {
    if (markdown.length <= longest) {
      const lexer = new BoundedLexer(options ?? { gfm: true })
      Object.assign(lexer.tokens.links, links)
      return lexer.lex(markdown)
    }
  } catch {
    // An extension or the lexer failed on the text, so the text is shown as plain text.
  }
  return Object.assign(plain(markdown, []), { links: { ...links } })
}
