import { expect, test } from 'vitest'
import { cpuMs } from '../../../../../scripts/cpu-ms.ts'
import { diagramText } from './diagram-text.ts'

test.each([
  ['a tag', 'A["<img src=x onerror=hit()>"]', 'A["‹img src=x onerror=hit()>"]'],
  ['the end of a tag', 'A["</svg><script>"]', 'A["‹/svg>‹script>"]'],
  ['a tag behind a bracket', 'A["<<img src=x>"]', 'A["<‹img src=x>"]'],
  ['an entity', 'A["#lt;img#gt; &lt;b &#60;i &#x3C;u #amp;lt;s"]', 'A["‹img#gt; ‹b ‹i ‹u ‹lt;s"]'],
  ['a directive', '%%{init: {"themeCSS": "*{}"}}%%\nflowchart LR', '\nflowchart LR'],
  ['a directive in another', '%%%%{a}%%{init: {}}%%\nflowchart LR', '\nflowchart LR'],
  ['front matter', '---\nconfig:\n  securityLevel: loose\n---\nflowchart LR', 'flowchart LR'],
  ['a link', 'flowchart LR\n  click A href "javascript:hit()"', 'flowchart LR\n'],
  ['a style', 'A --> B; style A fill:url(https://evil.example/a)\nB --> C', 'A --> B;\nB --> C'],
  ['a picture', 'X@{ img: "https://evil.example/y.png" }', 'X'],
])('%s is taken out', (_name, text, expected) => {
  expect(diagramText(text)).toBe(expected)
})

test.each(['%%{', '@{img ', '---\n', 'style ', 'link a', '<<a '])('much of %j is read in no time', (piece) => {
  expect(cpuMs(() => diagramText(`flowchart LR\n${piece.repeat(20_000 / piece.length)}`))).toBeLessThan(500)
})

test.each([
  'A -->|yes| B',
  'A <--> B',
  'Animal <|-- Dog',
  'A["one<br/>two"]',
  'class A {\n <<interface>>\n}',
  'A & B --> C',
])('%s stays as it is', (text) => {
  expect(diagramText(text)).toBe(text)
})
