import { expect, test } from 'vitest'
import { blocksOf, forget, type Parsed, parseBlocks } from './blocks.ts'

const answer = `Two guests:

- 123 frigate
- 122 sabnzbd

  still the second

1. one

| a | b |
|---|---|
| 1 | 2 |

\`\`\`bash
qm config 123

echo done
\`\`\`

## A heading

The **end**.`

const allOf = ({ whole, tail }: Parsed) => [...whole.flatMap(blocksOf), ...tail]
const shape = (parsed: Parsed) =>
  allOf(parsed)
    .filter((block) => block.token.type !== 'space')
    .map(({ key, token }) => [key, token.type, token.raw.trimEnd()])
const streamed = (text: string, size: number) => {
  let parsed = parseBlocks(text.slice(0, size))
  for (let end = size * 2; end < text.length + size; end += size) parsed = parseBlocks(text.slice(0, end), parsed)
  return parsed
}

test.each([1, 3, 7, 20])('text streamed in pieces of %i gives the same blocks as the whole', (size) => {
  expect(shape(streamed(answer, size))).toEqual(shape(parseBlocks(answer)))
})

test('finished blocks are not parsed again', () => {
  const before = parseBlocks('One.\n\nTwo.\n\nThr')
  const after = parseBlocks('One.\n\nTwo.\n\nThree.', before)
  expect(after.tail[0]).toBe(before.tail[0])
  expect(after.tail[2]).toBe(before.tail[2])
  expect(after.tail.at(-1)?.token.raw).toBe('Three.')
})

test('another text is parsed from its start', () => {
  expect(shape(parseBlocks('New', parseBlocks('Old text')))).toEqual([[0, 'paragraph', 'New']])
})

test('a group of finished blocks stays the same object, however the text grows or changes behind it', () => {
  const text = (count: number) => Array.from({ length: count }, (_, at) => `Line ${at}.`).join('\n\n')
  const before = parseBlocks(text(30))
  const after = parseBlocks(text(31), before)
  const other = parseBlocks(text(31).replace('Line 29', 'Row 29'), after)
  expect([before, after, other].map(({ whole, tail }) => [whole.length, tail.length])).toEqual(
    Array(3).fill([3, expect.any(Number)]),
  )
  for (const at of [0, 1, 2]) {
    expect(after.whole[at]).toBe(before.whole[at])
    expect(other.whole[at]).toBe(before.whole[at])
  }
})

test('blocks that were forgotten are read again as they were, links by reference too', () => {
  const long = `${answer}\n\n`.repeat(4)
  const text = `${long}See [the docs][1] and [others][2].\n\n[1]: https://one.example\n\n${long}[2]: https://two.example`
  for (const parsed of [parseBlocks(text), streamed(text, 300)]) {
    const [tokens, shapes] = [allOf(parsed).map(({ token }) => token), shape(parsed)]
    for (const group of parsed.whole) forget(group)
    expect(shape(parsed)).toEqual(shapes)
    expect(allOf(parsed).map(({ token }) => token)).toEqual(tokens)
    expect(allOf(parsed)[0]?.token).not.toBe(tokens[0])
  }
})
