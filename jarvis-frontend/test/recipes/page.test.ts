import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { expectShown, shownCode } from '../../../jarvis-backend/test/support/recipe.ts'
import { type Page, PageList, page } from '../../src/app/page-list.ts'
import { pages } from '../../src/pages.ts'

const heading = 'A page'

test('the recipe shows the file beside this test', () => {
  expectShown(heading, 'jarvis-frontend/src/pages/nodes/page.tsx', join(import.meta.dirname, 'nodes-page.tsx'))
})

test('an entry that follows the recipe is in the rail, under More and in the palette, with a letter of its own', () => {
  const shown = shownCode(heading, 'jarvis-frontend/src/pages.ts').trim().replace(/,$/, '')
  // The file that the entry loads stands beside this test.
  const entry = runInNewContext(shown.replace(/^ *load: .*\n/m, ''), { page }) as Page
  expect(shown).toContain("import('./pages/nodes/page.tsx').then((page) => page.NodesPage)")
  const list = new PageList([...pages.all, entry])
  expect(list.at({ pathname: '/nodes', hash: '' })?.page).toBe(entry)
  expect(pages.at({ pathname: '/nodes', hash: '' })).toBeUndefined()
  for (const place of ['rail', 'more', 'palette'] as const) expect(list.shownIn(place, 'member')).toContain(entry)
  expect(pages.all.map(({ key }) => key)).not.toContain(entry.key)
})
