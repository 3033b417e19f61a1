import { lexer, type Token } from 'marked'

/** A top-level block of markdown; `key` is where it starts, so a finished block keeps its identity as text grows. */
export type Block = { key: number; token: Token }

export type Parsed = { text: string; blocks: readonly Block[] }

const lex = (text: string, at: number): Block[] => {
  let key = at
  return lexer(text, { gfm: true }).map((token) => {
    const block = { key, token }
    key += token.raw.length
    return block
  })
}

/**
 * Parses markdown into blocks. Where `before` is what the same text began with, only its last block is read again:
 * the others are the same objects as before. Of another text, blocks
 * that stand where they stood keep their objects.
 */
export function parseBlocks(text: string, before?: Parsed): Parsed {
  if (before === undefined || before.text === '') return { text, blocks: lex(text, 0) }
  if (!text.startsWith(before.text)) return { text, blocks: lex(text, 0).map((block) => sameAs(block, before.blocks)) }
  if (text === before.text) return before
  const last = before.blocks.findLastIndex((block) => block.token.type !== 'space')
  // A list goes on after a blank line, so what follows the last block is read with it.
  const kept = before.blocks.slice(0, Math.max(0, last))
  const from = before.blocks[Math.max(0, last)]?.key ?? 0
  return { text, blocks: [...kept, ...lex(text.slice(from), from)] }
}

const sameAs = (block: Block, before: readonly Block[]): Block =>
  before.find(({ key, token }) => key === block.key && token.raw === block.token.raw) ?? block
