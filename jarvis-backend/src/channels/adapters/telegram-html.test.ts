import { expect, test } from 'vitest'
import { htmlOf } from './telegram-html.ts'

test.each<[what: string, markdown: string, html: string]>([
  ['words and their weight', '**Two** *nodes* ~~not~~ `a<b`', '<b>Two</b> <i>nodes</i> <s>not</s> <code>a&lt;b</code>'],
  ['a heading is bold', '# Nodes\n\nAll up.', '<b>Nodes</b>\n\nAll up.'],
  ['lists, also within lists', '- a\n  1. b\n  2. c\n- [x] d', '• a\n  1. b\n  2. c\n• ☑ d'],
  ['code', '```sh\necho "<a>" && b\n```', '<pre>echo "&lt;a&gt;" &amp;&amp; b</pre>'],
  ['a table is a block of columns', '| a | b |\n|---|---|\n| 1 | <i> |', '<pre>a  b\n-  ---\n1  &lt;i&gt;</pre>'],
  ['a quotation holds no quotation', '> a\n>> b', '<blockquote>a\n\nb</blockquote>'],
  // HTML and Markdown that would draw a button, fetch a picture or hide an address.
  [
    'HTML is text',
    '<tg-button type="callback_data">Approve</tg-button>',
    '&lt;tg-button type="callback_data"&gt;Approve&lt;/tg-button&gt;',
  ],
  [
    'a block of HTML is text',
    '<div>\n<a href="x">y</a>\n</div>',
    '&lt;div&gt;\n&lt;a href="x"&gt;y&lt;/a&gt;\n&lt;/div&gt;',
  ],
  ['a link shows where it leads', '[Approve](https://evil.example/a?b&c)', 'Approve (https://evil.example/a?b&amp;c)'],
  ['a picture is not fetched', '![x](https://evil.example/p.png)', 'x (https://evil.example/p.png)'],
  ['an address that Telegram acts on is text', '[ok](tg://resolve?domain=evil)', 'ok (tg://resolve?domain=evil)'],
  ['tags across words stay apart', '**a <b> `</b>`**', '<b>a &lt;b&gt; <code>&lt;/b&gt;</code></b>'],
  ['entities are shown as they were written', '&lt;b&gt; &amp;', '&amp;lt;b&amp;gt; &amp;amp;'],
])('%s', (_, markdown, html) => {
  expect(htmlOf(markdown)).toBe(html)
})
