import { tokensOf } from 'jarvis-backend/markdown'
import type { MarkedOptions, Token, TokensList } from 'marked'

/** A top-level block of markdown. `key`: the position where the block starts, so that a finished block keeps its key while the text grows. */
export type Block = { key: number; token: Token }
type Links = TokensList['links']

/** Consecutive finished blocks. Their parsed form can be dropped, because the group keeps the text. */
export type Group = { key: number; text: string; options: MarkedOptions | undefined; links: Links }

/** Consecutive blocks; the last block may still grow. */
export type Growing = { key: number; blocks: readonly Block[] }

export type Parsed = {
  text: string
  options: MarkedOptions | undefined
  whole: readonly Group[]
  /** The blocks after the complete groups. The last block may still grow. */
  tail: readonly Block[]
  /** URLs of links that the complete groups define. */
  links: Links
  /** True if the text may hold math or footnotes, which GFM does not have. */
  hasExtras: boolean
}

/** Number of blocks in a group, and of groups in a pile. */
export const perGroup = 16
const read = new WeakMap<Group, readonly Block[]>()

function lex({ key, text, options, links }: Group) {
  const tokens = tokensOf(text, options, links)
  let at = key
  const blocks = tokens.map((token): Block => {
    const block = { key: at, token }
    at += token.raw.length
    return block
  })
  return { blocks, links: tokens.links }
}

/** Returns the blocks of a group. Parses the text again if the blocks were dropped. */
export function blocksOf(group: Group): readonly Block[] {
  const blocks = read.get(group) ?? lex(group).blocks
  read.set(group, blocks)
  return blocks
}

/** Drops a group's parsed blocks, which need a hundred times the memory of their text. */
export const forget = (group: Group): void => void read.delete(group)

/**
 * Parses markdown into blocks. If `text` starts with the text of `before`, only the last block of `before` is parsed again, and all others stay the
 * same objects. For any other text, unchanged blocks at the same position stay the same objects.
 * @param options of the lexer; undefined: GFM
 */
export function parseBlocks(text: string, before?: Parsed, options?: MarkedOptions): Parsed {
  if (before !== undefined && before.text !== '' && before.options === options && text.startsWith(before.text))
    return text === before.text ? before : goOn(text, before)
  const { blocks, links } = lex({ key: 0, text, options, links: {} })
  const old = before?.options === options ? before : undefined
  const known = new Map(old === undefined ? [] : objectsOf(old).map((block) => [block.key, block]))
  const same = blocks.map((block) => {
    const found = known.get(block.key)
    return found?.token.raw === block.token.raw ? found : block
  })
  const parsed = grouped(same, links, { text, options, whole: [], links: {}, hasExtras: mayHoldExtras(text) })
  const groups = new Map(old?.whole.map((group) => [group.key, group]))
  return {
    ...parsed,
    whole: parsed.whole.map((group) => {
      const found = groups.get(group.key)
      return found?.text === group.text ? found : group
    }),
  }
}

function goOn(text: string, before: Parsed): Parsed {
  // A list can continue after a blank line, so parse the last block again together with the new text.
  const last = Math.max(0, lastOf(before.tail))
  const kept = before.tail.slice(0, last)
  const key = before.tail[last]?.key ?? 0
  const rest = ownCopy(text.slice(key))
  const known = { ...before.links, ...linksIn(kept) }
  const { blocks, links } = lex({ key, text: rest, options: before.options, links: known })
  return grouped([...kept, ...blocks], links, { ...before, text, hasExtras: before.hasExtras || mayHoldExtras(rest) })
}

/** Moves finished blocks into groups of `perGroup`; the other blocks become the tail. */
function grouped(blocks: readonly Block[], links: Links, parsed: Omit<Parsed, 'tail'>): Parsed {
  const count = Math.floor(Math.max(0, lastOf(blocks)) / perGroup) * perGroup
  const finished = blocks.slice(0, count)
  const whole = chunksOf(finished).map((part) => {
    const text = part.map(({ token }) => token.raw).join('')
    const group = { key: part[0]?.key ?? 0, text, options: parsed.options, links }
    read.set(group, part)
    return group
  })
  return {
    ...parsed,
    whole: count === 0 ? parsed.whole : [...parsed.whole, ...whole],
    tail: blocks.slice(count),
    links: count === 0 ? parsed.links : { ...parsed.links, ...linksIn(finished) },
  }
}

/** Splits the blocks after the last complete group into groups; the last group may still grow. */
export const growing = (tail: readonly Block[]): Growing[] =>
  chunksOf(tail).map((blocks) => ({ key: blocks[0]?.key ?? 0, blocks }))

/** Cuts a list into parts of 16; the last part may be smaller. */
export const chunksOf = <T>(all: readonly T[]): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / perGroup) }, (_, at) => all.slice(at * perGroup, (at + 1) * perGroup))

const lastOf = (blocks: readonly Block[]) => blocks.findLastIndex(({ token }) => token.type !== 'space')

const linksIn = (blocks: readonly Block[]): Links =>
  Object.fromEntries(
    blocks.flatMap(({ token }) =>
      token.type === 'def' ? [[token.tag, { href: token.href, title: token.title }]] : [],
    ),
  )

const objectsOf = ({ whole, tail }: Parsed) => [...whole.flatMap((group) => read.get(group) ?? []), ...tail]

const mayHoldExtras = (text: string) => /\$\$|\\[([]|\[\^/.test(text)

const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { ignoreBOM: true })]

/**
 * Copies a string. JavaScript engines make a slice a view of the whole text, so each finished block would keep in memory the whole text from which
 * it was cut. An unpaired surrogate at the end becomes U+FFFD until its other half arrives.
 */
const ownCopy = (text: string): string => decoder.decode(encoder.encode(text))
