import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodePath, storagePath } from './features/cluster/paths.ts'
import { matchPath } from './lib/match-path.ts'
import { pages } from './pages.ts'

/** An address of the page, with its parameters filled in. */
const addressOf = (path: string) => {
  const filled = path.replace(/:\w+/g, '101')
  return path.startsWith('/#') ? { pathname: '/', hash: filled.slice(1) } : { pathname: filled, hash: '' }
}
const at = (pathname: string, hash = '') => pages.at({ pathname, hash })?.page.path

test.each(pages.all.map((page) => [page.path, page] as const))(
  '%s is reached, and its parts are in the list',
  (path, page) => {
    const opened = pages.at(addressOf(path))
    expect(opened?.page).toBe(page)
    expect(Object.keys(opened?.params ?? {})).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name))
    for (const other of [page.under, page.list]) if (other !== undefined) expect(pages.of(other)).not.toBe(page)
    for (const former of page.was ?? []) {
      expect(at(former)).toBeUndefined()
      expect(pages.formerlyAt(former)).toBe(page)
    }
    // The page of one thing leads back to the list, and only the list is offered.
    if (path.includes(':') && page.alone === undefined) expect(page.list).toBeDefined()
    if (page.list !== undefined) expect(page.shownIn).toBeUndefined()
    if (page.tab !== undefined) expect(pages.tabsBeside(page).length).toBeGreaterThan(1)
  },
)

test('no letter opens two pages, and each page with a letter is in the palette', () => {
  const keyed = pages.all.filter(({ key }) => key !== undefined)
  expect(new Set(keyed.map(({ key }) => key)).size).toBe(keyed.length)
  expect(pages.shownIn('palette', 'owner')).toEqual(expect.arrayContaining(keyed))
})

test('each page of the rail is a tab of the phone or under More', () => {
  const inRail = [...pages.shownIn('rail', 'owner'), ...pages.shownIn('foot', 'owner')]
  for (const page of inRail) {
    expect(pages.placeOf(page)).toBe(page)
    expect([
      page.path,
      [pages.shownIn('bar', 'owner'), pages.shownIn('more', 'owner')].filter((list) => list.includes(page)).length,
    ]).toEqual([page.path, 1])
  }
})

test('a member is offered no page that shows the whole cluster, nor a page under one', () => {
  const hidden = pages.shownIn('palette', 'owner').filter((page) => !pages.shownIn('palette', 'member').includes(page))
  expect(hidden.filter((page) => pages.placeOf(page).isWhole)).toEqual(hidden)
  const settings = (rank: string) => pages.shownIn('settings', rank).map(({ path }) => path)
  expect(settings('member')).toEqual([
    '/settings/people',
    '/settings/tokens',
    '/settings/notifications',
    '/settings/display',
  ])
  expect(settings('viewer').length).toBeGreaterThan(12)
  expect(hidden.map(({ path }) => path)).toEqual(expect.arrayContaining(['/journal', '/automations/runbooks']))
  expect(pages.shownIn('palette', 'viewer')).toEqual(pages.shownIn('palette', 'owner'))
})

test.each([
  ['/CLUSTER/', '/cluster'],
  ['/guest/101', '/guest/:vmid'],
  ['/guest/pve', undefined],
  ['/guest', undefined],
  ['/automations/windows', '/automations/windows'],
  ['/automations/runbooks/windows', '/automations/runbooks/:name'],
  ['/agents/skills/disk-health/more', undefined],
  ['/settings/models', '/settings/models'],
  ['/settings/nothing', undefined],
  ['/nowhere', undefined],
] as const)('%s is %s', (pathname, path) => {
  expect(at(pathname)).toBe(path)
})

test('the link of an invitation comes before the path, and another fragment is not a page', () => {
  expect(at('/cluster', '#/join/abc')).toBe('/#/join/:secret')
  expect(at('/cluster', '#/nowhere')).toBe('/cluster')
  expect(at('/settings', '#people')).toBe('/settings')
})

test('the page of one thing is current in the rail at its list, and a session at the chat', () => {
  const placeAt = (pathname: string) => pages.placeOf(pages.of(at(pathname) ?? '')).path
  expect(placeAt('/automations/runbooks/hot-node')).toBe('/automations')
  expect(placeAt('/guest/101')).toBe('/cluster')
  expect(placeAt('/chat/ses_main')).toBe('/')
})

test('every link of the dashboard leads to a page', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(?<!\.test)\.tsx?$/.test(file) && !/^(testing\/|pages\.ts)/.test(file),
  )
  const words = new Set(pages.all.map(({ path }) => path.split('/')[1]))
  const links = files.flatMap((file) =>
    [
      ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
        /(\bto=\{?|\bto: |navigate\()?(['"`])(\/(?!\w+\/:)[^'"`]*)\2/g,
      ),
    ].flatMap(([, before, , text = '']) => {
      const path = text.replace(/\$\{[^}]*\}/g, '101').replace(/[?#].*/, '')
      return before !== undefined || words.has(path.split('/')[1]) ? [{ file, path }] : []
    }),
  )
  expect(links.filter(({ path }) => at(path) === undefined && pages.formerlyAt(path) === undefined)).toEqual([])
  // The search still finds links: the page of each thing has some. Those of nodes and storages are made by functions.
  const made = [nodePath('pve'), storagePath({ name: 'local' })]
  expect(made.filter((path) => at(path) === undefined)).toEqual([])
  const rest = pages.all.filter(
    ({ path, list }) => list !== undefined && !made.some((link) => matchPath(path, link) !== undefined),
  )
  for (const { path } of rest) expect(links.filter((link) => matchPath(path, link.path) !== undefined)).not.toEqual([])
})
