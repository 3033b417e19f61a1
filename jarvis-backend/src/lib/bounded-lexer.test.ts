import type { Token, Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { discordMarkdown } from '../channels/adapters/discord-markdown.ts'
import { htmlOf } from '../channels/adapters/telegram-html.ts'
import { partsOf } from '../channels/talk/parts.ts'
import { tokensOf } from './bounded-lexer.ts'

const depthOf = (tokens: readonly Token[]): number =>
  Math.max(
    0,
    ...tokens.map((token) => {
      const inner = (token as Tokens.Generic).items as Tokens.ListItem[] | undefined
      return (
        1 +
        Math.max(depthOf((token as Tokens.Generic).tokens ?? []), ...(inner ?? []).map((one) => depthOf(one.tokens)))
      )
    }),
  )

test('Markdown that people write is read as the lexer does', () => {
  const [list, quote, paragraph] = tokensOf('- a\n  1. **b**\n\n> c\n\nd *e* `f`').filter(
    ({ type }) => type !== 'space',
  )
  expect([list?.type, quote?.type, paragraph?.type]).toEqual(['list', 'blockquote', 'paragraph'])
  expect(depthOf([list as Token])).toBe(5)
  expect(tokensOf('[a]', undefined, { a: { href: 'https://a.lan', title: null } })[0]).toMatchObject({
    tokens: [{ type: 'link', href: 'https://a.lan' }],
  })
})

const deep = Array.from({ length: 200 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')
describe.each([
  ['lists on one line', '- '.repeat(1_500)],
  ['quotations on one line', '>'.repeat(3_000)],
  ['numbered lists', '1. '.repeat(1_500)],
  ['lists in quotations', '> - '.repeat(1_500)],
  ['stars', '* * '.repeat(1_500)],
  ['lists by their indents', deep],
  ['emphasis in emphasis', `${'*a **b '.repeat(300)}${'c** d* '.repeat(300)}`],
  ['emphasis that never ends', '__a'.repeat(7_000)],
  ['brackets', '!['.repeat(10_000)],
  ['items', '- a\n'.repeat(25_000)],
  ['a text of 300 kB', 'words and words\n\n'.repeat(18_000)],
])('%s', (_what, text) => {
  test('nest a bounded number of tokens, which hold the whole text', () => {
    const tokens = tokensOf(text)
    expect(depthOf(tokens)).toBeLessThan(80)
    expect(
      tokens
        .map(({ raw }) => raw)
        .join('')
        .trim() === text.trim(),
    ).toBe(true)
  })

  test('become a message of every channel', () => {
    expect(htmlOf(text)).not.toBe('')
    expect(discordMarkdown(text)).not.toBe('')
    expect(partsOf(text, 2_000).every((part) => part.length <= 2_000)).toBe(true)
  })
})
