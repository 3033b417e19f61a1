import { expect, test } from 'vitest'
import { partsOf } from './parts.ts'

test.each<[what: string, markdown: string, most: number, parts: string[]]>([
  ['a short text is one part without a number', 'All is *well*.', 100, ['All is *well*.']],
  ['nothing is no part', ' \n\n', 100, []],
  [
    'blocks are kept together where they fit',
    'One one.\n\nTwo two.\n\nThree.',
    36,
    ['One one.\n\nTwo two.\n\n(1/2)', 'Three.\n\n(2/2)'],
  ],
  [
    'a long paragraph is cut between sentences',
    'This is it. That is it. And this too.',
    40,
    ['This is it. That is it.\n\n(1/2)', 'And this too.\n\n(2/2)'],
  ],
  ['a long word is cut within', 'abcdefghijkl', 26, ['abcdefghij\n\n(1/2)', 'kl\n\n(2/2)']],
  [
    'code that is cut is fenced again, in its language',
    '```sh\necho one\necho two\necho three\n```',
    46,
    ['```sh\necho one\necho two\n```\n\n(1/2)', '```sh\necho three\n```\n\n(2/2)'],
  ],
  ['a fence holds the fences in its code', '````\na\n```\nb\n````', 100, ['````\na\n```\nb\n````']],
  [
    'a table becomes columns',
    '| guest | state |\n|---|---|\n| 103 truenas | running |\n| 104 | – |',
    200,
    ['```\nguest        state\n-----------  -------\n103 truenas  running\n104          –\n```'],
  ],
])('%s', (_, markdown, most, parts) => {
  expect(partsOf(markdown, most)).toEqual(parts)
})

test('no part is longer than it may be, and no character is lost or cut in half', () => {
  const words = Array.from({ length: 4_000 }, (_, at) => `w${at}${at % 7 === 0 ? '😀' : ''}${at % 11 === 0 ? '.' : ''}`)
  for (const markdown of [
    words.join(' '),
    `\`\`\`\n${words.join('\n')}\n\`\`\``,
    words.join(''),
    `- ${words.join('\n- ')}`,
  ]) {
    const parts = partsOf(markdown, 500)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(500)
    for (const part of parts) expect(Buffer.from(part).toString()).toBe(part)
    const bare = (text: string) => text.replace(/\s|```/g, '')
    const said = parts.map((part) => part.replace(/\n\n\(\d+\/\d+\)$/, ''))
    expect(bare(said.join(''))).toBe(bare(markdown))
  }
})
