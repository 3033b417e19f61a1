import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { transformSync } from 'esbuild'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { expectShown, shownCode } from '../../../jarvis-backend/test/support/recipe.ts'
import type { Row } from '../gallery/rows.tsx'
import { CountBadge } from './count-badge.tsx'

const heading = 'A component'

test('the recipe shows the file beside this test', () => {
  expectShown(heading, 'jarvis-frontend/src/ui/count-badge.tsx', join(import.meta.dirname, 'count-badge.tsx'))
})

test('the row that the recipe shows draws each state of the component', () => {
  const shown = shownCode(heading, 'jarvis-frontend/test/gallery/rows.tsx')
  const { code } = transformSync(`([${shown}])[0]`, { loader: 'tsx', jsx: 'transform' })
  const row = runInNewContext(code, { React: { createElement }, CountBadge }) as Row
  const drawn = Object.entries(row.states).map(([state, element]) => [state, renderToStaticMarkup(element)])
  expect(row.name).toBe('CountBadge')
  expect(drawn).toEqual([
    ['none', ''],
    ['some', '<span class="badge">3<span class="vh"> cards wait</span></span>'],
    ['many', '<span class="badge">99+<span class="vh"> cards wait</span></span>'],
  ])
})
