import { marked } from 'marked'
import type { Entry } from 'protocol'
import { expect, test } from 'vitest'
import { toMarkdown } from './session-markdown.ts'

const base = { seq: 0, runId: 'run_1', at: 0 } as const
const hostile = [
  '![x](https://evil.example/p.png)',
  '[Approve](javascript:hit=1)',
  '<img src=//evil.example onerror=hit=1>',
  '`]` ``',
]

test.each(hostile)('in an export, %s of a page or a command is text', (text) => {
  const call = { toolUseId: 'tu_1', toolName: 'web_fetch', toolInput: { url: text } } as never
  const entries = [
    { ...base, type: 'tool_use', ...(call as object), tier: 'green', view: 'page' },
    {
      ...base,
      type: 'tool_result',
      toolUseId: 'tu_1',
      result: text,
      summary: `site.test, "${text}"\n## head`,
      isError: false,
      durationMs: 1,
      data: { text },
    },
    { ...base, type: 'blocked', ...(call as object), reason: text, rule: 'base', tier: 'black' },
  ] as unknown as Entry[]
  const html = marked.parse(
    toMarkdown(entries, () => undefined),
    { async: false },
  )
  // An address in a text may be a link that says where it leads.
  expect(html.replace(/<a href="([^"]+)">\1<\/a>/g, '')).not.toMatch(/<(?:img|a |h2|script)/)
  expect(html).toContain('site.test')
})
