import { Lexer, type MarkedOptions, type Token, type TokensList } from 'marked'

/** Quotations, lists and emphasis within one another; what stands deeper is plain text. */
const deepest = 24
/** Signs of inline Markdown in one paragraph. The lexer compares them in pairs, so a paragraph with more is plain text. */
const mostSigns = 500
/** Items of lists in one text, because each costs a look at those after it. */
const mostItems = 2_000
/** Longer texts are plain text, characters. */
const longest = 200_000

const marks = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/gm
const signs = /[*_~`[\]!<]/g

/** A lexer of Markdown whose depth and time are bounded, because the text may come from anybody. */
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
 * The tokens of Markdown that anybody may have written. Never throws: a text that cannot be read is one token of plain text.
 * @param options GFM where absent
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
    // An extension or the lexer failed on the text, which is shown as it was written.
  }
  return Object.assign(plain(markdown, []), { links: { ...links } })
}
