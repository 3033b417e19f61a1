import type { MarkedOptions, Token, TokenizerThis, Tokens } from 'marked'
import { useEffect, useRef, useState } from 'react'
import { visibleText } from '../../ui/visible.ts'
import { wake } from './parking.ts'

type Math = { type: 'math'; raw: string; text: string; isDisplay: boolean }
type Footnote = { type: 'footnote'; raw: string; label: string; tokens: Token[] }
type FootnoteRef = { type: 'footnoteRef'; raw: string; label: string }

const math = (found: RegExpExecArray | null, isDisplay: boolean): Math | undefined =>
  found === null ? undefined : { type: 'math', raw: found[0], text: found.slice(1).find(Boolean) ?? '', isDisplay }

type Read = (this: TokenizerThis, src: string) => Tokens.Generic | undefined

const readMathBlock: Read = (src) => math(/^ {0,3}(?:\$\$([^$]+)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/.exec(src), true)

// One dollar sign is no mark of math: `$A/$(date)` is a shell's text, and `$5` a price.
const readMath: Read = (src) => math(/^(?:\$\$([^$\n]+)\$\$|\\\((.+?)\\\))/.exec(src), false)

const readFootnote: Read = function (src) {
  const found = /^\[\^([^\]\s]{1,20})\]:[ \t]+([^\n]+(?:\n(?!\n|\[\^)[^\n]+)*)(?:\n+|$)/.exec(src)
  if (found === null) return undefined
  const [raw, label = '', text = ''] = found
  return { type: 'footnote', raw, label, tokens: this.lexer.inlineTokens(text) }
}

const readFootnoteRef: Read = (src) => {
  const found = /^\[\^([^\]\s]{1,20})\]/.exec(src)
  return found === null ? undefined : { type: 'footnoteRef', raw: found[0], label: found[1] }
}

/**
 * Lexer options for markdown that GFM does not have: math and footnotes. `Marked` would build these options from extensions, but the build leaves
 * `Marked` out. As in `Marked`, the last extension is tried first.
 */
export const options: MarkedOptions = {
  gfm: true,
  extensions: {
    renderers: {},
    childTokens: {},
    block: [readFootnote, readMathBlock],
    startBlock: [(src) => /(?:^|\n)\[\^/.exec(src)?.index],
    inline: [readFootnoteRef, readMath],
    startInline: [(src) => /\$\$|\\\(/.exec(src)?.index, (src) => src.indexOf('[^')],
  },
}

type Props = { token: Token; Inline: React.ComponentType<{ tokens?: Token[] | undefined }> }

/** Draws the tokens that `options` adds. Any other token is drawn as its source text. */
export function Extra({ token, Inline }: Props) {
  const known = token as Tokens.Generic as Math | Footnote | FootnoteRef
  switch (known.type) {
    case 'math':
      return <Formula key={known.text} {...known} />
    case 'footnote':
      return (
        <p className="footnote" data-footnote={known.label} tabIndex={-1}>
          <sup>{visibleText(known.label)}</sup> <Inline tokens={known.tokens} />
        </p>
      )
    case 'footnoteRef':
      return (
        <sup>
          <button type="button" className="to-footnote" onClick={(event) => goToNote(event.currentTarget, known.label)}>
            <span className="vh">Footnote </span>
            {visibleText(known.label)}
          </button>
        </sup>
      )
    default:
      return token.raw
  }
}

/** Scrolls to the footnote in the same answer, because another answer may have a footnote of the same name. */
function goToNote(from: Element, label: string): void {
  const prose = from.closest('.prose')
  if (prose !== null) wake(prose, label.toLowerCase())
  const note = prose?.querySelector<HTMLElement>(`[data-footnote="${CSS.escape(label)}"]`)
  note?.focus({ preventScroll: true })
  note?.scrollIntoView({ block: 'center' })
}

const longest = 2_000

/** A formula as MathML, which needs neither fonts nor styles. The source is shown while the code loads, and if the formula is invalid. */
function Formula({ raw, text, isDisplay }: Math) {
  const box = useRef<HTMLElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    let isHere = true
    const draw = async () => {
      const { default: katex } = await import('katex')
      if (!isHere || box.current === null || text.length > longest) return
      // Without `trust` a formula has no links, pictures or classes. The limits keep it from covering the page.
      const limits = { trust: false, maxSize: 10, maxExpand: 100 }
      katex.render(text, box.current, { output: 'mathml', displayMode: isDisplay, strict: 'ignore', ...limits })
      setDrawn(true)
    }
    draw().catch(() => undefined)
    return () => {
      isHere = false
    }
  }, [text, isDisplay])
  return (
    <>
      <span ref={box} className={`math${isDisplay ? ' display' : ''}`} hidden={!isDrawn} />
      {!isDrawn && <code>{raw}</code>}
    </>
  )
}
