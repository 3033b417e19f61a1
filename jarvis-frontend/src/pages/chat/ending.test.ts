import { expect, test } from 'vitest'
import { firstSentence } from './ending.ts'

test.each([
  ['a sentence', '**pve** is hot. It throttles.', 'pve is hot.'],
  ['a paragraph without a full stop', 'Four guests need a look\n\n- 123\n- 104', 'Four guests need a look'],
  ['a list', '- 123 `frigate`: 97 %\n- 104', '123 frigate: 97 %'],
  ['a link', 'See [the docs](https://example.org/a). Then go on.', 'See the docs.'],
  ['code', '```bash\nqm list\n```', ''],
  ['a very long line', `${'word '.repeat(500)}end.`, `${'word '.repeat(31)}word…`],
])('what is read out of %s', (_name, text, said) => {
  expect(firstSentence(text)).toBe(said)
})
