import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Boundary } from '../../ui/boundary.tsx'
import { parseBlocks } from './blocks.ts'
import { Markdown } from './markdown.tsx'

test.each(['- '.repeat(1_500), '>'.repeat(3_000), '> 1. '.repeat(1_500)])(
  'an answer of marks within one another is parsed while it streams',
  (text) => {
    const begun = parseBlocks(text.slice(0, text.length / 2))
    expect(parseBlocks(`${text}end`, begun).tail.length).toBeGreaterThan(0)
  },
)

test('a message that cannot be drawn is shown as it was written, and says so', () => {
  const { props } = Markdown.type({ text: 'as written' }) as React.ReactElement<React.ComponentProps<typeof Boundary>>
  const boundary = new Boundary(props)
  boundary.state = Boundary.getDerivedStateFromError()
  const html = renderToStaticMarkup(boundary.render())
  expect(html).toContain('<pre>as written</pre>')
  expect(html).toContain('could not be formatted')
})
