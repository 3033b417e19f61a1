import { expect, test } from 'vitest'
import { groupsOf, type Parsed, parseBlocks } from './blocks.ts'

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

const shape = ({ blocks }: Parsed) =>
  blocks.filter((block) => block.token.type !== 'space').map((block) => [block.token.type, block.token.raw.trimEnd()])

test.each([1, 3, 7, 20])('text streamed in pieces of %i gives the same blocks as the whole', (size) => {
  let parsed: Parsed | undefined
  for (let end = size; end < answer.length + size; end += size) parsed = parseBlocks(answer.slice(0, end), parsed)
  expect(parsed && shape(parsed)).toEqual(shape(parseBlocks(answer)))
})

test('finished blocks are not parsed again', () => {
  const before = parseBlocks('One.\n\nTwo.\n\nThr')
  const after = parseBlocks('One.\n\nTwo.\n\nThree.', before)
  expect(after.blocks[0]).toBe(before.blocks[0])
  expect(after.blocks[2]).toBe(before.blocks[2])
  expect(after.blocks.at(-1)?.token.raw).toBe('Three.')
})

test('another text is parsed from its start', () => {
  expect(shape(parseBlocks('New', parseBlocks('Old text')))).toEqual([['paragraph', 'New']])
})

test('a group whose blocks did not change is the same array', () => {
  const text = (count: number) => Array.from({ length: count }, (_, at) => `Line ${at}.`).join('\n\n')
  const before = parseBlocks(text(30))
  const groups = groupsOf(before.blocks, [])
  const after = groupsOf(parseBlocks(text(31), before).blocks, groups)
  expect(groups.map((group) => group.length)).toEqual([16, 16, 16, 11])
  expect(after.map((group, at) => group === groups[at])).toEqual([true, true, true, false])
})
