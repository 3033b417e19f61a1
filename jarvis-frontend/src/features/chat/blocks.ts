import { Lexer, type MarkedOptions, type Token } from 'marked'

/** A top-level block of markdown; `key` is where it starts, so a finished block keeps its identity as text grows. */
export type Block = { key: number; token: Token }

export type Parsed = { text: string; blocks: readonly Block[]; options?: MarkedOptions | undefined }

const lex = (text: string, at: number, options: MarkedOptions | undefined): Block[] => {
  let key = at
  return Lexer.lex(text, options ?? { gfm: true }).map((token) => {
    const block = { key, token }
    key += token.raw.length
    return block
  })
}

/**
 * Parses markdown into blocks. Where `before` is what the same text began with, only its last block is read again:
 * the others are the same objects as before. Of another text, blocks
 * that stand where they stood keep their objects.
 * @param options of the lexer; GFM where absent
 */
export function parseBlocks(text: string, before?: Parsed, options?: MarkedOptions): Parsed {
  if (before === undefined || before.text === '' || before.options !== options)
    return { text, options, blocks: lex(text, 0, options) }
  if (!text.startsWith(before.text))
    return { text, options, blocks: lex(text, 0, options).map((block) => sameAs(block, before.blocks)) }
  if (text === before.text) return before
  const last = before.blocks.findLastIndex((block) => block.token.type !== 'space')
  // A list goes on after a blank line, so what follows the last block is read with it.
  const kept = before.blocks.slice(0, Math.max(0, last))
  const from = before.blocks[Math.max(0, last)]?.key ?? 0
  return { text, options, blocks: [...kept, ...lex(ownCopy(text.slice(from)), from, options)] }
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { ignoreBOM: true })]

/**
 * A string of its own. Engines make a slice a view of the whole text, so each finished block would keep alive all that
 * was there when it was read. Half of a character outside the BMP becomes U+FFFD until its other half comes.
 */
const ownCopy = (text: string): string => decoder.decode(encoder.encode(text))

const perGroup = 16

/** Blocks in groups of a fixed number. A group that did not change is the same array as in `before`. */
export function groupsOf(
  blocks: readonly Block[],
  before: readonly (readonly Block[])[],
): readonly (readonly Block[])[] {
  return Array.from({ length: Math.ceil(blocks.length / perGroup) }, (_, at) => {
    const group = blocks.slice(at * perGroup, (at + 1) * perGroup)
    const known = before[at]
    return known?.length === group.length && group.every((block, place) => block === known[place]) ? known : group
  })
}

const sameAs = (block: Block, before: readonly Block[]): Block =>
  before.find(({ key, token }) => key === block.key && token.raw === block.token.raw) ?? block
