import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { EarlierButton } from './earlier-button.tsx'

test('the button that reads earlier entries can hold the focus while it reads', () => {
  const drawn = renderToStaticMarkup(createElement(EarlierButton, { isLoading: true, onLoad: () => undefined }))
  expect(drawn).toContain('Reading earlier entries')
  expect(drawn).toContain('aria-disabled="true"')
  expect(drawn).not.toMatch(/ disabled/)
})
