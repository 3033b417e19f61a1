import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { entriesOf, type LooseEntry } from '../../../../test/scenery/entries.ts'
import { type Call, runsOf, viewOf } from '../runs.ts'

import { CallBlock } from './view.tsx'

type View = NonNullable<Extract<LooseEntry, { type: 'tool_use' }>['view']>

/** A call as the transcript has it. */
function callOf(view: View | undefined, data: unknown, more: { result?: string; isError?: boolean } = {}): Call {
  const { result = 'said\noutput:\nprinted', isError = false } = more
  const use = { type: 'tool_use', toolUseId: 't', toolName: 'x', toolInput: { a: 1 }, tier: 'green' } as const
  const [run] = runsOf(
    entriesOf(
      [
        { ...use, ...(view && { view }) },
        { type: 'tool_result', toolUseId: 't', result, isError, summary: 's', durationMs: 1, data },
      ],
      0,
    ),
  )
  const [item] = run?.items ?? []
  if (item?.kind !== 'call') throw new Error('There is no call.')
  return item.call
}
const drawn = (call: Call) => renderToStaticMarkup(createElement(CallBlock, { call, sessionId: 'ses_1' }))

const command = (text: string) => ({
  command: 'cmd_1',
  status: 'ended',
  text,
  folder: text,
  level: text,
  isBackground: false,
  egress: [text],
  startedAt: 0,
  endedAt: 900,
  words: text,
  exitCode: 0,
  changes: 1,
  files: text,
  isApplied: false,
  asked: [text],
})
const page = (text: string) => ({
  url: `https://example.org/${text}`,
  asked: `https://example.org/?${text}`,
  status: 200,
  type: 'text/html',
  title: text,
  text,
  from: 0,
  next: null,
  chars: 9,
  wireBytes: 41_000,
  isKept: false,
  hidden: { count: 2, reasons: [text] },
})
const hits = (text: string) => ({ query: text, hits: [{ title: text, url: text, snippet: text }], silent: [text] })
const files = (text: string) => ({
  diff: [{ path: text, change: 'changed', added: 1, removed: 1, lines: [`-${text}`, `+${text}`], left: 3, note: text }],
})
const forms: [View, (text: string) => unknown][] = [
  ['command', command],
  ['page', page],
  ['hits', hits],
  ['files', files],
]

const esc = String.fromCharCode(27)
/** Hostile texts of pages, commands and files. `shown`: how a part of the text must look. */
const hostile: [name: string, text: string, shown: string][] = [
  ['markup', '<img src=x onerror="hit=1"><script>hit=1</script>', '&lt;script&gt;'],
  ['a picture of Markdown', '![pixel](https://evil.example/p.png)', '![pixel]'],
  ['a link of Markdown', '[Approve](javascript:hit=1)', '[Approve](javascript:hit=1)'],
  ['letters turned around', 'invoice\u202egpj.exe', 'U+202E'],
  ['isolates', '\u2066admin\u2069', 'U+2066'],
  ['characters of no width', 'pay\u200bpal', 'U+200B'],
  ['tags that no one sees', 'ok\u{e0041}\u{e0042}', 'U+E0041'],
  ['a filler that is called a letter', 'a\u3164b', 'U+3164'],
  ['an escape that is no colour', `x${esc}]0;owned\u0007y`, 'U+001B'],
  ['a bell and a backspace', 'ok\u0008\u0008no\u0007', 'U+0008'],
  ['a separator of lines', 'one\u2028two', 'U+2028'],
]

test.each(
  hostile.flatMap(([name, text, shown]) => forms.map(([view, form]) => [view, name, form, text, shown] as const)),
)('in a view of a %s, %s is text', (view, _, form, text, shown) => {
  const html = drawn(callOf(view, form(text), { result: `${text}\noutput:\n${text}` }))
  expect(html).toContain(shown)
  expect(html).not.toMatch(/<(?:img|script|iframe|style|object|form|svg on)/)
  expect(html).not.toMatch(/(?:href|src)="(?!https?:)/)
  expect(html).not.toContain('href="https://evil')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(html).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2066-\u2069\u3164]/)
})

test.each<[what: string, view: View | undefined, data: unknown]>([
  ['an entry of an earlier release', undefined, { command: 'cmd_1', status: 'ended' }],
  ['a view whose data is missing', 'page', { url: 'https://example.org' }],
  ['a view whose data has another form', 'hits', { query: 'a', hits: 'many', silent: [] }],
  ['a command of an earlier release', 'command', { command: 'cmd_1', status: 'ended', exitCode: 0 }],
  ['a picture without its image', 'picture', { url: '', title: '', tab: 1, width: 1, height: 1, elements: [] }],
  ['a view that this page does not know', 'chart' as View, { points: [1] }],
])('%s is drawn as any other call', (_, view, data) => {
  const html = drawn(callOf(view, data))
  expect(html).toContain('Input')
  expect(html).toContain('printed')
})

test('the same entries give the same row again', () => {
  for (const [view, form] of forms) expect(drawn(callOf(view, form('a')))).toBe(drawn(callOf(view, form('a'))))
})

test.each<[what: string, view: View | undefined, data: unknown, isError: boolean, begins: boolean | undefined]>([
  ['without a view', undefined, {}, false, undefined],
  ['a view without data, such as an unknown outcome', 'command', undefined, true, undefined],
  ['a page', 'page', page('a'), false, true],
  ['a command that ended well', 'command', command('a'), false, false],
  ['a command that failed', 'command', command('a'), true, true],
  ['a command in the background', 'command', { ...command('a'), status: 'running' }, false, true],
])('which rows begin open: %s', (_, view, data, isError, begins) => {
  expect(viewOf(callOf(view, data, { isError }))?.begins).toBe(begins)
})
